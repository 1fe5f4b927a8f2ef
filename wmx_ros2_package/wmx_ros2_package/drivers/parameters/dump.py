"""Parameters as the lines of wmx/params/get, which clients read."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..values import MAX_AXES
from .axis_parameters import AxisParameters
from .parameter_set import ParameterSet, six_decimals

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
