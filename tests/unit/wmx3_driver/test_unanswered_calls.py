"""Calls that the SDK carries out and does not answer in time: what is answered is what happened."""

from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from checked_sdk import Act, CheckedSdk, Refused, changed
from held_engine import COUNTS, HeldEngine, position_move, velocity_move

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, EmergencyStop, HomeType, TorqueMove

SERVO = "AxisControl.SetServoOn"


@pytest.fixture
def held() -> HeldEngine:
    """Three axes, the first two with their servos on."""
    return HeldEngine(3).servo_on(0, 1)


@pytest.fixture
def vendor(held: HeldEngine) -> CheckedSdk:
    return CheckedSdk(held.fake)


@pytest.fixture
def driver(vendor: CheckedSdk) -> Driver:
    return vendor.attached()


def not_answered(
    name: str, then: Callable[[CheckedSdk], object] = lambda _: None, *, times: int = 1
) -> Act:
    """A function that does what it is asked for, and so many `times` is not answered in time.

    `then` may let something else happen after that.
    """
    left = times

    def act(vendor: CheckedSdk, *args: Any) -> Any:
        nonlocal left
        with suppress(Refused):  # as of what was done before
            vendor.real(name, *args)
        left -= 1
        if not left:
            vendor.restore(name)
            then(vendor)
        raise Refused(vendor.code("APIChannelTimeOut"))

    return act


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
    done = "Home.SetHomeDone"
    vendor.play(done, not_answered(done, lambda vendor: vendor.refuse(done, 1557)))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_position(0, 5.0)
    assert refused.value.name == "APIChannelTimeOut"
    rest = "the home of axis 0 may be done now, and was not put back: Error=1557"
    assert rest in refused.value.detail


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


@pytest.mark.parametrize("is_home", [True, False])
def test_homing_of_which_no_status_shows_anything_is_refused(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, is_home: bool
) -> None:
    if is_home:
        driver.motion.set_position(0, 0.0)

    def lost(vendor: CheckedSdk, _axis: int) -> None:
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


# The velocity of a move that runs

OVERRIDE, PAUSE, RESUME = "Motion.OverrideVel", "Motion.Pause", "Motion.Resume"


@pytest.fixture
def moving(held: HeldEngine, driver: Driver) -> Driver:
    """Axis 0 is on a long way, at half its velocity of 2 u/s."""
    driver.motion.move_absolute([position_move(0, 500.0, velocity=2.0)])
    held.after(1.0)
    driver.motion.set_override(0, 50.0)
    assert velocity(held) == 1.0
    return driver


def velocity(held: HeldEngine) -> float:
    """At what axis 0 is commanded to go on in the end."""
    return round(float(held.after(2.0).velocity_cmd[0]), 3)


@pytest.mark.parametrize(("name", "percent"), [(OVERRIDE, 100.0), (OVERRIDE, 25.0), (PAUSE, 0.0)])
def test_an_override_is_given_once_more(
    held: HeldEngine, vendor: CheckedSdk, moving: Driver, name: str, percent: float
) -> None:
    vendor.play(name, not_answered(name))
    moving.motion.set_override(0, percent)
    assert velocity(held) == 2.0 * percent / 100.0


def test_a_move_is_resumed_once_more(held: HeldEngine, vendor: CheckedSdk, moving: Driver) -> None:
    moving.motion.set_override(0, 0.0)
    held.after(1.0)
    vendor.play(RESUME, not_answered(RESUME))
    moving.motion.set_override(0, 100.0)
    assert velocity(held) == 2.0


@pytest.mark.parametrize(("name", "before"), [(OVERRIDE, 50.0), (RESUME, 0.0)])
def test_what_would_be_faster_is_taken_back(
    held: HeldEngine, vendor: CheckedSdk, moving: Driver, name: str, before: float
) -> None:
    moving.motion.set_override(0, before)
    vendor.play(name, not_answered(name, times=2))
    with pytest.raises(CommandRefused) as refused:
        moving.motion.set_override(0, 100.0)
    assert refused.value.name == "APIChannelTimeOut"
    assert refused.value.detail.endswith(f"; axis 0 is at {before:g} % again")
    assert velocity(held) == 2.0 * before / 100.0
    moving.motion.set_override(0, 100.0)
    assert velocity(held) == 2.0


def test_it_is_taken_back_where_the_second_call_is_refused(
    held: HeldEngine, vendor: CheckedSdk, moving: Driver
) -> None:
    def refuse_once(vendor: CheckedSdk) -> None:
        def refuse(vendor: CheckedSdk, *_: Any) -> None:
            vendor.restore(OVERRIDE)
            raise Refused(ErrorCode.StartingPreviousCommand)

        vendor.play(OVERRIDE, refuse)

    vendor.play(OVERRIDE, not_answered(OVERRIDE, refuse_once))
    with pytest.raises(CommandRefused, match=r"APIChannelTimeOut.*StartingPreviousCommand"):
        moving.motion.set_override(0, 100.0)
    assert velocity(held) == 1.0


def test_what_cannot_be_taken_back_is_named(vendor: CheckedSdk, moving: Driver) -> None:
    def refuse(vendor: CheckedSdk) -> None:
        vendor.refuse(OVERRIDE, 1557)

    vendor.play(OVERRIDE, not_answered(OVERRIDE, refuse, times=2))
    with pytest.raises(CommandRefused) as refused:
        moving.motion.set_override(0, 100.0)
    assert refused.value.name == "APIChannelTimeOut"
    rest = "axis 0 may be at 100 %, and was not put back: Error=1557"
    assert rest in refused.value.detail


@pytest.mark.parametrize(("name", "percent"), [(OVERRIDE, 25.0), (PAUSE, 0.0)])
def test_what_is_slower_is_not_taken_back(
    held: HeldEngine, vendor: CheckedSdk, moving: Driver, name: str, percent: float
) -> None:
    """And goes on again, where it was a pause."""
    vendor.play(name, not_answered(name, times=2))
    with pytest.raises(CommandRefused, match="it may have taken the call"):
        moving.motion.set_override(0, percent)
    assert velocity(held) == 2.0 * percent / 100.0
    moving.motion.set_override(0, 100.0)
    assert velocity(held) == 2.0


def test_a_jog_that_may_be_slower_is_commanded_again(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """Where it is renewed: else it would only last longer, as it is."""

    def jog() -> int:
        driver.motion.jog([velocity_move(0, run_time=0.2)])
        held.after(0.1)
        return len(vendor.called("Motion.StartJog_TimedJog"))

    assert [jog(), jog(), jog()] == [1, 2, 2]
    vendor.play(OVERRIDE, not_answered(OVERRIDE, times=2))
    with pytest.raises(CommandRefused, match="it may have taken the call"):
        driver.motion.set_override(0, 50.0)
    assert jog() == 3


# Emergency stops


def test_an_emergency_stop_is_given_once_more(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """It was answered as refused, and axes in torque mode were not held."""
    driver.motion.move_absolute([position_move(0, 50.0)])
    held.after(0.5)
    vendor.play("CoreMotion.ExecEStop", not_answered("CoreMotion.ExecEStop"))
    driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    status = held.after(1.0)
    assert status.emergency_stop is EmergencyStop.LEVEL1
    assert not status.busy.size


def test_the_release_of_an_emergency_stop_is_asked_for_once_more(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.emergency_stop(EmergencyStop.LEVEL1)
    vendor.play("CoreMotion.ReleaseEStop", not_answered("CoreMotion.ReleaseEStop"))
    driver.motion.release_emergency_stop()
    assert held.status().emergency_stop is None


# Outputs, and what is only read


@pytest.mark.parametrize("name", ["SetOutBit", "SetOutBitEx"])
def test_an_output_is_set_once_more(held: HeldEngine, name: str) -> None:
    lacks = [] if name.endswith("Ex") else ["Io.SetOutBitEx"]
    vendor = CheckedSdk(held.fake, changed(without=lacks))
    driver = vendor.attached()
    vendor.play(f"Io.{name}", not_answered(f"Io.{name}"))
    driver.io.set_output_bit(3, 1, value=True)
    assert vendor.called(f"Io.{name}") == [[3, 1, 1]] * 2
    assert held.io.output_bit(3, 1)


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
