"""The table of what can be wrong with an axis, read from samples of an engine."""

from dataclasses import replace

import pytest
from held_engine import HeldEngine, position_move, velocity_move

from wmx_core.values import EmergencyStop, MotionStatus, OperationState
from wmx_ros2_package.control.conditions import (
    AMP_ALARM,
    CONDITIONS,
    FOLLOWING_ERROR,
    LIMITS,
    OFFLINE,
    SERVO_OFF,
    Condition,
    Level,
    axis_name,
    blocked,
    changes,
    conditions_of,
    differs,
    does,
    off_path,
)
from wmx_ros2_package.control.request import EndReason


def with_flag(status: MotionStatus, condition: Condition, axis: int) -> MotionStatus:
    """`status` with a condition on one axis."""
    flags = getattr(status, condition.flag).copy()
    flags[axis] = condition.when
    return replace(status, **{condition.flag: flags})


def test_an_axis_that_can_move_has_none(held: HeldEngine) -> None:
    assert [*conditions_of(held.status(), 0)] == []
    assert blocked(held.status(), (0, 1)) == ""


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: c.name)
def test_each_is_that_of_its_axis_alone(held: HeldEngine, condition: Condition) -> None:
    status = with_flag(held.status(), condition, 1)
    assert [*conditions_of(status, 1)] == [condition]
    assert [*conditions_of(status, 0)] == []
    assert condition.axes(status).tolist() == [False, True]
    assert (condition.holds(status, 0), condition.holds(status, 1)) == (False, True)
    text = blocked(status, (0, 1), ("a", "b"))
    assert bool(text) is bool(condition.refusal)
    assert not text or text.startswith(f"b (axis 1): {condition.words}")
    assert blocked(status, (0,)) == ""
    assert blocked(status, (0, 1)).startswith("axis 1: ") is bool(condition.refusal)


def test_what_blocks_what_is_broken_and_how_serious_it_is() -> None:
    blocking = {OFFLINE, AMP_ALARM, FOLLOWING_ERROR, SERVO_OFF}
    broken = {OFFLINE, AMP_ALARM, FOLLOWING_ERROR}
    assert {condition for condition in CONDITIONS if condition.refusal} == blocking
    assert {condition for condition in CONDITIONS if condition.hardware} == broken
    assert {condition for condition in CONDITIONS if condition.level is Level.ERROR} == broken
    assert {condition for condition in CONDITIONS if condition.level is Level.WARN} == {*LIMITS}
    assert {condition.reason for condition in LIMITS} == {EndReason.LIMIT}
    assert len({condition.name for condition in CONDITIONS}) == len(CONDITIONS) == 8


def test_several_come_gravest_first(held: HeldEngine) -> None:
    status = held.status()
    for condition in reversed(CONDITIONS):
        status = with_flag(status, condition, 0)
    assert [*conditions_of(status, 0)] == [*CONDITIONS]


def test_an_alarm_is_described_with_its_code(held: HeldEngine) -> None:
    held.raise_alarm(1, 0x2310)
    status = held.after(0.1)
    assert AMP_ALARM.code(status, 1) == 0x2310
    assert SERVO_OFF.code(status, 1) == 0
    assert "0x2310" in AMP_ALARM.describe(status, 1)
    assert "0x2310" in blocked(status, (0, 1))


def test_a_limit_is_described_with_its_place(held: HeldEngine) -> None:
    held.motion.move_absolute([position_move(0, 0.25)])
    status = held.after(10.0)
    assert LIMITS[0].describe(status, 0).endswith("at 0.25 u")
    assert SERVO_OFF.describe(status, 0) == "servo off"


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_blocks_every_axis(held: HeldEngine, level: EmergencyStop) -> None:
    held.motion.emergency_stop(level)
    assert level.name.lower() in blocked(held.after(0.1), (0,))


def test_what_an_axis_does(held: HeldEngine) -> None:
    assert does(held.status(), 0) == "rests"
    held.motion.jog([velocity_move(1)])
    status = held.after(0.1)
    assert does(status, 1) == "jogs"
    states = status.op_state.copy()
    words = set()
    for state in OperationState:
        states[0] = state
        words.add(does(replace(status, op_state=states), 0))
    assert len(words) == len(OperationState)
    states[0] = -1
    assert does(replace(status, op_state=states), 0) == "is in state -1"


@pytest.mark.parametrize("limit", LIMITS[:2], ids=lambda limit: limit.name)
def test_the_limit_switch_that_keeps_an_axis_from_its_path_is_named(
    held: HeldEngine, limit: Condition
) -> None:
    side = "positive" if limit.direction > 0 else "negative"
    status = with_flag(held.status(), limit, 1)
    assert off_path(status, (0, 1), ("a", "b")) == f"b (axis 1) is at its {side} limit switch"


def test_the_name_of_an_axis() -> None:
    assert axis_name(7, ("a", "b"), 1) == "b (axis 7)"
    assert axis_name(7, ("a", "b"), 2) == "axis 7"
    assert axis_name(7, (), 0) == "axis 7"


def test_a_following_error_has_its_size_and_an_old_one_is_no_error_of_zero(
    held: HeldEngine,
) -> None:
    status = with_flag(held.status(), FOLLOWING_ERROR, 1)
    assert blocked(status, (1,)) == (
        "axis 1: following error too large (now 0 u): the alarm stands until `wmx clear`"
    )
    late = replace(status, following_error=status.following_error + 1.5)
    assert "(now 1.5 u)" in blocked(late, (1,))
    held.motion.move_absolute([position_move(1)])
    moving = with_flag(held.after(0.2), FOLLOWING_ERROR, 1)
    assert blocked(moving, (1,)).endswith(f"({moving.following_error[1]:.6g} u)")


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: c.name)
def test_what_comes_and_goes_is_a_change(held: HeldEngine, condition: Condition) -> None:
    good = held.status()
    bad = with_flag(good, condition, 1)
    again = with_flag(held.after(1.0), condition, 1)
    assert [*changes(good, bad)] == [(condition, 1, True)]
    assert [*changes(bad, good)] == [(condition, 1, False)]
    assert [*changes(bad, again)] == []
    assert (differs(good, bad), differs(bad, good), differs(bad, again)) == (True, True, False)


def test_at_first_and_of_another_engine_everything_has_come(held: HeldEngine) -> None:
    bad = with_flag(held.status(), AMP_ALARM, 1)
    other = HeldEngine(3).servo_on().status()
    assert [*changes(None, bad)] == [(AMP_ALARM, 1, True)]
    assert [*changes(other, bad)] == [(AMP_ALARM, 1, True)]
    assert [*changes(bad, other)] == []
    assert differs(other, bad)


def test_an_emergency_stop_is_a_difference(held: HeldEngine) -> None:
    before = held.status()
    assert not differs(before, held.after(1.0))
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    after = held.after(0.1)
    assert differs(before, after)
    assert differs(after, before)
