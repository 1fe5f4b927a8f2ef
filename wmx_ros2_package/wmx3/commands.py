"""Commands as objects of the SDK, judged before any of them is given.

What only the engine can judge, such as whether an axis can reach a target, is left to it. But a
number that is none (NaN) is nothing it expects, and several axes move all together or not at all.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import Floats, LinearMove, PositionMove, SplineMove, TorqueMove, VelocityMove

from .profiles import shape_profile
from .run_times import Times, times_of
from .sdk import Sdk

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


def axis_selection(sdk: Sdk, axes: Sequence[int]) -> Any:
    """An AxisSelection."""
    selection = sdk.AxisSelection()
    selection.axisCount = len(axes)
    for i, axis in enumerate(axes):
        selection.SetAxis(i, axis)
    return selection


def require_axes(axes: Sequence[int], count: int) -> None:
    """Refuse an axis that the engine, which has `count`, has not, or that is named twice."""
    for axis in axes:
        if not 0 <= axis < count:
            detail = f"axis {axis} must be 0 to {count - 1}"
            raise CommandRefused(ErrorCode.AxisOutOfRange, detail)
    if len(set(axes)) < len(axes):
        raise CommandRefused(ErrorCode.DuplicateAxis, f"axes {[*axes]} must be named once each")


def require_profile(move: PositionMove | VelocityMove | LinearMove) -> None:
    """Refuse numbers that make no profile; only an endless move may go backwards, or nowhere."""
    _finite(move.velocity, "velocity", ErrorCode.VelocityArgumentOutOfRange)
    if not isinstance(move, VelocityMove):
        _positive(move.velocity, "velocity", ErrorCode.VelocityArgumentOutOfRange)
    _positive(move.acc, "acc", ErrorCode.AccArgumentOutOfRange)
    _positive(move.dec, "dec", ErrorCode.DecArgumentOutOfRange)


def _fill(profile: Any, sdk: Sdk, move: PositionMove | VelocityMove | LinearMove) -> None:
    """Make `profile` that of `move`."""
    require_profile(move)
    shape_profile(profile, sdk, move.profile)
    profile.velocity = float(move.velocity)
    profile.acc = float(move.acc)
    profile.dec = float(move.dec)


def _fill_timed(profile: Any, sdk: Sdk, times: Times) -> None:
    profile.type = sdk.ProfileType.TimeAccTrapezoidal
    profile.velocity = float(times.velocity)
    profile.accTimeMilliseconds = times.speeding_up
    profile.decTimeMilliseconds = times.slowing_down


def _finite(value: float, name: str, code: ErrorCode) -> float:
    """As a plain float, which is what the SDK takes."""
    if not isfinite(value):
        raise CommandRefused(code, f"{name} {value} must be finite")
    return float(value)


def _positive(value: float, name: str, code: ErrorCode) -> float:
    if not _finite(value, name, code) > 0.0:
        raise CommandRefused(code, f"{name} {value} must be greater than 0")
    return float(value)
