"""Overrides that are carried out and not answered in time: what is refused makes nothing faster."""

import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine, position_move, velocity_move
from not_answered import not_answered

from wmx_core.errors import CommandRefused
from wmx_core.interface import Driver

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


@pytest.mark.parametrize(("name", "percent"), [(OVERRIDE, 25.0), (PAUSE, 0.0)])
def test_a_lower_speed_is_given_once_more(
    held: HeldEngine, vendor: CheckedSdk, moving: Driver, name: str, percent: float
) -> None:
    vendor.play(name, not_answered(name))
    moving.motion.set_override(0, percent)
    assert velocity(held) == 2.0 * percent / 100.0


@pytest.mark.parametrize(("name", "before"), [(OVERRIDE, 50.0), (RESUME, 0.0)])
def test_what_would_be_faster_is_taken_back(
    held: HeldEngine, vendor: CheckedSdk, moving: Driver, name: str, before: float
) -> None:
    moving.motion.set_override(0, before)
    vendor.play(name, not_answered(name))
    with pytest.raises(CommandRefused) as refused:
        moving.motion.set_override(0, 100.0)
    assert refused.value.name == "APIChannelTimeOut"
    assert refused.value.detail.endswith(f"; axis 0 is at {before:g} % again")
    assert velocity(held) == 2.0 * before / 100.0
    moving.motion.set_override(0, 100.0)
    assert velocity(held) == 2.0


def test_it_is_taken_back_to_what_may_be_slower_already(
    held: HeldEngine, vendor: CheckedSdk, moving: Driver
) -> None:
    """What is above a speed that was not answered may be faster, also below the one before."""
    vendor.play(OVERRIDE, not_answered(OVERRIDE, times=2))
    with pytest.raises(CommandRefused, match="it may have taken the call"):
        moving.motion.set_override(0, 25.0)
    vendor.play(OVERRIDE, not_answered(OVERRIDE))
    with pytest.raises(CommandRefused, match=r"axis 0 is at 25 % again"):
        moving.motion.set_override(0, 40.0)
    assert velocity(held) == 0.5


def test_what_cannot_be_taken_back_is_named(vendor: CheckedSdk, moving: Driver) -> None:
    def refuse(vendor: CheckedSdk) -> None:
        vendor.refuse(OVERRIDE, 1557)

    vendor.play(OVERRIDE, not_answered(OVERRIDE, refuse))
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
