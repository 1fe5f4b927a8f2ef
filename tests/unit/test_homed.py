"""An axis has homed when the engine says so of the order, not of one before it."""

import pytest
from held_engine import HeldEngine

from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.features.homing import has_homed


def test_what_was_homed_before_the_order_does_not_count() -> None:
    held = HeldEngine(homing_velocity_fast=1.0, home_type=0).servo_on()
    held.motion.home(0)
    before = held.after(1.0)
    assert before.home_done[0]
    held.motion.home(0)
    ordered = before.time
    assert not has_homed(before, 0, ordered), "a sample of before"
    assert not has_homed(held.after(0.019), 0, ordered), "it may not show yet"
    assert has_homed(held.after(0.002), 0, ordered)


def test_that_it_has_not_begun_yet_is_no_failure() -> None:
    held = HeldEngine().servo_on()
    status = held.status()
    assert not status.home_done[0]
    assert not has_homed(status, 0, status.time)
    with pytest.raises(CommandRefused, match="homing ended before it was done"):
        has_homed(held.after(0.021), 0, status.time)
