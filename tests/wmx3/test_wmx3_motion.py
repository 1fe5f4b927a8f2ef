"""Orders to axes, as the SDK gets them: command objects, units, all or nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk
from recorder import Recorder

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import OperationState, PositionMove, TorqueMove, VelocityMove

FORWARD = PositionMove(axis=1, target=1.5, velocity=2.5, acc=3.5, dec=4.5)
BACK = PositionMove(axis=0, target=-7.0, velocity=0.25, acc=1.25, dec=8.0)
FAST = VelocityMove(axis=2, velocity=6.5, acc=3.5, dec=4.5)
REVERSE = VelocityMove(axis=3, velocity=-2.5, acc=1.5, dec=0.5)
HALT = VelocityMove(axis=1, velocity=0.0, acc=1.5, dec=0.5)
PUSH = TorqueMove(axis=0, torque=12.5)
PULL = TorqueMove(axis=3, torque=-30.0)

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


def test_alarms_of_the_amplifier_and_of_the_axis(vendor: CheckedSdk, driver: Driver) -> None:
    driver.motion.clear_alarm(3)
    assert vendor.calls == [("AxisControl.ClearAmpAlarm", 3), ("AxisControl.ClearAxisAlarm", 3)]


def test_an_alarm_of_the_amplifier_that_stays_keeps_none_of_the_axis(
    vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.refuse("AxisControl.ClearAmpAlarm", ErrorCode.ServoOffline)
    with pytest.raises(CommandRefused):
        driver.motion.clear_alarm(2)
    assert vendor.called("AxisControl.ClearAxisAlarm") == [[2]]


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
