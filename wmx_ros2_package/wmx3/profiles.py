"""The profile of a move, as the SDK has it."""

from math import isfinite
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.profile_types import MoveProfile

from .sdk import Sdk, number


def shape_profile(profile: Any, sdk: Sdk, shape: MoveProfile) -> None:
    """Give the SDK's `profile` the type and the shape of ours; a trapezoid has no more."""
    profile.type = number(sdk.ProfileType, shape.type, TRAPEZOIDAL_MAT="TrapezoidalMAT")
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


def _finite(value: float) -> float:
    """As a plain float, which is what the SDK takes."""
    if not isfinite(value):
        rule = f"{value} in a profile must be finite"
        raise CommandRefused(ErrorCode.ProfileArgumentOutOfRange, rule)
    return float(value)
