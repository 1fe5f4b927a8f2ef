"""An axis as a row of a table."""

from typing import Any

import pytest

from wmx_ros2_package.client import AxisStatus

FLAGS = {
    "alarm": False,
    "homed": True,
    "home_switch": False,
    "negative_limit": False,
    "positive_limit": True,
    "at_rest": True,
}


def axis(**fields: Any) -> AxisStatus:
    numbers = {"command": 1.23456, "position": -0.00006, "velocity": 2.5, "torque": 12.3456}
    numbers["command_velocity"] = 2.0
    return AxisStatus(axis=3, name="joint4", unit="rad", **{**numbers, **FLAGS, **fields})


@pytest.mark.parametrize(
    ("servo_on", "words"), [(True, "servo homed limit + at rest"), (False, "off homed limit +")]
)
def test_numbers_have_few_digits_and_flags_are_words(servo_on: bool, words: str) -> None:
    row = axis(servo_on=servo_on).row()
    assert row[:3] == ("3", "joint4", "rad")
    assert [float(number) for number in row[3:7]] == [1.2346, -0.0001, 2.5, 12.35]
    assert row[7] == words
