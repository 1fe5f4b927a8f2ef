"""The typed parameters of one axis: which elements of a parameter file they are, and their rules.

To type one more element, add one row to `AxisParameters`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, get_type_hints

from ..errors import CommandRefused, ErrorCode
from ..numerals import decimal
from ..values import IO_BYTES, CommandMode, HomeType, LimitType


@dataclass(frozen=True, slots=True)
class Kind:
    """The meaning of the number in an element: the allowed numbers, in words too, and its type."""

    rule: str
    accepts: Callable[[float], bool] = math.isfinite
    convert: Callable[[float], Any] = float

    def judge(self, number: float) -> Any:
        """The typed value of `number`; ValueError names the rule it breaks."""
        if not (math.isfinite(number) and self.accepts(number)):
            raise ValueError(f"must be {self.rule}")
        return self.convert(number)

    def read(self, text: str) -> Any:
        """The typed value of an element's text; ValueError names the rule it breaks."""
        try:
            number = decimal(text)
        except ValueError:
            number = math.nan
        return self.judge(number)


def _whole(low: int, high: int, convert: Callable[[float], Any] = int) -> Kind:
    return Kind(
        f"a whole number from {low} to {high}",
        lambda number: number.is_integer() and low <= number <= high,
        convert,
    )


NUMBER = Kind("a finite number")
UNSIGNED = Kind("a finite number >= 0", lambda number: number >= 0)
SPEED = Kind("0 or a number from 1e-6 to 1e9", lambda number: not number or 1e-6 <= number <= 1e9)
PERCENT = Kind("a number from 0 to 1e6", lambda number: 0 <= number <= 1e6)
RATE = Kind("a number from 1e-9 to 1e15", lambda number: 1e-9 <= number <= 1e15)
SIGN = Kind("1 or -1", lambda number: number in (1, -1), int)
FLAG = Kind("0 or 1", lambda number: number in (0, 1), bool)
COMMAND_MODE = _whole(0, 2, lambda number: CommandMode(int(number)))
HOME_TYPE = _whole(0, 20, lambda number: HomeType(int(number)))
HOME_DIRECTION = _whole(0, 1)
LIMIT_TYPE = _whole(0, 6, lambda number: LimitType(int(number)))
ONE_LIMIT_TYPE = _whole(0, 5, lambda number: LimitType(int(number)))
STOP_TYPE = _whole(0, 1)
BYTE = _whole(0, IO_BYTES - 1)
BIT = _whole(0, 7)
OVERTRAVEL = _whole(0, 2)


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

    gear_ratio_numerator: Annotated[float, At("AxisParam", "AxisGearRatioNumerator", RATE)]
    gear_ratio_denominator: Annotated[float, At("AxisParam", "AxisGearRatioDenominator", RATE)]
    axis_unit: Annotated[float, At("AxisParam", "AxisUnit", NUMBER)]
    polarity: Annotated[int, At("AxisParam", "AxisPolarity", SIGN)]
    command_mode: Annotated[CommandMode, At("AxisParam", "AxisCommandMode", COMMAND_MODE)]
    # Percent of rated torque; rpm; percent.
    max_torque_limit: Annotated[float, At("AxisParam", "MaxTrqLimit", PERCENT)]
    positive_torque_limit: Annotated[float, At("AxisParam", "PositiveTrqLimit", PERCENT)]
    negative_torque_limit: Annotated[float, At("AxisParam", "NegativeTrqLimit", PERCENT)]
    max_motor_speed: Annotated[float, At("AxisParam", "MaxMotorSpeed", SPEED)]
    velocity_feedforward_gain: Annotated[float, At("AxisParam", "VelocityFeedforwardGain", PERCENT)]

    # HomeDirection: 0 positive, 1 negative.
    home_type: Annotated[HomeType, At("HomeParam", "HomeType", HOME_TYPE)]
    home_direction: Annotated[int, At("HomeParam", "HomeDir", HOME_DIRECTION)]
    homing_velocity_slow: Annotated[float, At("HomeParam", "HomingVelSlow", UNSIGNED)]
    homing_velocity_fast: Annotated[float, At("HomeParam", "HomingVelFast", UNSIGNED)]
    homing_velocity_slow_acc: Annotated[float, At("HomeParam", "HomingVelSlowAcc", UNSIGNED)]
    homing_velocity_slow_dec: Annotated[float, At("HomeParam", "HomingVelSlowDec", UNSIGNED)]
    homing_velocity_fast_acc: Annotated[float, At("HomeParam", "HomingVelFastAcc", UNSIGNED)]
    homing_velocity_fast_dec: Annotated[float, At("HomeParam", "HomingVelFastDec", UNSIGNED)]
    homing_reverse_distance: Annotated[float, At("HomeParam", "HomingReverseDistance", UNSIGNED)]
    home_shift_velocity: Annotated[float, At("HomeParam", "HomeShiftVel", UNSIGNED)]
    home_shift_acc: Annotated[float, At("HomeParam", "HomeShiftAcc", UNSIGNED)]
    home_shift_dec: Annotated[float, At("HomeParam", "HomeShiftDec", UNSIGNED)]
    home_shift_distance: Annotated[float, At("HomeParam", "HomeShiftDistance", NUMBER)]
    max_reverse_distance_from_home_switch: Annotated[
        float, At("HomeParam", "MaxHSOnAtStartReverseDistance", UNSIGNED)
    ]
    max_reverse_distance_from_limit_switch: Annotated[
        float, At("HomeParam", "MaxLSReverseDistance", UNSIGNED)
    ]
    mechanical_end_error: Annotated[
        float, At("HomeParam", "MechanicalEndDetectionPosDiff", UNSIGNED)
    ]
    mechanical_end_milliseconds: Annotated[
        float, At("HomeParam", "MechanicalEndDetectionTimeMilliseconds", UNSIGNED)
    ]
    mechanical_end_torque_limit: Annotated[
        float, At("HomeParam", "MechanicalEndDetectionFirstTorqueLimit", UNSIGNED)
    ]
    mechanical_end_ignores_limit_switch: Annotated[
        bool, At("HomeParam", "MechanicalEndDetectionIgnoreLS", FLAG)
    ]
    home_position: Annotated[float, At("HomeParam", "HomePosition", NUMBER)]
    clear_home_done_on_servo_off: Annotated[bool, At("HomeParam", "ClearHomeDoneOnServoOff", FLAG)]
    clear_home_done_on_comm_stop: Annotated[bool, At("HomeParam", "ClearHomeDoneOnCommStop", FLAG)]

    in_pos_width: Annotated[float, At("FeedbackParam", "InPosWidth", UNSIGNED)]
    pos_set_width: Annotated[float, At("FeedbackParam", "PosSetWidth", UNSIGNED)]
    delayed_pos_set_width: Annotated[float, At("FeedbackParam", "DelayedPosSetWidth", UNSIGNED)]
    delayed_pos_set_milliseconds: Annotated[
        float, At("FeedbackParam", "DelayedPosSetMilliseconds", UNSIGNED)
    ]

    # FollowingErrorType: 0 no action, 1 quick stop; an error of 0 is never too large.
    following_error_type: Annotated[int, At("AlarmParam", "FollowingErrorType", STOP_TYPE)]
    following_error_stopped: Annotated[float, At("AlarmParam", "FollowingErrorStopped", UNSIGNED)]
    following_error_moving: Annotated[float, At("AlarmParam", "FollowingErrorMoving", UNSIGNED)]
    servo_off_during_amp_alarm: Annotated[bool, At("AlarmParam", "ServoOffDuringAmpAlarm", FLAG)]

    ls_type: Annotated[LimitType, At("LimitParam", "LSType", LIMIT_TYPE)]
    positive_ls_type: Annotated[LimitType, At("LimitParam", "PositiveLSType", ONE_LIMIT_TYPE)]
    negative_ls_type: Annotated[LimitType, At("LimitParam", "NegativeLSType", ONE_LIMIT_TYPE)]
    ls_dec: Annotated[float, At("LimitParam", "LSDec", RATE)]
    ls_slow_dec: Annotated[float, At("LimitParam", "LSSlowDec", RATE)]
    soft_limit_type: Annotated[LimitType, At("LimitParam", "SoftLimitType", LIMIT_TYPE)]
    positive_soft_limit_type: Annotated[
        LimitType, At("LimitParam", "PositiveSoftLimitType", ONE_LIMIT_TYPE)
    ]
    negative_soft_limit_type: Annotated[
        LimitType, At("LimitParam", "NegativeSoftLimitType", ONE_LIMIT_TYPE)
    ]
    # A side whose position is 0 has no soft limit.
    soft_limit_positive: Annotated[float, At("LimitParam", "SoftLimitPositivePos", NUMBER)]
    soft_limit_negative: Annotated[float, At("LimitParam", "SoftLimitNegativePos", NUMBER)]
    # Bits of the input image.
    near_ls_type: Annotated[LimitType, At("LimitParam", "NearLSType", LIMIT_TYPE)]
    near_positive_ls_type: Annotated[
        LimitType, At("LimitParam", "NearPositiveLSType", ONE_LIMIT_TYPE)
    ]
    near_positive_ls_byte: Annotated[int, At("LimitParam", "NearPositiveLSByte", BYTE)]
    near_positive_ls_bit: Annotated[int, At("LimitParam", "NearPositiveLSBit", BIT)]
    invert_near_positive_ls: Annotated[bool, At("LimitParam", "InvertNearPositiveLSPolarity", FLAG)]
    near_negative_ls_type: Annotated[
        LimitType, At("LimitParam", "NearNegativeLSType", ONE_LIMIT_TYPE)
    ]
    near_negative_ls_byte: Annotated[int, At("LimitParam", "NearNegativeLSByte", BYTE)]
    near_negative_ls_bit: Annotated[int, At("LimitParam", "NearNegativeLSBit", BIT)]
    invert_near_negative_ls: Annotated[bool, At("LimitParam", "InvertNearNegativeLSPolarity", FLAG)]

    quick_stop_dec: Annotated[float, At("MotionParam", "QuickStopDec", RATE)]
    # 0 disabled, 1 change the deceleration, 2 change the initial velocity.
    prohibit_overtravel: Annotated[int, At("MotionParam", "ProhibitOvertravel", OVERTRAVEL)]
    emergency_stop_dec: Annotated[float, At("EmergencyStopParam", "EStopDec", RATE)]

    @property
    def counts_per_unit(self) -> float:
        """Encoder counts in a user unit, less than 0 against the drive's own direction."""
        return self.polarity * self.gear_ratio_numerator / self.gear_ratio_denominator


FIELDS: Mapping[str, At] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(AxisParameters, include_extras=True).items()
}
"""Every row of `AxisParameters`, by the name of its field."""


def judged(axis: int, **changes: float) -> dict[str, Any]:
    """The typed values of `changes`, by the names in `AxisParameters`, which `axis` is to have.

    Raises CommandRefused with ParamOutOfRange when one breaks its rule.
    """
    values = {}
    for name, number in changes.items():
        try:
            values[name] = FIELDS[name].kind.judge(float(number))
        except ValueError as reason:
            detail = f"axis {axis}, {name} = {number}: {reason}"
            raise CommandRefused(ErrorCode.ParamOutOfRange, detail) from None
    return values
