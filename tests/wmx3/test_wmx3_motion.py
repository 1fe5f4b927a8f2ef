"""Orders to axes, as the SDK gets them: command objects, units, all or nothing."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, Refused, open_wmx3_over
from held_engine import HeldEngine
from recorder import Recorder

from wmx_core.errors import (
    CommandRefused,
    ErrorCode,
)
from wmx_core.interface import Driver
from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    LinearMove,
    OperationState,
    PositionMove,
    TorqueMove,
    VelocityMove,
)

FORWARD = PositionMove(axis=1, target=1.5, velocity=2.5, acc=3.5, dec=4.5)
BACK = PositionMove(axis=0, target=-7.0, velocity=0.25, acc=1.25, dec=8.0)
FAST = VelocityMove(axis=2, velocity=6.5, acc=3.5, dec=4.5)
REVERSE = VelocityMove(axis=3, velocity=-2.5, acc=1.5, dec=0.5)
HALT = VelocityMove(axis=1, velocity=0.0, acc=1.5, dec=0.5)
PUSH = TorqueMove(axis=0, torque=12.5)
PULL = TorqueMove(axis=3, torque=-30.0)
LINE = LinearMove(axes=(3, 1), targets=(1.5, -2.5), velocity=3.5, acc=4.5, dec=5.5)

STARTS = {
    "move_absolute": ("Motion.StartPos", [FORWARD, BACK]),
    "move_relative": ("Motion.StartMov", [FORWARD, BACK]),
    "jog": ("Motion.StartJog", [FAST, REVERSE, HALT]),
    "move_velocity": ("Velocity.StartVel", [FAST, REVERSE, HALT]),
    "move_torque": ("Torque.StartTrq", [PUSH, PULL]),
}


@pytest.mark.parametrize("order", STARTS)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_moves_that_start_together(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder, order: str, count: int
) -> None:
    function, moves = STARTS[order]
    getattr(driver.motion, order)(moves[:count])
    assert recorder.orders == ([(order, moves[:count])] if count else [])
    assert [len(args) for args in vendor.called(function)] == ([] if not count else [count])


@pytest.mark.parametrize("order", STARTS)
def test_every_axis_of_a_large_machine(order: str) -> None:
    recorder = Recorder(128)
    driver = CheckedSdk(recorder).attached()
    moves = [replace(STARTS[order][1][0], axis=axis) for axis in range(128)]
    getattr(driver.motion, order)(moves)
    assert recorder.orders == [(order, moves)]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (lambda m: m.set_servo(2, on=True), ("set_servo", 2, True)),
        (lambda m: m.set_servo(2, on=False), ("set_servo", 2, False)),
        (lambda m: m.clear_alarm(1), ("clear_alarm", 1)),
        (lambda m: m.set_polarity(3, -1), ("set_polarity", 3, -1)),
        (lambda m: m.set_gear_ratio(3, 8388608, 6), ("set_gear_ratio", 3, 8388608.0, 6.0)),
        (lambda m: m.move_linear(LINE), ("move_linear", LINE)),
        (lambda m: m.home(2), ("home", 2)),
        (lambda m: m.release_emergency_stop(), ("release_emergency_stop",)),
    ],
)
def test_single_orders(
    driver: Driver, recorder: Recorder, order: Callable[[Any], None], expected: tuple[Any, ...]
) -> None:
    order(driver.motion)
    assert recorder.orders == [expected]


@pytest.mark.parametrize("axis", [4, -1, 2**40])
@pytest.mark.parametrize(
    "order",
    [
        lambda m, axis: m.set_servo(axis, on=True),
        lambda m, axis: m.set_servo(axis, on=False),
        lambda m, axis: m.clear_alarm(axis),
        lambda m, axis: m.set_command_mode(axis, CommandMode.VELOCITY),
        lambda m, axis: m.set_polarity(axis, -1),
        lambda m, axis: m.set_gear_ratio(axis, 2.0, 1.0),
        lambda m, axis: m.home(axis),
    ],
)
def test_single_orders_to_an_axis_that_is_none(
    vendor: CheckedSdk, driver: Driver, order: Callable[[Any, int], None], axis: int
) -> None:
    with pytest.raises(CommandRefused, match=f"axis {axis} must be 0 to 3") as refused:
        order(driver.motion, axis)
    assert refused.value.code == ErrorCode.AxisOutOfRange
    assert vendor.calls == []


@pytest.mark.parametrize("mode", CommandMode)
def test_command_modes(driver: Driver, recorder: Recorder, mode: CommandMode) -> None:
    driver.motion.set_command_mode(1, mode)
    assert recorder.orders == [("set_command_mode", 1, mode)]


@pytest.mark.parametrize("level", EmergencyStop)
def test_emergency_stops(driver: Driver, recorder: Recorder, level: EmergencyStop) -> None:
    driver.motion.emergency_stop(level)
    assert recorder.orders == [("emergency_stop", level)]


def test_alarms_of_the_amplifier_and_of_the_axis(vendor: CheckedSdk, driver: Driver) -> None:
    driver.motion.clear_alarm(3)
    assert vendor.calls == [("AxisControl.ClearAmpAlarm", 3), ("AxisControl.ClearAxisAlarm", 3)]


def test_an_alarm_of_the_amplifier_that_stays_keeps_none_of_the_axis(
    vendor: CheckedSdk, driver: Driver
) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(ErrorCode.ServoOffline)

    vendor.play("AxisControl.ClearAmpAlarm", refuse)
    with pytest.raises(CommandRefused):
        driver.motion.clear_alarm(2)
    assert vendor.called("AxisControl.ClearAxisAlarm") == [[2]]


def test_real_motion_through_the_sdk() -> None:
    held = HeldEngine(2).servo_on()
    driver = open_wmx3_over(held.fake)
    driver.engine.create_device("", "test")
    driver.motion.move_absolute([replace(FORWARD, axis=0), replace(FORWARD, axis=1, target=-3.0)])
    held.after(10.0)
    assert driver.motion.status().pos_cmd.tolist() == [1.5, -3.0]
    driver.motion.move_relative([replace(FORWARD, axis=1)])
    held.after(0.1)
    driver.motion.stop([0, 1])
    held.after(10.0)
    status = driver.motion.status()
    assert status.op_state.tolist() == [OperationState.IDLE] * 2
    assert -3.0 < status.pos_cmd[1] < -2.8


# Judged before anything is given

BAD_PROFILES = [
    ("velocity", nan, ErrorCode.VelocityArgumentOutOfRange),
    ("velocity", inf, ErrorCode.VelocityArgumentOutOfRange),
    ("acc", nan, ErrorCode.AccArgumentOutOfRange),
    ("acc", 0.0, ErrorCode.AccArgumentOutOfRange),
    ("dec", -1.0, ErrorCode.DecArgumentOutOfRange),
    ("dec", inf, ErrorCode.DecArgumentOutOfRange),
]
BAD_POSITION_MOVES = [
    *BAD_PROFILES,
    ("velocity", 0.0, ErrorCode.VelocityArgumentOutOfRange),
    ("velocity", -2.0, ErrorCode.VelocityArgumentOutOfRange),
    ("target", nan, ErrorCode.PositionArgumentOutOfRange),
    ("target", -inf, ErrorCode.PositionArgumentOutOfRange),
]
BAD_AXES = [
    ("axis", 4, ErrorCode.AxisOutOfRange),
    ("axis", -1, ErrorCode.AxisOutOfRange),
    ("axis", 2**40, ErrorCode.AxisOutOfRange),
]
BAD_TORQUES = [
    ("torque", nan, ErrorCode.TorqueArgumentOutOfRange),
    ("torque", inf, ErrorCode.TorqueArgumentOutOfRange),
]
BAD = [
    (order, wrong)
    for order, wrongs in {
        "move_absolute": BAD_POSITION_MOVES,
        "move_relative": BAD_POSITION_MOVES,
        "jog": BAD_PROFILES,
        "move_velocity": BAD_PROFILES,
        "move_torque": BAD_TORQUES,
    }.items()
    for wrong in (*wrongs, *BAD_AXES)
]


@pytest.mark.parametrize(("order", "wrong"), BAD)
def test_one_bad_move_and_none_starts(
    vendor: CheckedSdk, driver: Driver, order: str, wrong: tuple[str, float, ErrorCode]
) -> None:
    field, value, code = wrong
    good, bad, *_ = STARTS[order][1]
    with pytest.raises(CommandRefused) as refused:
        getattr(driver.motion, order)([good, replace(bad, **{field: value})])
    assert refused.value.code == code
    assert f"{field} {value}" in refused.value.detail
    assert vendor.calls == []


@pytest.mark.parametrize("order", STARTS)
def test_an_axis_twice(vendor: CheckedSdk, driver: Driver, order: str) -> None:
    good, other, *_ = STARTS[order][1]
    with pytest.raises(CommandRefused) as refused:
        getattr(driver.motion, order)([good, other, good])
    assert refused.value.code == ErrorCode.DuplicateAxis
    assert vendor.calls == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"axes": (0, 4)}, ErrorCode.AxisOutOfRange),
        ({"axes": (1, 1)}, ErrorCode.DuplicateAxis),
        ({"axes": (0, 1, 2)}, ErrorCode.AxisCountOutOfRange),
        ({"targets": (0.0, nan)}, ErrorCode.PositionArgumentOutOfRange),
        ({"velocity": 0.0}, ErrorCode.VelocityArgumentOutOfRange),
        ({"acc": -1.0}, ErrorCode.AccArgumentOutOfRange),
        ({"dec": nan}, ErrorCode.DecArgumentOutOfRange),
    ],
)
def test_a_bad_line(
    vendor: CheckedSdk, driver: Driver, changes: dict[str, Any], code: ErrorCode
) -> None:
    with pytest.raises(CommandRefused) as refused:
        driver.motion.move_linear(replace(LINE, **changes))
    assert refused.value.code == code
    assert vendor.calls == []


# Settings, only at rest


@pytest.mark.parametrize(
    "order", [lambda m: m.set_polarity(1, -1), lambda m: m.set_gear_ratio(1, 2.0, 1.0)]
)
def test_settings_of_an_axis_that_moves(
    driver: Driver, recorder: Recorder, order: Callable[[Any], None]
) -> None:
    recorder.status = {"op_state": np.array([0, OperationState.JOG, 0, 0], np.int32)}
    with pytest.raises(CommandRefused) as refused:
        order(driver.motion)
    assert refused.value.code == ErrorCode.NotIdleState
    assert refused.value.detail == "axis 1 is not idle"
    recorder.status["op_state"] = np.array([OperationState.JOG, 0, 1, 1], np.int32)
    order(driver.motion)
    assert len(recorder.orders) == 1
