"""The typed parameters of one axis: which elements of a parameter file they are, and their rules.

To type one more element, add one row to `AxisParameters`.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, get_type_hints

from .values import CommandMode
from .xml_elements import BLANK

# float() alone also takes "nan", "1_000" and digits of every script, which the engine does not.
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Kind:
    """What the number in an element means: the numbers allowed, in words too, and their type."""

    rule: str
    accepts: Callable[[float], bool] = math.isfinite
    convert: Callable[[float], Any] = float

    def judge(self, number: float) -> Any:
        """The typed value of `number`; ValueError says the rule it breaks."""
        if not (math.isfinite(number) and self.accepts(number)):
            raise ValueError(f"must be {self.rule}")
        return self.convert(number)

    def read(self, text: str) -> Any:
        """The typed value of an element's text; ValueError says the rule it breaks."""
        return self.judge(float(text) if _DECIMAL.fullmatch(text.strip(BLANK)) else math.nan)


def _whole(low: int, high: int, convert: Callable[[float], Any] = int) -> Kind:
    return Kind(
        f"a whole number from {low} to {high}",
        lambda number: number.is_integer() and low <= number <= high,
        convert,
    )


NUMBER = Kind("a finite number")
POSITIVE = Kind("a finite number > 0", lambda number: number > 0)
UNSIGNED = Kind("a finite number >= 0", lambda number: number >= 0)
SIGN = Kind("1 or -1", lambda number: number in (1, -1), int)
FLAG = Kind("0 or 1", lambda number: number in (0, 1), bool)
COMMAND_MODE = _whole(0, 2, lambda number: CommandMode(int(number)))
HOME_TYPE = _whole(0, 20)
HOME_DIRECTION = _whole(0, 1)
LIMIT_TYPE = _whole(0, 6)


class At(NamedTuple):
    """Where a typed value stands in an axis, and what it may hold."""

    section: str
    element: str
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisParameters:
    """The typed parameters of one axis.

    Positions and widths are in u, velocities in u/s, decelerations in u/s^2, where u is the
    axis's user unit: gear_ratio_numerator / gear_ratio_denominator encoder counts.
    """

    gear_ratio_numerator: Annotated[float, At("AxisParam", "AxisGearRatioNumerator", POSITIVE)]
    gear_ratio_denominator: Annotated[float, At("AxisParam", "AxisGearRatioDenominator", POSITIVE)]
    axis_unit: Annotated[float, At("AxisParam", "AxisUnit", NUMBER)]
    polarity: Annotated[int, At("AxisParam", "AxisPolarity", SIGN)]
    command_mode: Annotated[CommandMode, At("AxisParam", "AxisCommandMode", COMMAND_MODE)]
    # Percent of rated torque; rpm; percent.
    max_torque_limit: Annotated[float, At("AxisParam", "MaxTrqLimit", UNSIGNED)]
    max_motor_speed: Annotated[float, At("AxisParam", "MaxMotorSpeed", UNSIGNED)]
    velocity_feedforward_gain: Annotated[
        float, At("AxisParam", "VelocityFeedforwardGain", UNSIGNED)
    ]

    # Numbered as the vendor's HomeType (0 CurrentPos, 1 ZPulse, 2 HS, 4 HSZPulse, ...) and
    # HomeDirection (0 positive, 1 negative).
    home_type: Annotated[int, At("HomeParam", "HomeType", HOME_TYPE)]
    home_direction: Annotated[int, At("HomeParam", "HomeDir", HOME_DIRECTION)]
    homing_velocity_slow: Annotated[float, At("HomeParam", "HomingVelSlow", UNSIGNED)]
    homing_velocity_fast: Annotated[float, At("HomeParam", "HomingVelFast", UNSIGNED)]
    home_position: Annotated[float, At("HomeParam", "HomePosition", NUMBER)]
    clear_home_done_on_servo_off: Annotated[bool, At("HomeParam", "ClearHomeDoneOnServoOff", FLAG)]
    clear_home_done_on_comm_stop: Annotated[bool, At("HomeParam", "ClearHomeDoneOnCommStop", FLAG)]

    in_pos_width: Annotated[float, At("FeedbackParam", "InPosWidth", UNSIGNED)]
    pos_set_width: Annotated[float, At("FeedbackParam", "PosSetWidth", UNSIGNED)]
    delayed_pos_set_width: Annotated[float, At("FeedbackParam", "DelayedPosSetWidth", UNSIGNED)]

    following_error_stopped: Annotated[float, At("AlarmParam", "FollowingErrorStopped", UNSIGNED)]
    following_error_moving: Annotated[float, At("AlarmParam", "FollowingErrorMoving", UNSIGNED)]
    servo_off_during_amp_alarm: Annotated[bool, At("AlarmParam", "ServoOffDuringAmpAlarm", FLAG)]

    # Numbered as the vendor's LimitSwitchType (0 none, 3 decelerate, 6 the two separate ones).
    soft_limit_type: Annotated[int, At("LimitParam", "SoftLimitType", LIMIT_TYPE)]
    positive_soft_limit_type: Annotated[int, At("LimitParam", "PositiveSoftLimitType", LIMIT_TYPE)]
    negative_soft_limit_type: Annotated[int, At("LimitParam", "NegativeSoftLimitType", LIMIT_TYPE)]
    soft_limit_positive: Annotated[float, At("LimitParam", "SoftLimitPositivePos", NUMBER)]
    soft_limit_negative: Annotated[float, At("LimitParam", "SoftLimitNegativePos", NUMBER)]

    quick_stop_dec: Annotated[float, At("MotionParam", "QuickStopDec", POSITIVE)]


FIELDS: Mapping[str, At] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(AxisParameters, include_extras=True).items()
}
"""Every row of `AxisParameters`, by the name of its field."""
