"""Axes that follow others, where the SDK refuses what the backend asks of it."""

from collections.abc import Sequence
from typing import Any

import pytest
from checked_sdk import CheckedSdk, Refused
from held_engine import HeldEngine, velocity_move

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import Gearing, OperationState

MASTER, SLAVE, THIRD = 0, 1, 2


@pytest.fixture
def held() -> HeldEngine:
    return HeldEngine(3, vendor_rules=True).servo_on()


@pytest.fixture
def vendor(over_held: CheckedSdk) -> CheckedSdk:
    return over_held


def gear(*slaves: int) -> list[Gearing]:
    return [Gearing(slave=slave, master=MASTER, ratio=1.0) for slave in slaves]


def second_refused(vendor: CheckedSdk, *args: Any) -> Sequence[Any]:
    if args[1] == THIRD:
        raise Refused(ErrorCode.ServoOff)
    return vendor.real("Sync.SetSyncGearRatio", *args)


def test_a_slave_is_stopped_that_the_status_does_not_show_yet(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    before = vendor.real("CoreMotion.GetStatus")
    driver.motion.start_gearing(gear(SLAVE))

    def late(vendor: CheckedSdk) -> Sequence[Any]:
        vendor.restore("CoreMotion.GetStatus")
        return before

    vendor.play("CoreMotion.GetStatus", late)
    driver.motion.stop([SLAVE])
    assert held.after(0.5).op_state[SLAVE] == OperationState.IDLE


def test_a_slave_is_stopped_that_no_status_shows(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.start_gearing(gear(SLAVE))
    vendor.refuse("CoreMotion.GetStatus", ErrorCode.WaitTimeout)
    driver.motion.stop([SLAVE])
    assert held.after(0.5).op_state[SLAVE] == OperationState.IDLE


def test_other_axes_are_stopped_before_gears_are_left(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.start_gearing(gear(SLAVE))
    driver.motion.jog([velocity_move(THIRD)])
    held.after(0.5)
    vendor.calls.clear()

    vendor.refuse("Config.GetMotionParam", ErrorCode.DeviceIsNull)
    with pytest.raises(EngineLost):
        driver.motion.stop([SLAVE, THIRD])
    assert vendor.calls[1][0] == "Motion.Stop_AxisSel"
    assert held.after(2.0).op_state[THIRD] == OperationState.IDLE


def test_a_slave_that_cannot_jog_is_released(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.start_gearing(gear(SLAVE))
    vendor.refuse("Sync.SyncToJog", ErrorCode.ProfileArgumentOutOfRange)
    driver.motion.stop([SLAVE])
    assert held.after(0.5).op_state[SLAVE] == OperationState.IDLE


def test_a_slave_that_moves_on_when_it_is_released_is_stopped(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    def moves_on(vendor: CheckedSdk, *args: Any) -> Sequence[Any]:
        answer = vendor.real("Sync.ResolveSync", *args)
        held.after(1.0)  # the simulated one stops
        held.motion.jog([velocity_move(SLAVE)])
        return answer

    driver.motion.start_gearing(gear(SLAVE))
    driver.motion.jog([velocity_move(MASTER)])
    held.after(0.5)
    vendor.refuse("Sync.SyncToJog", ErrorCode.ProfileArgumentOutOfRange)
    vendor.play("Sync.ResolveSync", moves_on)
    driver.motion.stop([SLAVE])
    status = held.after(2.0)
    assert status.op_state[[MASTER, SLAVE]].tolist() == [OperationState.JOG, OperationState.IDLE]


def test_a_stop_that_is_refused_in_every_way_is_raised(vendor: CheckedSdk, driver: Driver) -> None:
    driver.motion.start_gearing(gear(SLAVE))
    vendor.refuse("Sync.SyncToJog", ErrorCode.ProfileArgumentOutOfRange)
    vendor.refuse("Sync.ResolveSync", ErrorCode.NoSupportedFunction)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([SLAVE])
    assert refused.value.code == ErrorCode.ProfileArgumentOutOfRange


def test_of_several_slaves_all_follow_or_none(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.play("Sync.SetSyncGearRatio", second_refused)
    with pytest.raises(CommandRefused, match=f"axis {THIRD}"):
        driver.motion.start_gearing(gear(SLAVE, THIRD))
    assert (held.after(0.1).op_state == OperationState.IDLE).all()


def test_a_slave_that_is_only_released_a_cycle_later_follows_no_longer(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    def not_yet(vendor: CheckedSdk, *_args: Any) -> Sequence[Any]:
        vendor.restore("Sync.SyncToJog")
        vendor.restore("Sync.ResolveSync")
        raise Refused(ErrorCode.NotSyncSlave)

    vendor.play("Sync.SetSyncGearRatio", second_refused)
    vendor.refuse("Sync.SyncToJog", ErrorCode.NotSyncSlave)
    vendor.play("Sync.ResolveSync", not_yet)
    with pytest.raises(CommandRefused, match=f"axis {THIRD}"):
        driver.motion.start_gearing(gear(SLAVE, THIRD))
    assert (held.after(0.1).op_state == OperationState.IDLE).all()


def test_slaves_that_cannot_be_released_are_named(vendor: CheckedSdk, driver: Driver) -> None:
    vendor.play("Sync.SetSyncGearRatio", second_refused)
    vendor.refuse("Sync.SyncToJog", ErrorCode.NoSupportedFunction)
    vendor.refuse("Sync.ResolveSync", ErrorCode.NoSupportedFunction)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.start_gearing(gear(SLAVE, THIRD))
    assert refused.value.code == ErrorCode.ServoOff
    assert f"axes [{SLAVE}] have begun and could not be stopped" in refused.value.detail
