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
from held_time import held_time
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from ros import READY_QOS, Client, eventually
from std_msgs.msg import Bool

from wmx_core.interface import Driver, Engine
from wmx_core.opening import BACKENDS
from wmx_ros2_package.node_base.managed_node import ManagedNode
from wmx_ros2_package.nodes.actuators import KIND


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
    driver: Driver, axes: Sequence[int], monkeypatch: pytest.MonkeyPatch, runtime: Path
) -> Iterator[Actuators]:
    """A client of the node; the servos of `axes` are on, and no other node is there."""
    engine: Any = Communicating(driver.engine)
    driver = replace(driver, engine=engine)
    monkeypatch.setitem(BACKENDS, "here", lambda _options: driver)
    monkeypatch.setenv("WMX_DRIVER", "here")
    monkeypatch.setenv("ROS_LOG_DIR", str(runtime / "log"))
    with held_time() as time:
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        node = ManagedNode("wmx_actuator_node", KIND, clock=time)
        client = Client(int(os.environ["ROS_DOMAIN_ID"]), shared=True)
        try:
            ready = client.node.create_publisher(Bool, "wmx/engine/ready", READY_QOS)
            time.create_timer(client.node, 0.5, lambda: ready.publish(Bool(data=True)))
            with spun(node):
                time.run(node.configure)
                node.activate()
                attached: Any = client.listen_ready("wmx/actuator/ready")
                attached.first(0.0, lambda message: message.data)
                for axis in axes:
                    driver.motion.set_servo(axis, on=True)
                chosen = list(axes)
                eventually(lambda: driver.motion.status().servo_on[chosen].all(), "servos are on")
                yield Actuators(client)
                time.run(node.close)
        finally:
            time.run(client.close)
            time.end_timers()
            time.run(node.destroy_node)  # the thread of the log may sleep
            rclpy.shutdown()
