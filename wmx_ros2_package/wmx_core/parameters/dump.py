"""Parameters as the lines of wmx/params/get, which clients read."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..values import MAX_AXES
from .axis_parameters import FIELDS, AxisParameters
from .parameter_set import ParameterSet, six_decimals

Sections = dict[str, dict[str, str]]
"""Texts by section and name: `["LimitParam"]["SoftLimitPosPos"]`."""

_DUMP: Mapping[str, Mapping[str, Sequence[str]]] = {
    "AxisParam": {
        "GearRatio": ("gear_ratio_numerator", "gear_ratio_denominator"),
        "AxisUnit": ("axis_unit",),
        "AxisPolarity": ("polarity",),
        "CommandMode": ("command_mode",),
        "MaxTrqLimit": ("max_torque_limit",),
        "MaxMotorSpeed": ("max_motor_speed",),
        "VelFeedforwardGain": ("velocity_feedforward_gain",),
    },
    "HomeParam": {
        "HomeType": ("home_type",),
        "HomeDirection": ("home_direction",),
        "HomingVelSlow": ("homing_velocity_slow",),
        "HomingVelFast": ("homing_velocity_fast",),
        "HomePosition": ("home_position",),
    },
    "FeedbackParam": {
        "InPosWidth": ("in_pos_width",),
        "PosSetWidth": ("pos_set_width",),
        "DelayedPosSetWidth": ("delayed_pos_set_width",),
    },
    "AlarmParam": {
        "FollowErrStopped": ("following_error_stopped",),
        "FollowErrMoving": ("following_error_moving",),
    },
    "LimitParam": {
        "SoftLimitPosPos": ("soft_limit_positive",),
        "SoftLimitNegPos": ("soft_limit_negative",),
    },
}

SHOWN: Mapping[str, str] = {
    f"{FIELDS[field].section}/{FIELDS[field].element}": f"{section}/{label}"
    for section, entries in _DUMP.items()
    for label, fields in entries.items()
    for field in fields
}
"""The elements of a file that the lines hold, and what they are called there."""


def describe_axis(parameters: ParameterSet, axis: int) -> list[str]:
    """The lines of wmx/params/get for one axis, as the C++ nodes print them; the last is empty.

    Raises CommandRefused (AxisOutOfRange) unless `axis` is from 0 to 127.
    """
    return [f"=== Axis {axis} ===", *_lines(parameters.axis(axis)), ""]


@lru_cache(maxsize=2 * MAX_AXES)
def _lines(values: AxisParameters) -> tuple[str, ...]:
    lines = []
    for section, entries in _DUMP.items():
        lines.append(f"[{section}]")
        for label, fields in entries.items():
            texts = (six_decimals(getattr(values, field)) for field in fields)
            lines.append(f"  {label:<18} = {' / '.join(texts)}")
    return tuple(lines)


def sections(parameters: ParameterSet, axis: int) -> Sections:
    """Return the values that `describe_axis` prints of an axis, by section and name."""
    return read_sections("\n".join(describe_axis(parameters, axis)))


def read_sections(lines: str) -> Sections:
    """Return the values in the lines of one axis, by section and name."""
    found: Sections = {}
    for line in map(str.strip, lines.splitlines()):
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        elif " = " in line:
            name, _, value = line.partition(" = ")
            section[name.strip()] = value.strip()
    return found


def shown_exactly(text: str) -> bool:
    """Whether the lines show every digit of the number in an element of a file."""
    return float(six_decimals(float(text))) == float(text)
