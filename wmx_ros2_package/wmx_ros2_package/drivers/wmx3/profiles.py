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
    return {
        ProfileType.TRAPEZOIDAL: sdk.ProfileType.Trapezoidal,
        ProfileType.S_CURVE: sdk.ProfileType.SCurve,
        ProfileType.JERK_RATIO: sdk.ProfileType.JerkRatio,
        ProfileType.PARABOLIC: sdk.ProfileType.Parabolic,
        ProfileType.SIN: sdk.ProfileType.Sin,
        ProfileType.ADVANCED_S: sdk.ProfileType.AdvancedS,
        ProfileType.TRAPEZOIDAL_MAT: sdk.ProfileType.TrapezoidalMAT,
        ProfileType.JERK_LIMITED: sdk.ProfileType.JerkLimited,
        ProfileType.JERK_LIMITED_S_CURVE: sdk.ProfileType.JerkLimitedSCurve,
        ProfileType.JERK_LIMITED_ADVANCED_S: sdk.ProfileType.JerkLimitedAdvancedS,
        ProfileType.TWO_VELOCITY_TRAPEZOIDAL: sdk.ProfileType.TwoVelocityTrapezoidal,
        ProfileType.TWO_VELOCITY_S_CURVE: sdk.ProfileType.TwoVelocitySCurve,
        ProfileType.TWO_VELOCITY_JERK_RATIO: sdk.ProfileType.TwoVelocityJerkRatio,
        ProfileType.TIME_ACC_TRAPEZOIDAL: sdk.ProfileType.TimeAccTrapezoidal,
        ProfileType.TIME_ACC_S_CURVE: sdk.ProfileType.TimeAccSCurve,
        ProfileType.TIME_ACC_JERK_RATIO: sdk.ProfileType.TimeAccJerkRatio,
        ProfileType.TIME_ACC_PARABOLIC: sdk.ProfileType.TimeAccParabolic,
        ProfileType.TIME_ACC_SIN: sdk.ProfileType.TimeAccSin,
        ProfileType.TIME_ACC_ADVANCED_S: sdk.ProfileType.TimeAccAdvancedS,
        ProfileType.CONSTANT_DEC: sdk.ProfileType.ConstantDec,
        ProfileType.JERK_RATIO_FIXED_VELOCITY_T: sdk.ProfileType.JerkRatioFixedVelocityT,
        ProfileType.JERK_RATIO_FIXED_VELOCITY_S: sdk.ProfileType.JerkRatioFixedVelocityS,
        ProfileType.JERK_LIMITED_FIXED_VELOCITY_T: sdk.ProfileType.JerkLimitedFixedVelocityT,
        ProfileType.JERK_LIMITED_FIXED_VELOCITY_S: sdk.ProfileType.JerkLimitedFixedVelocityS,
        ProfileType.PARABOLIC_VELOCITY: sdk.ProfileType.ParabolicVelocity,
    }


def _finite(value: float) -> float:
    """As a plain float, which is what the SDK takes."""
    if not isfinite(value):
        rule = f"{value} in a profile must be finite"
        raise CommandRefused(ErrorCode.ProfileArgumentOutOfRange, rule)
    return float(value)
