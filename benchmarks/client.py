"""The measuring client: a process of its own that times what the nodes say and answer.

Reads one JSON request a line from stdin, ``{"do": "state", "seconds": 20}``, and answers with a
line of JSON: samples in milliseconds, times of time.monotonic() in seconds.

It waits on the middleware's wait set without an executor, takes AxisState as bytes and does not
collect garbage: less of its own time is in the figures than with any executor of rclpy.
"""

import gc
import json
import random
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import rclpy
from rclpy.impl.implementation_singleton import rclpy_implementation as rcl
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Bool
from wmx_ros2_message.msg import AxisPose, AxisState
from wmx_ros2_message.srv import EcatGetNetworkState, GetIoBytes, GetWmxParams, SetAxis

WAIT_TIMEOUT = 30.0
"""How long anything may take before the measurement is given up, s."""
SETTLING = 0.5
"""What is left out when a measurement begins, s: queued messages, caches, a clock speeding up."""
STEP = 1e-3
"""How far axis 0 moves for a command, u, to and fro."""
MOTION = {"velocity": [1.0], "acc": [10.0], "dec": [10.0]}

REQUESTS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "set_on": ("wmx/axis/set_on", SetAxis, {"index": [0], "data": [1]}),
    "params/get": ("wmx/params/get", GetWmxParams, {"index": [0]}),
    "get_input_bytes": ("wmx/io/get_input_bytes", GetIoBytes, {"byte": 0, "length": 4}),
    "get_network_state": ("wmx/ecat/get_network_state", EcatGetNetworkState, {"master_id": 0}),
}

READY_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Client:
    """A node that nothing spins: each measurement waits for what it wants."""

    def __init__(self) -> None:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node("wmx_benchmark", enable_rosout=False, start_parameter_services=False)
        self._states = self._node.create_subscription(
            AxisState, "wmx/axis/state", lambda _: None, 100, raw=True
        )
        self._ready = self._node.create_subscription(
            Bool, "wmx/engine/ready", lambda _: None, READY_QOS
        )
        self._position = self._node.create_publisher(AxisPose, "wmx/axis/position", 10)
        self._services: dict[str, Any] = {
            name: self._node.create_client(kind, service)
            for name, (service, kind, _) in REQUESTS.items()
        }
        context: Any = self._node.context.handle
        self._wait_set = rcl.WaitSet(2, 0, 0, 1, 0, 0, context)

    # What may be asked for

    def start_up(self) -> dict[str, float]:
        """When the engine is ready, the first state comes, and all services are found."""
        at: dict[str, float] = {}
        deadline = time.monotonic() + WAIT_TIMEOUT
        while len(at) < 3 and time.monotonic() < deadline:
            self._wait(self._states, self._ready, timeout=0.005)
            state, ready = self._take(self._states), self._take(self._ready)
            seen = {
                "first state": state is not None,
                "ready": ready is not None and ready[0].data,
                "all services": "all services" not in at
                and all(client.service_is_ready() for client in self._services.values()),
            }
            now = time.monotonic()
            at |= {what: now for what, is_so in seen.items() if is_so and what not in at}
        return at

    def state(self, seconds: float) -> dict[str, Any]:
        """Intervals of arrival and of stamps, age, and how long this process took to look."""
        start = next(self._arrivals())[0] + int(SETTLING * 1e9)
        end = start + int(seconds * 1e9)
        came: list[tuple[int, int, int]] = []
        for now, raw, info in self._arrivals():
            if now > end:
                break
            if now > start:
                seconds_part, nanoseconds = struct.unpack_from("<II", raw, 4)
                stamp = seconds_part * 1_000_000_000 + nanoseconds
                came.append((now, stamp, info["received_timestamp"]))
        arrival, stamp, received = (np.array(came).T - start) / 1e6
        return {
            "axes": State(raw).axes,
            "arrival interval": np.diff(arrival).tolist(),
            "stamp interval": np.diff(stamp).tolist(),
            "age": (arrival - stamp).tolist(),
            "client's delay": (arrival - received).tolist(),
        }

    def services(self, names: list[str], calls: int, pause: float) -> dict[str, list[float]]:
        """Round trips, the services taking turns, with a `pause` (s) after each."""
        for name in names:
            self._call(name)  # switches the servo on, and meets cold caches
        taken: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(calls):
            for name in names:
                taken[name].append(self._call(name))
                time.sleep(pause)
        return taken

    def load(self, names: list[str], seconds: float, rate: float) -> None:
        """Call `rate` times a second, the services taking turns."""
        start = time.monotonic()
        for i in range(int(seconds * rate)):
            time.sleep(max(0.0, start + i / rate - time.monotonic()))
            self._call(names[i % len(names)])

    def commands(self, count: int) -> dict[str, list[float]]:
        """Move axis 0 to and fro: when each command was given, and how long until it showed."""
        self._call("set_on")
        self._drain()
        home = position = self._next_position()
        published, visible = [], []
        for i in range(count):
            # At any time between two states, as commands come.
            time.sleep(random.uniform(0.01, 0.02))
            before, target = position, home + STEP * ((i + 1) % 2)
            message = AxisPose(index=[0], target=[target], **MOTION)
            self._drain()
            start = time.monotonic_ns()
            self._position.publish(message)
            deadline = time.monotonic() + WAIT_TIMEOUT
            while (position := self._next_position()) == before:
                assert time.monotonic() < deadline, "axis 0 does not move"
            visible.append((time.monotonic_ns() - start) / 1e6)
            published.append(start / 1e9)
            while abs(position - target) > STEP / 1000:
                assert time.monotonic() < deadline, "axis 0 does not arrive"
                position = self._next_position()
        return {"published": published, "visible": visible}

    def move_all(self, axes: int, *, on: bool) -> None:
        """Send every axis on a way that takes an hour, or switch them off."""
        request = SetAxis.Request(index=range(axes), data=[int(on)] * axes)
        self._request("set_on", request)
        if on:
            limits = {name: values * axes for name, values in MOTION.items()}
            self._position.publish(AxisPose(index=range(axes), target=[3600.0] * axes, **limits))

    # How it is done

    def _arrivals(self) -> Iterator[tuple[int, bytes, dict[str, int]]]:
        """Each AxisState as bytes, with the time at which it was here (ns) and its info."""
        deadline = time.monotonic() + WAIT_TIMEOUT
        while time.monotonic() < deadline:
            self._wait(self._states)
            if taken := self._take(self._states):
                yield time.time_ns(), *taken
                deadline = time.monotonic() + WAIT_TIMEOUT
        raise TimeoutError(f"no wmx/axis/state for {WAIT_TIMEOUT} s")

    def _next_position(self) -> float:
        """pos_cmd of axis 0 in the next state."""
        return State(next(self._arrivals())[1]).position

    def _drain(self) -> None:
        while self._take(self._states):
            pass

    def _call(self, name: str) -> float:
        """The round trip of one call, ms; it has to succeed."""
        _, kind, fields = REQUESTS[name]
        return self._request(name, kind.Request(**fields))

    def _request(self, name: str, request: Any) -> float:
        client, kind, response = self._services[name], REQUESTS[name][1], None
        start = time.monotonic_ns()
        deadline = time.monotonic() + WAIT_TIMEOUT
        client.handle.send_request(request)
        while response is None:
            assert time.monotonic() < deadline, f"{name} does not answer"
            self._wait(client=client)
            _, response = client.handle.take_response(kind.Response)
        taken = (time.monotonic_ns() - start) / 1e6
        self._require(name, response)
        return taken

    def _require(self, name: str, response: Any) -> None:
        assert response.success, f"{name}: {response.message}"

    def _wait(self, *subscriptions: Any, client: Any = None, timeout: float = 1.0) -> None:
        self._wait_set.clear_entities()
        for subscription in subscriptions:
            self._wait_set.add_subscription(subscription.handle)
        if client is not None:
            self._wait_set.add_client(client.handle)
        self._wait_set.wait(int(timeout * 1e9))

    def _take(self, subscription: Any) -> Any:
        """A message and its info, or None."""
        return subscription.handle.take_message(subscription.msg_type, subscription.raw)


class State:
    """The little of an AxisState that is looked at, read from its bytes (little-endian CDR)."""

    def __init__(self, raw: bytes) -> None:
        body = memoryview(raw)[4:]
        offset = 8
        for _ in range(8):  # frame_id and seven arrays of bool: a length, then as many bytes
            offset += -offset % 4
            (length,) = struct.unpack_from("<I", body, offset)
            offset += 4 + length
        offset += -offset % 4 + 4
        offset += -offset % 8
        self.axes = int(length)
        self.position = float(struct.unpack_from("<d", body, offset)[0])
        """pos_cmd of axis 0."""


def main() -> None:
    """Answer requests until stdin ends."""
    client = Client()
    gc.freeze()
    gc.disable()
    todo: dict[str, Callable[..., Any]] = {
        name: getattr(client, name)
        for name in ("start_up", "state", "services", "load", "commands", "move_all")
    }
    print(json.dumps("listening"), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(todo[request.pop("do")](**request)), flush=True)
    with suppress(Exception):
        rclpy.shutdown()


if __name__ == "__main__":
    main()
