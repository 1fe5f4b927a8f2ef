"""Calls that the SDK carries out and does not answer in time: what is answered is what happened."""

from contextlib import nullcontext
from typing import Any

import pytest
from checked_sdk import CheckedSdk, Refused, changed
from held_engine import COUNTS, HeldEngine, position_move
from not_answered import not_answered

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, EmergencyStop, HomeType, TorqueMove

SERVO = "AxisControl.SetServoOn"


def refuse_servos(vendor: CheckedSdk) -> None:
    vendor.refuse(SERVO, 1557)


def test_a_servo_that_may_come_on_is_switched_off_again(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.play(SERVO, not_answered(SERVO))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_servo(2, on=True)
    assert refused.value.name == "APIChannelTimeOut"
    assert refused.value.detail.endswith("; the servo of axis 2 was switched off again")
    assert vendor.called(SERVO) == [[2, 1], [2, 0]]
    assert not held.after(1.0).servo_on[2]


def test_a_servo_that_is_on_already_stays_on(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.play(SERVO, not_answered(SERVO))
    with pytest.raises(CommandRefused, match="APIChannelTimeOut"):
        driver.motion.set_servo(0, on=True)
    assert vendor.called(SERVO) == [[0, 1]]
    assert held.after(1.0).servo_on[0]


def test_a_servo_is_switched_off_once_more(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.play(SERVO, not_answered(SERVO))
    driver.motion.set_servo(0, on=False)
    assert vendor.called(SERVO) == [[0, 0], [0, 0]]
    assert not held.after(1.0).servo_on[0]


@pytest.mark.parametrize("on", [True, False])
def test_a_servo_that_cannot_be_switched_off_is_named(
    vendor: CheckedSdk, driver: Driver, on: bool
) -> None:
    vendor.play(SERVO, not_answered(SERVO, refuse_servos))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_servo(2, on=on)
    assert refused.value.name == "APIChannelTimeOut"
    rest = "the servo of axis 2 may be on, and was not switched off: Error=1557"
    assert rest in refused.value.detail


def test_a_servo_that_is_refused_is_asked_for_once(vendor: CheckedSdk, driver: Driver) -> None:
    vendor.refuse(SERVO, 1557)
    for on in True, False:
        with pytest.raises(CommandRefused, match="Error=1557"):
            driver.motion.set_servo(2, on=on)
    assert vendor.called(SERVO) == [[2, 1], [2, 0]]


@pytest.mark.parametrize("is_home", [False, True])
def test_the_home_of_a_position_that_is_put_back_is_as_it_was(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, is_home: bool
) -> None:
    """Else a position that was lost with the engine would count as known."""
    if is_home:
        driver.motion.set_position(0, 2.0)
    vendor.calls.clear()
    done = "Home.SetHomeDone"

    def taken(vendor: CheckedSdk, _axis: int, value: int) -> None:
        if value:
            raise Refused(vendor.code("APIChannelTimeOut"))

    vendor.play(done, taken)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_position(0, 5.0)
    assert "put back" not in refused.value.detail
    assert vendor.called(done) == ([[0, 1]] if is_home else [[0, 1], [0, 0]])
    assert held.status().pos_cmd[0] == (2.0 if is_home else 0.0)


def test_a_home_that_is_not_put_back_is_named(vendor: CheckedSdk, driver: Driver) -> None:
    """And so is the position, which is left as it is then."""
    done = "Home.SetHomeDone"
    vendor.play(done, not_answered(done, lambda vendor: vendor.refuse(done, 1557)))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_position(0, 5.0)
    assert refused.value.name == "APIChannelTimeOut"
    left = "axis 0 is at position 5.0 now; the home of axis 0 may be done now"
    assert f"{left}, and was not put back: Error=1557" in refused.value.detail


HOME = "Home.StartHome"


def test_homing_that_is_over_at_once_is_answered_as_done(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """Its positions are other places now."""
    for position in 7.0, 5.0:
        driver.motion.set_position(0, position)
        vendor.play(HOME, not_answered(HOME))
        driver.motion.home(0)
        status = held.status()
        assert (status.pos_cmd[0], status.home_done[0]) == (0.0, True)


@pytest.mark.parametrize(("is_home", "moves"), [(True, False), (False, False), (True, True)])
def test_homing_of_which_no_status_shows_anything_is_refused(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, is_home: bool, moves: bool
) -> None:
    """Also where a move comes to its end meanwhile."""
    if is_home:
        driver.motion.set_position(0, 0.0)
    if moves:
        driver.motion.move_absolute([position_move(0, 0.1)])

    def lost(vendor: CheckedSdk, _axis: int) -> None:
        held.after(2.0)
        raise Refused(vendor.code("APIChannelTimeOut"))

    vendor.play(HOME, lost)
    with pytest.raises(CommandRefused, match="APIChannelTimeOut"):
        driver.motion.home(0)


@pytest.mark.parametrize("shown", [True, False])
def test_homing_that_goes_on_is_stopped(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, shown: bool
) -> None:
    """Also where no status shows it."""
    held.apply(home_type=HomeType.Z_PULSE, homing_velocity_fast=1.0, homing_velocity_slow=1.0)
    reads = 0

    def read(vendor: CheckedSdk) -> tuple[Any, ...]:
        nonlocal reads
        reads += 1
        if reads > 2 and not shown:  # by which the engine is known to count cycles
            raise Refused(ErrorCode.WaitTimeout)
        return vendor.real("CoreMotion.GetStatus")

    vendor.play(HOME, not_answered(HOME, lambda vendor: vendor.play("CoreMotion.GetStatus", read)))
    with pytest.raises(CommandRefused, match=r"APIChannelTimeOut.*were stopped"):
        driver.motion.home(0)
    assert not held.after(2.0).busy.size


# Motions of several axes

TORQUE, MOVE = "Torque.StartTrq", "Motion.StartPos"


def test_torques_that_take_over_from_torques_are_stopped(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """No status shows them: the axes are in the same state as before."""
    held.servo_on(0, 1, mode=CommandMode.TORQUE)
    driver.motion.move_torque([TorqueMove(axis=axis, torque=8.0) for axis in (0, 1)])
    held.after(0.1)
    vendor.play(TORQUE, not_answered(TORQUE))
    with pytest.raises(CommandRefused, match=r"axes \[0, 1\] may have begun all the same"):
        driver.motion.move_torque([TorqueMove(axis=axis, torque=50.0) for axis in (0, 1)])
    status = held.after(1.0)
    assert not status.busy.size
    assert status.actual_torque[:2] == pytest.approx([0.0, 0.0], abs=0.1)


def test_moves_to_where_the_axes_are_on_their_way_to_are_stopped(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """They may be faster than those before."""
    for axis in (0, 1):
        driver.motion.move_absolute([position_move(axis, 50.0)])
    held.after(0.5)
    vendor.play(MOVE, not_answered(MOVE))
    with pytest.raises(CommandRefused, match=r"axes \[0, 1\] may have begun all the same"):
        driver.motion.move_absolute([position_move(axis, 50.0, velocity=9.0) for axis in (0, 1)])
    assert not held.after(3.0).busy.size


# Emergency stops


STOP = "CoreMotion.ExecEStop"


@pytest.mark.parametrize("times", [1, 2])
def test_an_emergency_stop_is_given_once_more(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, times: int
) -> None:
    """It was answered as refused, and axes in torque mode were not held.

    One that is not answered then, either, is judged by the status.
    """
    driver.motion.move_absolute([position_move(0, 50.0)])
    held.after(0.5)
    vendor.play(STOP, not_answered(STOP, times=times))
    driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    status = held.after(1.0)
    assert status.emergency_stop is EmergencyStop.LEVEL1
    assert not status.busy.size


def test_an_emergency_stop_of_which_the_status_shows_nothing_is_refused(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.refuse(STOP, vendor.code("APIChannelTimeOut"))
    with pytest.raises(CommandRefused, match="APIChannelTimeOut"):
        driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert held.status().emergency_stop is None


def test_an_emergency_stop_of_an_engine_that_seems_lost_is_given_once_more(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts no cycles for a moment, and has not taken the first one."""
    count = vendor.runtime.count_cycles()

    def stand_still(vendor: CheckedSdk, _level: int) -> None:
        vendor.restore(STOP)
        monkeypatch.setattr(vendor.runtime, "count_cycles", lambda: count)
        raise Refused(vendor.code("APIChannelTimeOut"))

    vendor.play(STOP, stand_still)
    driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert held.status().emergency_stop is EmergencyStop.LEVEL1


RELEASE = "CoreMotion.ReleaseEStop"


@pytest.mark.parametrize("taken", [True, False])
def test_the_release_of_an_emergency_stop_is_judged_by_the_status(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, taken: bool
) -> None:
    """It is not asked for once more, which could release a stop that is newer."""
    driver.motion.emergency_stop(EmergencyStop.LEVEL1)

    def lost(vendor: CheckedSdk) -> None:
        raise Refused(vendor.code("APIChannelTimeOut"))

    vendor.play(RELEASE, not_answered(RELEASE) if taken else lost)
    with nullcontext() if taken else pytest.raises(CommandRefused, match="APIChannelTimeOut"):
        driver.motion.release_emergency_stop()
    assert vendor.called(RELEASE) == [[]]
    assert (held.status().emergency_stop is None) is taken


# Outputs, and what is only read


@pytest.mark.parametrize("name", ["SetOutBit", "SetOutBitEx"])
def test_an_output_is_set_once(held: HeldEngine, name: str) -> None:
    """A second call could put an older value over that of another client."""
    lacks = [] if name.endswith("Ex") else ["Io.SetOutBitEx"]
    vendor = CheckedSdk(held.fake, changed(without=lacks))
    driver = vendor.attached()
    vendor.play(f"Io.{name}", not_answered(f"Io.{name}"))
    with pytest.raises(CommandRefused, match="it may have taken the call"):
        driver.io.set_output_bit(3, 1, value=True)
    assert vendor.called(f"Io.{name}") == [[3, 1, 1]]


def test_an_output_is_read_once_more(held: HeldEngine, vendor: CheckedSdk, driver: Driver) -> None:
    held.io.set_output_bit(3, 1, value=True)
    read = "Io.GetOutBitEx"
    vendor.play(read, not_answered(read))
    assert driver.io.output_bit(3, 1)
    assert vendor.called(read) == [[3, 1]] * 2


@pytest.mark.parametrize(("times", "refused"), [(1, False), (2, True)])
def test_a_gear_ratio_is_asked_for_once_more(
    vendor: CheckedSdk, driver: Driver, times: int, refused: bool
) -> None:
    """And a refusal names its axis, for it keeps the parameters of all from being read."""
    reads = 0

    def read(vendor: CheckedSdk, axis: int) -> tuple[Any, ...]:
        nonlocal reads
        reads += axis == 1
        if axis == 1 and reads <= times:
            raise Refused(vendor.code("APIChannelTimeOut"))
        return vendor.real("Config.GetGearRatio", axis)

    vendor.play("Config.GetGearRatio", read)
    rule = pytest.raises(CommandRefused, match=r"\(APIChannelTimeOut\): the gear ratio of axis 1: ")
    with rule if refused else nullcontext():
        assert driver.motion.parameters().axis(1).gear_ratio_numerator == COUNTS
