"""Overrides of the velocity, and of what this device has not ordered."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine, position_move, velocity_move
from recorder import Recorder

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, EmergencyStop, OperationState


def running(recorder: Recorder, state: OperationState) -> None:
    recorder.status = {"op_state": np.full(4, state, np.int32), "target": np.full(4, 1.0)}


@pytest.mark.parametrize(
    ("order", "move", "state"),
    [
        ("move_absolute", position_move(1, velocity=2.5), OperationState.POS),
        ("move_relative", position_move(1, velocity=2.5), OperationState.POS),
        ("jog", velocity_move(1, -2.5), OperationState.JOG),
        ("jog", velocity_move(1, -2.5, run_time=2.0), OperationState.JOG),
        ("move_velocity", velocity_move(1, 2.5), OperationState.VELOCITY),
    ],
)
def test_the_velocity_is_that_of_the_last_order(
    vendor: CheckedSdk,
    driver: Driver,
    recorder: Recorder,
    order: str,
    move: Any,
    state: OperationState,
) -> None:
    getattr(driver.motion, order)([move])
    running(recorder, state)
    driver.motion.set_override(1, 40.0)
    ((command,),) = vendor.called("Motion.OverrideVel")
    assert (command.axis, command.profile.velocity) == (1, 0.4 * move.velocity)
    assert recorder.orders[-1] == ("set_override", 1, 40.0)


def test_a_position_move_is_paused_and_resumed_at_its_new_velocity(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    driver.motion.move_absolute([position_move(1)])
    running(recorder, OperationState.POS)
    vendor.calls.clear()
    driver.motion.set_override(1, 0.0)
    driver.motion.set_override(1, 50.0)
    driver.motion.set_override(1, 100.0)
    names = [name for name, *_ in vendor.calls if name != "CoreMotion.GetStatus"]
    assert names == ["Motion.Pause", *["Motion.OverrideVel", "Motion.Resume"], "Motion.OverrideVel"]
    assert recorder.orders[1:] == [
        ("set_override", 1, 0.0),
        ("set_override", 1, 50.0),
        ("set_override", 1, 100.0),
    ]


def test_a_move_that_somebody_else_has_resumed(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    driver.motion.move_absolute([position_move(1)])
    running(recorder, OperationState.POS)
    driver.motion.set_override(1, 0.0)
    other = vendor.sdk.WMX3Api()
    other.CreateDevice("", vendor.sdk.DeviceType.DeviceTypeNormal, 1)
    assert vendor.sdk.CoreMotion(other).motion.Resume(1) == 0
    driver.motion.set_override(1, 50.0)
    assert recorder.orders[-1] == ("set_override", 1, 50.0)


def test_a_move_that_cannot_be_resumed(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    driver.motion.move_absolute([position_move(1)])
    running(recorder, OperationState.POS)
    driver.motion.set_override(1, 0.0)

    vendor.refuse("Motion.Resume", 1568)
    with pytest.raises(CommandRefused, match="AxisAmpAlarm"):
        driver.motion.set_override(1, 50.0)
    vendor.restore("Motion.Resume")
    driver.motion.set_override(1, 60.0)
    assert recorder.orders[-1] == ("set_override", 1, 60.0)


def test_a_new_order_is_not_paused(vendor: CheckedSdk, driver: Driver, recorder: Recorder) -> None:
    driver.motion.move_absolute([position_move(1)])
    running(recorder, OperationState.POS)
    driver.motion.set_override(1, 0.0)
    driver.motion.move_absolute([position_move(1, velocity=3.0)])
    driver.motion.set_override(1, 50.0)
    assert vendor.called("Motion.Resume") == []
    ((command,),) = vendor.called("Motion.OverrideVel")
    assert command.profile.velocity == 1.5


@pytest.mark.parametrize("axis", [0, 1])
def test_what_a_refused_order_would_have_run_at_is_not_remembered(axis: int) -> None:
    held = HeldEngine(2).servo_on(1, mode=CommandMode.POSITION)
    driver = CheckedSdk(held.fake).attached()
    with pytest.raises(CommandRefused, match="ServoOff"):
        driver.motion.jog([velocity_move(1), velocity_move(0)])
    held.motion.jog([velocity_move(1)])
    with pytest.raises(CommandRefused):
        driver.motion.set_override(axis, 50.0)


# Whose move it is


@pytest.fixture
def other(over_held: CheckedSdk) -> Driver:
    """Another device on the engine of `owner`."""
    return over_held.attached()


@pytest.fixture
def owner(over_held: CheckedSdk) -> Driver:
    return over_held.attached()


def not_its_own(vendor: CheckedSdk, driver: Driver) -> None:
    with pytest.raises(CommandRefused, match="another device commanded the move") as refused:
        driver.motion.set_override(0, 50.0)
    assert refused.value.code == ErrorCode.NoSupportedFunction
    assert vendor.called("Motion.OverrideVel") == []


def test_the_move_of_another_device(
    held: HeldEngine, over_held: CheckedSdk, owner: Driver, other: Driver
) -> None:
    other.motion.move_absolute([position_move(0, 5.0)])
    held.after(0.1)
    not_its_own(over_held, owner)


def test_a_device_that_has_seen_its_move_end_knows_nothing_of_the_next(
    held: HeldEngine, over_held: CheckedSdk, owner: Driver, other: Driver
) -> None:
    owner.motion.move_relative([position_move(0, 0.1)])
    held.after(2.0)
    assert owner.motion.status().op_state[0] == OperationState.IDLE
    other.motion.move_relative([position_move(0, 5.0, velocity=0.5)])
    held.after(0.1)
    not_its_own(over_held, owner)


def test_a_device_that_has_not_looked_knows_another_target(
    held: HeldEngine, over_held: CheckedSdk, owner: Driver, other: Driver
) -> None:
    owner.motion.move_absolute([position_move(0, 0.1)])
    held.after(2.0)
    other.motion.move_absolute([position_move(0, 0.6, velocity=0.5)])
    held.after(0.1)
    not_its_own(over_held, owner)


def test_a_target_that_the_engine_rounds_is_its_own(
    held: HeldEngine, over_held: CheckedSdk, owner: Driver
) -> None:
    """As to the counts of an encoder."""

    def shown(status: Any) -> None:
        status.GetAxesStatus(0).profileTargetPos = 5.0004

    owner.motion.move_absolute([position_move(0, 5.0)])
    held.after(0.1)
    over_held.alter("CoreMotion.GetStatus", shown)
    owner.motion.set_override(0, 50.0)
    assert len(over_held.called("Motion.OverrideVel")) == 1


def test_another_device_jogs_what_this_one_moved(
    held: HeldEngine, over_held: CheckedSdk, owner: Driver, other: Driver
) -> None:
    owner.motion.move_relative([position_move(0, 5.0)])
    held.after(0.1)
    other.motion.jog([velocity_move(0)])
    held.after(0.1)
    not_its_own(over_held, owner)


ENDS: dict[str, Callable[[Driver], object]] = {
    "stop": lambda driver: driver.motion.stop([0]),
    "quick_stop": lambda driver: driver.motion.quick_stop([0]),
    "emergency_stop": lambda driver: (
        driver.motion.emergency_stop(EmergencyStop.LEVEL1),
        driver.motion.release_emergency_stop(),
    ),
    "servo": lambda driver: driver.motion.set_servo(0, on=False),
}


@pytest.mark.parametrize("name", ENDS)
def test_it_forgets_what_it_ends_itself(
    held: HeldEngine, over_held: CheckedSdk, owner: Driver, other: Driver, name: str
) -> None:
    owner.motion.jog([velocity_move(0)])
    held.after(0.1)
    ENDS[name](owner)
    held.after(2.0)
    held.servo_on()
    other.motion.jog([velocity_move(0, 0.5)])
    held.after(0.01)
    not_its_own(over_held, owner)


def test_it_remembers_what_the_status_shows_only_in_the_next_cycle(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    driver.motion.jog([velocity_move(1, 1.0)])
    assert driver.motion.status().op_state[1] == OperationState.IDLE
    running(recorder, OperationState.JOG)
    driver.motion.set_override(1, 50.0)
    ((command,),) = vendor.called("Motion.OverrideVel")
    assert command.profile.velocity == 0.5


def test_a_velocity_that_its_run_time_has_capped(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    """What the SDK was ordered is overridden: 0.1 s at 10 u/s^2 make 1 u/s of 2."""
    driver.motion.jog([velocity_move(1, 2.0, run_time=0.1)])
    ((given,),) = vendor.called("Motion.StartJog_TimedJog")
    assert given.profile.velocity == pytest.approx(1.0)
    running(recorder, OperationState.JOG)
    driver.motion.set_override(1, 50.0)
    ((command,),) = vendor.called("Motion.OverrideVel")
    assert command.profile.velocity == pytest.approx(0.5)
