"""A wmx_actuator_node in the process of the test, over a driver that the test has made."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rclpy
from actuator_client import Actuators
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from ros import READY_QOS, Client
from std_msgs.msg import Bool

from wmx_core.interface import Driver, Engine
from wmx_core.opening import BACKENDS
from wmx_ros2_package.node_base.managed_node import ManagedNode
from wmx_ros2_package.nodes.actuators import KIND
from wmx_ros2_package.testing import HeldClock


@contextmanager
def spun(node: Node) -> Iterator[None]:
    """Spin the node in a thread."""
    executor, ended = SingleThreadedExecutor(), threading.Event()
    executor.add_node(node)

    def spin() -> None:
        while not ended.is_set():
            executor.spin_once(timeout_sec=0.1)

    spinner = threading.Thread(target=spin)
    spinner.start()
    try:
        yield
    finally:
        ended.set()
        spinner.join()
        executor.shutdown()


class Communicating:
    """An engine that communicates as soon as a device is there, for no engine node is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def create_device(self, path: str, name: str) -> None:
        self._engine.create_device(path, name)
        self._engine.start_communication()


@contextmanager
def local_actuators(
    driver: Driver,
    clock: HeldClock,
    axes: Sequence[int],
    monkeypatch: pytest.MonkeyPatch,
    runtime: Path,
) -> Iterator[Actuators]:
    """A client of the node; the servos of `axes` are on, and no other node is there.

    All are on `clock`, and so has to be the driver.
    """
    engine: Any = Communicating(driver.engine)
    driver = replace(driver, engine=engine)
    monkeypatch.setitem(BACKENDS, "here", lambda _options: driver)
    monkeypatch.setenv("WMX_DRIVER", "here")
    monkeypatch.setenv("ROS_LOG_DIR", str(runtime / "log"))
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    node = ManagedNode("wmx_actuator_node", KIND, clock=clock)
    client = Client(int(os.environ["ROS_DOMAIN_ID"]), shared=True, clock=clock)
    try:
        ready = client.node.create_publisher(Bool, "wmx/engine/ready", READY_QOS)
        clock.create_timer(client.node, 0.5, lambda: ready.publish(Bool(data=True)))
        with spun(node):
            clock.run(node.configure)
            node.activate()
            attached: Any = client.listen_ready("wmx/actuator/ready")
            attached.first(0.0, lambda message: message.data)
            for axis in axes:
                driver.motion.set_servo(axis, on=True)
            chosen = list(axes)
            client.eventually(
                lambda: driver.motion.status().servo_on[chosen].all(), "servos are on"
            )
            yield Actuators(client)
            clock.run(node.close)
    finally:
        clock.run(client.close)
        clock.end_timers()
        clock.run(node.destroy_node)  # the thread of the log may sleep
        rclpy.shutdown()
