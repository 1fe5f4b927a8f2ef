"""Commands as objects of the SDK, judged before any of them is given.

What only the engine can judge, such as whether an axis can reach a target, is left to it. But a
number that is none (NaN) is nothing it expects, and several axes move all together or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, isfinite
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_rates
from wmx_core.profile_types import MoveProfile
from wmx_core.values import Floats, LinearMove, PositionMove, SplineMove, TorqueMove, VelocityMove

from .sdk import Sdk, number

RUN_TIME = "SetRunTime"
"""The function by which a Motion_JogCommand of newer releases gets a run time."""


def position_command(sdk: Sdk, move: PositionMove) -> Any:
    """A Motion_PosCommand, for a target or for a distance."""
    command = sdk.Motion_PosCommand()
    command.axis = move.axis
    command.target = _finite(move.target, "target", ErrorCode.PositionArgumentOutOfRange)
    _fill(command.profile, sdk, move)
    return command


def jog_command(sdk: Sdk, move: VelocityMove) -> Any:
    """A Motion_JogCommand."""
    command = sdk.Motion_JogCommand()
    command.axis = move.axis
    _fill(command.profile, sdk, move)
    return command


def velocity_command(sdk: Sdk, move: VelocityMove) -> Any:
    """A Velocity_VelCommand."""
    command = sdk.Velocity_VelCommand()
    command.axis = move.axis
    _fill(command.profile, sdk, move)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What a timed command is made of, in u/s and milliseconds.

    It is an endless move that ends by itself: it speeds up in a given time, runs for another and
    slows down in a third (API reference, StartJog for a TimedJogCommand). Ours has rates, and its
    run time begins with the move: the times follow from the velocity at which the axis is now. So
    the client of the move may be gone by its end: the engine keeps the time.

    The time to speed up counts from the velocity that the axis has now, as the reference describes
    jogs, or it stands for a rate, as it describes velocities: that from rest. Which one is right is
    tried by first contact. Until then the time is so long that no rate is above that of the move by
    either, and the run time is exact, as the reference of the command has it, unless a jog's time
    to speed up is longer: the jog goes on for that, and `Renewals` ends it in time. It is not cut
    short, for by the other reading, or an override that takes the same time, the axis would speed
    up harder than it may.

    Of a velocity that its client leads in steps the time is that from the present velocity: in the
    time from rest none of its steps would be done before the next one begins. By the other reading
    such a step is done before its time, and harder, but the axis is as fast when the next begins.

    Whole milliseconds to run for are taken be the field an integer or not; there is one at least to
    change the velocity in, for whether it may change in no time is not documented.
    """

    velocity: float
    speeding_up: float
    running: int
    slowing_down: float


def slows_all_along(move: VelocityMove, now: float) -> bool:
    """Whether an axis at velocity `now` (u/s) slows down until the run time of `move` ends.

    To slow down to rest is the same until then, and needs no time.
    """
    lowest = abs(move.velocity) if now * move.velocity > 0.0 else 0.0
    # A quotient, as in `times_of`: where both are nearly equal, a product may be rounded otherwise.
    return (abs(now) - lowest) / move.dec >= move.run_time


def times_of(move: VelocityMove, now: float, *, from_rest: bool) -> Times:
    """The times for an axis at velocity `now` (u/s), which does not slow down all along.

    `from_rest` means that the time to speed up is documented as that from rest. A velocity that is
    not reached by the end of the run time is less.
    """
    speed, turning = abs(move.velocity), 0.0
    start = abs(now)
    if now * move.velocity < 0.0:
        start, turning = 0.0, abs(now) / move.dec
    rate = move.acc if speed >= start else move.dec
    reached = turning + abs(speed - start) / rate
    if reached > move.run_time:
        speed = start + rate * (move.run_time - turning)
        reached = move.run_time
    at_once = (abs(now) + speed) / min(move.acc, move.dec) if turning else 0.0
    speeding_up = max(1e-3, reached, 0.0 if move.in_steps else speed / rate, at_once)
    if move.in_steps or (from_rest and turning):
        reached = turning + speeding_up  # the longer time is a lower rate
    elif not from_rest:
        reached = speeding_up
    running = move.run_time - reached
    return Times(
        velocity=copysign(speed, move.velocity),
        speeding_up=1000.0 * speeding_up,
        running=max(0, round(1000.0 * running)),
        slowing_down=max(1.0, 1000.0 * speed / move.dec),
    )


def timed_jog_command(sdk: Sdk, move: VelocityMove, now: float) -> Any:
    """A jog for an axis at velocity `now`: a Motion_JogCommand, where that has a run time.

    In releases where it has none, it is a Motion_TimedJogCommand.
    """
    times = times_of(move, now, from_rest=False)
    command = sdk.Motion_JogCommand()
    if hasattr(command, RUN_TIME):
        command.SetRunTime(max(1, times.running))  # 0 may stand for ever
    else:
        command = sdk.Motion_TimedJogCommand()
        command.runTimeMilliseconds = times.running
    command.axis = move.axis
    _fill_timed(command.profile, sdk, times)
    return command


def timed_velocity_command(sdk: Sdk, move: VelocityMove, now: float) -> Any:
    """A Velocity_TimedVelCommand for an axis at velocity `now`."""
    times = times_of(move, now, from_rest=True)
    command = sdk.Velocity_TimedVelCommand()
    command.axis = move.axis
    command.runTimeMilliseconds = times.running
    _fill_timed(command.profile, sdk, times)
    return command


def torque_command(sdk: Sdk, move: TorqueMove) -> Any:
    """A Torque_TrqCommand."""
    command = sdk.Torque_TrqCommand()
    command.axis = move.axis
    command.torque = _finite(move.torque, "torque", ErrorCode.TorqueArgumentOutOfRange)
    return command


def linear_command(sdk: Sdk, move: LinearMove) -> Any:
    """A Motion_LinearIntplCommand."""
    command = sdk.Motion_LinearIntplCommand()
    command.axisCount = len(move.axes)
    for i, (axis, target) in enumerate(zip(move.axes, move.targets, strict=True)):
        command.SetAxis(i, axis)
        command.SetTarget(i, _finite(target, "target", ErrorCode.PositionArgumentOutOfRange))
    _fill(command.profile, sdk, move)
    return command


def spline_command(sdk: Sdk, move: SplineMove) -> Any:
    """An AdvMotion_PointTimeSplineCommand, which names the axes."""
    command = sdk.AdvMotion_PointTimeSplineCommand()
    command.dimensionCount = len(move.axes)
    for i, axis in enumerate(move.axes):
        command.SetAxis(i, axis)
    return command


def spline_points(sdk: Sdk, positions: Floats) -> list[Any]:
    """`positions` (points, axes), each an AdvMotion_SplinePoint."""
    points = []
    for row in positions.tolist():
        point = sdk.AdvMotion_SplinePoint()
        for i, position in enumerate(row):
            point.SetPos(i, position)
        points.append(point)
    return points


def shape_profile(profile: Any, sdk: Sdk, shape: MoveProfile) -> None:
    """Give the SDK's `profile` the type and the shape of ours; a trapezoid has no more."""
    profile.type = number(sdk.ProfileType, shape.type, TRAPEZOIDAL_MAT="TrapezoidalMAT")
    if shape == MoveProfile():
        return
    profile.jerkAcc = _finite_in_profile(shape.jerk_acc)
    profile.jerkDec = _finite_in_profile(shape.jerk_dec)
    profile.jerkAccRatio = _finite_in_profile(shape.jerk_acc_ratio)
    profile.jerkDecRatio = _finite_in_profile(shape.jerk_dec_ratio)
    profile.accTimeMilliseconds = 1000.0 * _finite_in_profile(shape.acc_time)
    profile.decTimeMilliseconds = 1000.0 * _finite_in_profile(shape.dec_time)
    profile.startingVelocity = _finite_in_profile(shape.starting_velocity)
    profile.endVelocity = _finite_in_profile(shape.end_velocity)
    profile.secondVelocity = _finite_in_profile(shape.second_velocity)
    profile.movingAverageTimeMilliseconds = 1000.0 * _finite_in_profile(shape.moving_average_time)


def axis_selection(sdk: Sdk, axes: Sequence[int]) -> Any:
    """An AxisSelection."""
    selection = sdk.AxisSelection()
    selection.axisCount = len(axes)
    for i, axis in enumerate(axes):
        selection.SetAxis(i, axis)
    return selection


def _fill(profile: Any, sdk: Sdk, move: PositionMove | VelocityMove | LinearMove) -> None:
    """Make `profile` that of `move`."""
    require_rates(move)
    shape_profile(profile, sdk, move.profile)
    profile.velocity = float(move.velocity)
    profile.acc = float(move.acc)
    profile.dec = float(move.dec)


def _fill_timed(profile: Any, sdk: Sdk, times: Times) -> None:
    profile.type = sdk.ProfileType.TimeAccTrapezoidal
    profile.velocity = times.velocity
    profile.accTimeMilliseconds = times.speeding_up
    profile.decTimeMilliseconds = times.slowing_down


def _finite(value: float, name: str, code: ErrorCode) -> float:
    """As a plain float, which is what the SDK takes."""
    if not isfinite(value):
        raise CommandRefused(code, f"{name} {value} must be finite")
    return float(value)


def _finite_in_profile(value: float) -> float:
    if not isfinite(value):
        rule = f"{value} in a profile must be finite"
        raise CommandRefused(ErrorCode.ProfileArgumentOutOfRange, rule)
    return float(value)
