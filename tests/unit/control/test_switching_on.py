"""Servos are switched on at the gate: not by what was asked for before they were switched off."""

from collections.abc import Callable
from typing import Any

import pytest
from gate_requests import rests
from held_engine import HeldEngine
from held_node import HeldNode

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.values import EmergencyStop
from wmx_ros2_package.control.axis_file.records import StopCause
from wmx_ros2_package.control.disarming import disarm
from wmx_ros2_package.control.gate import StoppedSince


def stop_and_release(node: HeldNode) -> None:
    node.gate.emergency_stop(EmergencyStop.LEVEL1)
    node.gate.release_emergency_stop()


@pytest.fixture
def off(held: HeldEngine) -> HeldEngine:
    """An engine whose servos are off, which no client has switched."""
    for axis in 0, 1:
        held.motion.set_servo(axis, on=False)
    held.after(0.1)
    return held


def comes_on(node: HeldNode, asked_at: float) -> bool:
    """Whether the servo of axis 1 comes on by what was asked for then."""
    node.gate.switch_on(1, asked_at)
    return bool(node.after(1.0).servo_on[1])


@pytest.mark.parametrize(
    ("switch_off", "cause"),
    [
        (lambda other: other.gate.set_servo(1, on=False), StopCause.SERVO_OFF),
        (lambda other: disarm(other.driver, other.gate), StopCause.SERVO_OFF),
        (stop_and_release, StopCause.EMERGENCY_STOP),
    ],
)
def test_a_servo_stays_off_that_was_asked_for_before_it_was_switched_off(
    off: HeldEngine,
    node: HeldNode,
    other: HeldNode,
    switch_off: Callable[[HeldNode], object],
    cause: StopCause,
) -> None:
    """By whatever process, also where it was off already, and whatever came after that."""
    asked_at = node.now()
    node.after(0.1)
    switch_off(other)
    node.after(0.1)
    other.gate.stop([1])
    other.gate.set_polarity(1, -1)
    with pytest.raises(StoppedSince) as error:
        node.gate.switch_on(1, asked_at)
    assert (error.value.axis, error.value.cause) == (1, cause)
    assert not node.after(1.0).servo_on.any()
    assert comes_on(node, node.now()), "asked for after it"


@pytest.mark.parametrize(
    "change",
    [
        lambda other: other.gate.stop([1]),
        lambda other: other.gate.set_polarity(1, -1),
        lambda other: other.gate.set_servo(0, on=False),
    ],
)
def test_a_servo_comes_on_that_was_asked_for_before_a_stop_a_setting_or_another_axis(
    off: HeldEngine, node: HeldNode, other: HeldNode, change: Callable[[HeldNode], object]
) -> None:
    """Clients send settings and this one after the other, without waiting."""
    asked_at = node.now()
    node.after(0.1)
    change(other)
    assert comes_on(node, asked_at)


class Meets:
    """Motion whose switching on meets what another process does just before and after it."""

    def __init__(self, held: HeldEngine) -> None:
        self._motion = held.motion
        self.before: Callable[[], object] = list
        self.after: Callable[[], object] = list

    def __getattr__(self, name: str) -> Any:
        return getattr(self._motion, name)

    def set_servo(self, axis: int, *, on: bool) -> None:
        if on:
            self.before()
        self._motion.set_servo(axis, on=on)
        if on:
            self.after()


def test_what_is_switched_off_while_it_is_switched_on_stays_off(
    off: HeldEngine, nodes: Callable[..., HeldNode], other: HeldNode
) -> None:
    motion = Meets(off)
    node = nodes(off, "/mover", motion=motion)
    motion.before = lambda: other.gate.set_servo(1, on=False)
    with pytest.raises(StoppedSince):
        node.gate.switch_on(1, node.now())
    assert not node.after(1.0).servo_on[1]


@pytest.mark.parametrize("error", [EngineLost, CommandRefused])
def test_what_is_taken_and_not_answered_stays_off_where_it_is_switched_off_meanwhile(
    off: HeldEngine, nodes: Callable[..., HeldNode], other: HeldNode, error: type[WmxError]
) -> None:
    motion = Meets(off)
    node = nodes(off, "/mover", motion=motion)

    def disarm_then_lose_the_answer() -> None:
        disarm(other.driver, other.gate)
        off.motion.set_servo(1, on=True)
        raise error(ErrorCode.APIChannelTimeOut)

    motion.after = disarm_then_lose_the_answer
    with pytest.raises(StoppedSince):
        node.gate.switch_on(1, node.now())
    assert not node.after(1.0).servo_on[1]


def test_an_emergency_stop_after_it_was_switched_off_leaves_it_off(
    off: HeldEngine, nodes: Callable[..., HeldNode], other: HeldNode
) -> None:
    motion = Meets(off)
    node = nodes(off, "/mover", motion=motion)

    def both() -> None:
        other.gate.set_servo(1, on=False)
        node.after(0.1)
        stop_and_release(other)

    motion.before = both
    with pytest.raises(StoppedSince):
        node.gate.switch_on(1, node.now())
    assert not node.after(1.0).servo_on[1]


def test_an_emergency_stop_that_meets_it_slows_an_axis_down_that_was_on(
    held: HeldEngine, nodes: Callable[..., HeldNode], other: HeldNode
) -> None:
    motion = Meets(held)
    node = nodes(held, "/mover", motion=motion)
    motion.after = lambda: other.gate.emergency_stop(EmergencyStop.LEVEL1)
    node.gate.switch_on(1, node.now())
    assert rests(node).servo_on[1]
