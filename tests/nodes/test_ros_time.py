"""The stamp of a sample, where a busy machine comes between the readings of two clocks."""

import os
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node

from wmx_ros2_package.node_base import ros_time
from wmx_ros2_package.node_base.ros_time import READINGS, RosTime


@pytest.fixture
def node() -> Iterator[Node]:
    context = Context()
    rclpy.init(args=[], context=context, domain_id=int(os.environ["ROS_DOMAIN_ID"]))
    node = Node("stamper", context=context)
    yield node
    node.destroy_node()
    rclpy.shutdown(context=context)


def stamped(node: Node, monkeypatch: pytest.MonkeyPatch, *steady: float) -> float:
    """By how much (s) the stamp of the steady time 100 s differs from now, as the clock is read."""
    readings = iter(steady)
    clock = SimpleNamespace(monotonic=lambda: next(readings), time_ns=time.time_ns)
    monkeypatch.setattr(ros_time, "time", clock)
    stamp = RosTime(node).at(100.0)
    assert not list(readings)
    return (stamp - time.time_ns()) / 1e9


def test_clocks_that_are_read_at_once_are_read_once(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stamped(node, monkeypatch, 101.0, 101.0) == pytest.approx(-1.0, abs=0.5)
    assert stamped(node, monkeypatch, 90.0, 90.0) == pytest.approx(10.0, abs=0.5), "to come"


def test_clocks_between_which_something_came_are_read_again(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = 120.0, 130.0
    assert stamped(node, monkeypatch, *apart, 140.0, 140.0) == pytest.approx(-40.0, abs=0.5)
    assert stamped(node, monkeypatch, *apart * READINGS) == pytest.approx(-20.0, abs=0.5)
