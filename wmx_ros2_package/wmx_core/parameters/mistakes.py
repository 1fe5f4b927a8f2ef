"""What parameters may be, though it is probably a mistake.

What is found here breaks no rule (`parameter_set`): the engine takes it, and a person should look
at it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ..values import LimitType
from .axis_parameters import AxisParameters
from .parameter_set import ParameterSet

SECONDS_A_MINUTE = 60.0
DEGREES = 360.0
MOST_NAMES = 5


class Mistake(NamedTuple):
    """A probable mistake in an element of some axes."""

    axes: tuple[int, ...]
    text: str
    remedy: str


def doubts(parameters: ParameterSet, axes: int) -> Iterator[str]:
    """Yield the doubts about `parameters` for an engine of `axes` axes."""
    if unknown := _some(parameters.unknown()):
        yield f"unknown elements, which the simulated engine ignores: {unknown}"
    held = set(parameters.axes)
    if too_many := _some(str(axis) for axis in sorted(held) if axis >= axes):
        yield f"parameters of axes that the engine does not have: {too_many}"
    if missing := _some(str(axis) for axis in range(axes) if axis not in held):
        yield f"no parameters of these axes, which have the vendor's defaults: {missing}"


def probable_mistakes(parameters: ParameterSet) -> Iterator[Mistake]:
    """Yield what is probably wrong; axes with the same mistake come together."""
    found: dict[tuple[str, str], list[int]] = {}
    for axis in sorted(parameters.axes):
        values = parameters.axis(axis)
        for is_mistaken, describe, remedy in _RULES:
            if is_mistaken(values):
                found.setdefault((describe(values), remedy), []).append(axis)
    for (text, remedy), axes in found.items():
        yield Mistake(tuple(axes), text, remedy)


def counted(parameters: ParameterSet, axes: Sequence[int]) -> list[int]:
    """Return those of `axes` whose user unit is one encoder count."""
    return [axis for axis in axes if _is_raw(parameters.axis(axis))]


def top_speed(values: AxisParameters, counts_per_revolution: float) -> float:
    """Return the velocity that the motor's greatest speed gives the axis, u/s; 0 for no limit.

    Motor revolutions a second times encoder counts a revolution, over encoder counts a user unit.
    """
    counts_per_unit = values.gear_ratio_numerator / values.gear_ratio_denominator
    return values.max_motor_speed / SECONDS_A_MINUTE * counts_per_revolution / counts_per_unit


def axes_in_words(axes: Sequence[int]) -> str:
    """Return `axis 3`, `axes 0 to 5` or `axes 0, 2`."""
    if len(axes) == 1:
        return f"axis {axes[0]}"
    if len(axes) > 2 and list(axes) == list(range(axes[0], axes[-1] + 1)):
        return f"axes {axes[0]} to {axes[-1]}"
    return f"axes {', '.join(map(str, axes))}"


def _some(names: Iterator[str]) -> str:
    first = list(islice(names, MOST_NAMES))
    return ", ".join([*first, *("..." for _ in islice(names, 1))])


def _has_no_soft_limit(p: AxisParameters) -> bool:
    kinds: tuple[LimitType, ...] = (p.soft_limit_type,)
    if p.soft_limit_type is LimitType.SEPARATE:
        kinds = p.positive_soft_limit_type, p.negative_soft_limit_type
    levels = p.soft_limit_positive, p.soft_limit_negative
    return all(kind is LimitType.NONE for kind in kinds) or not any(levels)


def _is_raw(p: AxisParameters) -> bool:
    return p.gear_ratio_numerator == p.gear_ratio_denominator


def _is_in_position_everywhere(p: AxisParameters) -> bool:
    # The denominator is the way that the counts of the numerator make, a revolution as a rule.
    return not _is_raw(p) and p.in_pos_width >= p.gear_ratio_denominator


def _is_in_degrees(p: AxisParameters) -> bool:
    return math.isclose(p.gear_ratio_denominator, DEGREES)


Rule = tuple[Callable[[AxisParameters], bool], Callable[[AxisParameters], str], str]
_RULES: tuple[Rule, ...] = (
    (
        _is_raw,
        lambda p: "the gear ratio is 1: its user unit is one encoder count, not rad or m",
        "AxisGearRatioNumerator: encoder counts, AxisGearRatioDenominator: their way in rad or m",
    ),
    (
        _is_in_degrees,
        lambda p: "the gear ratio is for 360 user units: degrees, where ROS has radians",
        "AxisGearRatioDenominator: 6.283185307179586",
    ),
    (
        _is_in_position_everywhere,
        lambda p: (
            f"the in-position width is {p.in_pos_width:g} u: every motion is complete at once"
        ),
        "InPosWidth: what the machine needs, such as 0.001",
    ),
    (
        _has_no_soft_limit,
        lambda p: "no soft limits: nothing but a switch or the machine ends a move",
        "SoftLimitType, SoftLimitPositivePos and SoftLimitNegativePos",
    ),
    (
        lambda p: not (p.following_error_stopped and p.following_error_moving),
        lambda p: "no following error alarm: an axis that is blocked goes on pushing",
        "FollowingErrorStopped and FollowingErrorMoving",
    ),
    (
        lambda p: p.max_torque_limit == 0.0,
        lambda p: "the torque limit is 0 %: it cannot move",
        "MaxTrqLimit: percent of rated torque",
    ),
)
