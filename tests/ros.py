"""A ROS client for tests: calls services, sends messages, and keeps what it hears."""

import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import suppress
from typing import Any

import rclpy
from offered import offers
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import get_default_context
from recording import Recording
from std_msgs.msg import Bool
from waits import WAIT_TIMEOUT, eventually
from wmx_ros2_message.msg import AxisPose, AxisState, AxisVelocity

from wmx_ros2_package.node_base.clock import ROS, NodeClock
from wmx_ros2_package.node_base.domain.discovery import wait_for_half_made_ports
from wmx_ros2_package.node_base.qos import SERVICE_QOS
from wmx_ros2_package.node_base.rclpy_compat import make_executor

ENGINE_SERVICES = tuple(
    f"wmx/engine/{name}" for name in ("set_device", "set_comm", "get_status", "scan_network")
)
CORE_MOTION_SERVICES = (
    *(f"wmx/axis/set_{name}" for name in ("on", "mode", "polarity", "gear_ratio")),
    *("wmx/axis/clear_alarm", "wmx/axis/homing", "wmx/params/load", "wmx/params/get"),
)
IO_SERVICES = (
    *(f"wmx/io/get_{name}" for name in ("input_bit", "output_bit", "input_bytes", "output_bytes")),
    *("wmx/io/set_output_bit", "wmx/io/set_output_bytes"),
)
ETHERCAT_SERVICES = (
    *("wmx/ecat/get_network_state", "wmx/ecat/register_read"),
    *("wmx/ecat/reset_statistics", "wmx/ecat/start_hotconnect"),
)
SERVICES = *ENGINE_SERVICES, *CORE_MOTION_SERVICES, *IO_SERVICES, *ETHERCAT_SERVICES
"""Those of the contract."""
OFFERED = {
    name: offer.kind for name, offer in offers("engine", "core_motion", "io", "ethercat").items()
}
"""All that a system of these nodes on the simulated engine serves."""
COMMANDS = {
    "wmx/axis/position": AxisPose,
    "wmx/axis/position/relative": AxisPose,
    "wmx/axis/velocity": AxisVelocity,
}
JOG = "wmx/axis/jog"
TOPICS = {**COMMANDS, JOG: AxisVelocity}
"""All that moves axes."""
HARMLESS: dict[str, dict[str, Any]] = {
    **{
        f"wmx/engine/{name}": {"data": True}
        for name in ("set_device", "set_comm", "set_engine", "set_communication")
    },
    "wmx/axis/stop": {"index": [-1]},
}
"""Requests that change nothing of a system that starts or runs; elsewhere an empty one does.

An empty stop stops all axes, and no servo of an axis that is stopped as it starts is switched on.
"""
READY = "wmx/engine/ready", "wmx/core_motion/ready"
READY_QOS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class Answer(Future[Any]):
    """What somebody answers; who waits for it waits by a clock."""

    def __init__(self, clock: NodeClock) -> None:
        super().__init__()
        self._clock = clock

    def result(self, timeout: float | None = WAIT_TIMEOUT) -> Any:
        """The answer, once it is there; TimeoutError where it does not come in time."""
        if self.done():
            return super().result()
        try:
            return self._clock.result(self, timeout)
        except NotInTime:  # which is another one before Python 3.11
            raise TimeoutError from None

    def comes(self, timeout: float = 1.0) -> bool:
        """Whether it comes in time."""
        with suppress(TimeoutError):
            self.result(timeout)
        return self.done()


class Client:
    """A node that knows every service and topic of the contract, spun by a thread of its own."""

    def __init__(
        self, domain: int, namespace: str = "", *, shared: bool = False, clock: NodeClock = ROS
    ) -> None:
        """In a DDS participant of its own, or in that of the nodes of this process.

        It waits by `clock`.
        """
        self._shared = shared
        self.clock = clock
        self._context = get_default_context() if shared else Context()
        if not shared:
            wait_for_half_made_ports()  # as every program does before it takes part
            rclpy.init(
                args=[],
                context=self._context,
                domain_id=domain,
                signal_handler_options=SignalHandlerOptions.NO,
            )
        self._executor: Any = None
        self.node = Node(
            "test_client",
            context=self._context,
            namespace=namespace,
            enable_rosout=False,
            start_parameter_services=False,
            use_global_arguments=False,
        )
        node = self.node
        # Every client hears the answers to all: a depth of ten is soon too little for its own.
        self._services = {
            name: node.create_client(kind, name, qos_profile=SERVICE_QOS)
            for name, kind in OFFERED.items()
        }
        self._topics = {name: node.create_publisher(k, name, 10) for name, k in TOPICS.items()}
        self.states = self.listen("wmx/axis/state", AxisState, 1000)
        self.ready = {topic: self.listen_ready(topic) for topic in READY}
        # The quickest there is: of 500 states a second the other takes half a processor.
        self._executor = make_executor(self._context)
        self._executor.add_node(self.node)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="test-client")
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        if not self._shared:
            rclpy.shutdown(context=self._context)

    def listen(self, topic: str, kind: Any, qos: Any) -> Recording:
        """Subscribe; what has been said before arrives too if the topic keeps it."""
        recording = Recording(self.clock)
        self.in_thread(lambda: self.node.create_subscription(kind, topic, recording, qos))
        return recording

    def listen_ready(self, topic: str) -> Recording:
        """With room for changes that follow each other at once."""
        qos = QoSProfile(
            depth=10, reliability=READY_QOS.reliability, durability=READY_QOS.durability
        )
        return self.listen(topic, Bool, qos)

    def action(self, kind: Any, name: str) -> Any:
        """A client of an action."""
        return self.in_thread(lambda: ActionClient(self.node, kind, name))

    def in_thread(self, work: Callable[[], Any]) -> Any:
        """What `work` gives in the thread that spins: it makes entities, or asks by an action.

        rclpy shows an entity to the executor before it has all that this asks it for: made by
        another thread it may end the spinning, or never be served. And what an action answers may
        come before rclpy has noted that it is waited for.
        """
        if self._executor is None:  # no thread spins yet
            return work()
        done: Future[Any] = Future()

        def carry_out() -> None:
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

        self._executor.create_task(carry_out)
        return done.result(WAIT_TIMEOUT)

    # Time

    def eventually(
        self, condition: Callable[[], Any], what: str, timeout: float = WAIT_TIMEOUT
    ) -> Any:
        """What `condition` gives once it is true; fails when that takes too long."""
        return eventually(condition, what, timeout, self.clock)

    def answer(self, asked: Any) -> Answer:
        """What a future of rclpy brings, as one that this thread may wait for."""
        answer = Answer(self.clock)
        asked.add_done_callback(lambda f: answer.set_result(f.result()))
        return answer

    # Services

    def meet(self, services: Collection[str]) -> None:
        """Let each service answer a harmless request.

        The first response to a client is lost when it comes before DDS has made its reader
        known to the node, which may take seconds. So all of that is over when the test begins.
        """

        def ask(unanswered: Collection[str]) -> dict[str, Answer]:
            return {s: self.ask(s, **HARMLESS.get(s, {})) for s in unanswered}

        deadline = self.clock.now() + WAIT_TIMEOUT
        waiting = ask(services)
        while waiting:
            until = self.clock.now() + 1.0
            for answer in waiting.values():
                answer.comes(max(0.0, until - self.clock.now()))
            unanswered = [service for service, answer in waiting.items() if not answer.done()]
            assert self.clock.now() < deadline or not unanswered, f"no answer from {unanswered}"
            waiting = ask(unanswered)

    def ask(self, service: str, **fields: Any) -> Answer:
        """Send a request; the response comes in the future."""
        client = self._services[service]
        assert client.wait_for_service(WAIT_TIMEOUT), f"{service} is not offered"
        return self.answer(client.call_async(OFFERED[service].Request(**fields)))

    def call(self, service: str, timeout: float = WAIT_TIMEOUT, **fields: Any) -> Any:
        """The response to a request."""
        return self.ask(service, **fields).result(timeout)

    def must(self, service: str, **fields: Any) -> Any:
        """The response to a request that has to succeed."""
        response = self.call(service, **fields)
        assert response.success, f"{service}: {response.message}"
        return response

    def refused(self, service: str, **fields: Any) -> str:
        """The message that answers a request that has to fail."""
        response = self.call(service, **fields)
        assert not response.success, f"{service}: {response.message}"
        return response.message

    def throw(self, name: str, **fields: Any) -> None:
        """Send a request or a motion command, whether somebody is there or not."""
        if name in TOPICS:
            self._topics[name].publish(TOPICS[name](**fields))
        else:
            self._services[name].call_async(OFFERED[name].Request(**fields))

    def play(self, fault: str) -> None:
        """Let a fault of the simulated machine happen now."""
        self.must("wmx/simulation/inject_faults", script=f"[{{{fault}}}]")

    # Axes

    def send(self, topic: str, message: Any) -> None:
        publisher = self._topics[topic]
        self.eventually(publisher.get_subscription_count, f"somebody listens to {topic}")
        publisher.publish(message)

    def move(self, topic: str, index: Sequence[int], *numbers: Sequence[float]) -> None:
        """Send the arrays of a motion command, in the order of its fields."""
        kind = TOPICS[topic]
        fields = list(kind.get_fields_and_field_types())
        self.send(topic, kind(**dict(zip(fields, (index, *numbers), strict=True))))

    def spin_up(self, axis: int, dec: float, velocity: float = 2.0) -> None:
        """Switch `axis` on in velocity mode, and wait until it turns."""
        self.must("wmx/axis/set_on", index=[axis], data=[1])
        self.must("wmx/axis/set_mode", index=[axis], data=[1])
        self.move("wmx/axis/velocity", [axis], [velocity], [50.0], [dec])
        self.states.next(lambda s: s.velocity_cmd[axis] == velocity)

    def state(self) -> AxisState:
        """The next state of the axes, which is none of before now."""
        return self.states.next()

    def attached(self) -> None:
        """Wait until axes can be commanded: their states come a moment before."""
        self.eventually(
            lambda: self.call("wmx/params/get", index=[0]).success, "axes are commanded"
        )

    def at_rest(
        self, axis: int, position: float, tolerance: float = 1e-3, timeout: float = WAIT_TIMEOUT
    ) -> AxisState:
        """The first state to come in which `axis` has settled at `position`."""
        return self.states.next(
            lambda s: (
                s.motion_complete[axis]
                and s.velocity_cmd[axis] == 0.0
                and abs(s.actual_pos[axis] - position) < tolerance
            ),
            timeout,
        )

    def _spin(self) -> None:
        while not self._closed.is_set():
            self._executor.spin_once(timeout_sec=0.1)
