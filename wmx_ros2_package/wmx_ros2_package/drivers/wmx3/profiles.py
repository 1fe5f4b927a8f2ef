"""The profile of a move, as the SDK has it."""

from math import isfinite
from typing import Any

from ..errors import CommandRefused, ErrorCode
from ..profile_types import MoveProfile, ProfileType
from .sdk import Sdk


def shape_profile(profile: Any, sdk: Sdk, shape: MoveProfile) -> None:
    """Give the SDK's `profile` the type and the shape of ours; a trapezoid has no more."""
    profile.type = _types(sdk)[shape.type]
    if shape == MoveProfile():
        return
    profile.jerkAcc = _finite(shape.jerk_acc)
    profile.jerkDec = _finite(shape.jerk_dec)
    profile.jerkAccRatio = _finite(shape.jerk_acc_ratio)
    profile.jerkDecRatio = _finite(shape.jerk_dec_ratio)
    profile.accTimeMilliseconds = 1000.0 * _finite(shape.acc_time)
    profile.decTimeMilliseconds = 1000.0 * _finite(shape.dec_time)
    profile.startingVelocity = _finite(shape.starting_velocity)
    profile.endVelocity = _finite(shape.end_velocity)
    profile.secondVelocity = _finite(shape.second_velocity)
    profile.movingAverageTimeMilliseconds = 1000.0 * _finite(shape.moving_average_time)


def _types(sdk: Sdk) -> dict[ProfileType, int]:
    kinds = sdk.ProfileType
    return {
        ProfileType.TRAPEZOIDAL: kinds.Trapezoidal,
        ProfileType.S_CURVE: kinds.SCurve,
        ProfileType.JERK_RATIO: kinds.JerkRatio,
        ProfileType.PARABOLIC: kinds.Parabolic,
        ProfileType.SIN: kinds.Sin,
        ProfileType.ADVANCED_S: kinds.AdvancedS,
        ProfileType.TRAPEZOIDAL_MAT: kinds.TrapezoidalMAT,
        ProfileType.JERK_LIMITED: kinds.JerkLimited,
        ProfileType.JERK_LIMITED_S_CURVE: kinds.JerkLimitedSCurve,
        ProfileType.JERK_LIMITED_ADVANCED_S: kinds.JerkLimitedAdvancedS,
        ProfileType.TWO_VELOCITY_TRAPEZOIDAL: kinds.TwoVelocityTrapezoidal,
        ProfileType.TWO_VELOCITY_S_CURVE: kinds.TwoVelocitySCurve,
        ProfileType.TWO_VELOCITY_JERK_RATIO: kinds.TwoVelocityJerkRatio,
        ProfileType.TIME_ACC_TRAPEZOIDAL: kinds.TimeAccTrapezoidal,
        ProfileType.TIME_ACC_S_CURVE: kinds.TimeAccSCurve,
        ProfileType.TIME_ACC_JERK_RATIO: kinds.TimeAccJerkRatio,
        ProfileType.TIME_ACC_PARABOLIC: kinds.TimeAccParabolic,
        ProfileType.TIME_ACC_SIN: kinds.TimeAccSin,
        ProfileType.TIME_ACC_ADVANCED_S: kinds.TimeAccAdvancedS,
        ProfileType.CONSTANT_DEC: kinds.ConstantDec,
        ProfileType.JERK_RATIO_FIXED_VELOCITY_T: kinds.JerkRatioFixedVelocityT,
        ProfileType.JERK_RATIO_FIXED_VELOCITY_S: kinds.JerkRatioFixedVelocityS,
        ProfileType.JERK_LIMITED_FIXED_VELOCITY_T: kinds.JerkLimitedFixedVelocityT,
        ProfileType.JERK_LIMITED_FIXED_VELOCITY_S: kinds.JerkLimitedFixedVelocityS,
        ProfileType.PARABOLIC_VELOCITY: kinds.ParabolicVelocity,
    }


def _finite(value: float) -> float:
    """As a plain float, which is what the SDK takes."""
    if not isfinite(value):
        rule = f"{value} in a profile must be finite"
        raise CommandRefused(ErrorCode.ProfileArgumentOutOfRange, rule)
    return float(value)
