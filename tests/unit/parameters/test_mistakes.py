"""Parameters that break no rule, and are probably mistakes."""

import math

import pytest

from wmx_core.parameters.mistakes import axes_in_words, probable_mistakes, top_speed
from wmx_core.parameters.parameter_set import ParameterSet

SOUND: dict[str, float] = {
    "gear_ratio_numerator": 8388608.0,
    "gear_ratio_denominator": 2.0 * math.pi,
    "in_pos_width": 0.001,
    "soft_limit_type": 1,
    "soft_limit_positive": 3.0,
    "soft_limit_negative": -3.0,
    "following_error_moving": 0.1,
    "following_error_stopped": 0.1,
}


def mistakes(**changes: float) -> list[str]:
    parameters = ParameterSet.defaults(1).with_axis(0, **{**SOUND, **changes})
    return [mistake.text for mistake in probable_mistakes(parameters)]


def test_a_sound_axis_has_none() -> None:
    assert mistakes() == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"soft_limit_type": 0}, "no soft limits"),
        ({"soft_limit_positive": 0.0, "soft_limit_negative": 0.0}, "no soft limits"),
        ({"soft_limit_type": 6}, "no soft limits"),
        ({"in_pos_width": 1000.0}, "in-position width is 1000 u"),
        ({"in_pos_width": 2.0 * math.pi}, "in-position width"),
        ({"following_error_moving": 0.0}, "no following error alarm"),
        ({"following_error_stopped": 0.0}, "no following error alarm"),
        ({"max_torque_limit": 0.0}, "torque limit is 0"),
        ({"gear_ratio_denominator": 360.0}, "degrees"),
        ({"gear_ratio_denominator": 8388608.0}, "one encoder count"),
    ],
)
def test_each_alone(changes: dict[str, float], words: str) -> None:
    [text] = mistakes(**changes)
    assert words in text


@pytest.mark.parametrize(
    "changes",
    [
        {"soft_limit_negative": 0.0},
        {"soft_limit_type": 6, "positive_soft_limit_type": 1},
        {"in_pos_width": 1.0},
    ],
)
def test_what_is_no_mistake(changes: dict[str, float]) -> None:
    assert mistakes(**changes) == []


def test_axes_with_the_same_mistake_come_together() -> None:
    found = [*probable_mistakes(ParameterSet.defaults(3))]
    assert {mistake.axes for mistake in found} == {(0, 1, 2)}


def test_axes_in_words() -> None:
    words = [axes_in_words(axes) for axes in ([3], [0, 1], [0, 1, 2], [0, 2, 3])]
    assert words == ["axis 3", "axes 0, 1", "axes 0 to 2", "axes 0, 2, 3"]


def test_the_top_speed_of_a_gear() -> None:
    """3000 rpm through a reducer of 101 on an encoder of 19 bits, see the arm's parameters."""
    counts = 2.0**19
    values = ParameterSet.defaults(1).with_axis(
        0,
        gear_ratio_numerator=counts * 101.0,
        gear_ratio_denominator=2.0 * math.pi,
        max_motor_speed=3000.0,
    )
    assert top_speed(values.axis(0), counts) == pytest.approx(50.0 / 101.0 * 2.0 * math.pi)
