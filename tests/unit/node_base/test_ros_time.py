"""The stamp of a sample, where a busy machine comes between the readings of two clocks."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.node_base.ros_time import READINGS, RosTime


def stamped(*steady: float) -> float:
    """By how much (s) the stamp of the steady time 100 s differs from now, as the clock is read."""
    readings = iter(steady)
    clock: Any = SimpleNamespace(now=lambda: next(readings), time_ns=time.time_ns)
    node: Any = SimpleNamespace(get_parameter=lambda _: SimpleNamespace(value=False))
    stamp = RosTime(node, clock).at(100.0)
    assert not list(readings)
    return (stamp - time.time_ns()) / 1e9


def test_clocks_that_are_read_at_once_are_read_once() -> None:
    assert stamped(101.0, 101.0) == pytest.approx(-1.0, abs=0.5)
    assert stamped(90.0, 90.0) == pytest.approx(10.0, abs=0.5), "to come"


def test_clocks_between_which_something_came_are_read_again() -> None:
    apart = 120.0, 130.0
    assert stamped(*apart, 140.0, 140.0) == pytest.approx(-40.0, abs=0.5)
    assert stamped(*apart * READINGS) == pytest.approx(-20.0, abs=0.5)
