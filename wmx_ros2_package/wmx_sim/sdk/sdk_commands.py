"""The SDK's command objects as commands of the simulated engine."""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import RATE_RANGE
from wmx_core.profile_types import (
    TIME_ACC,
    TRAPEZOID,
    MoveProfile,
    ProfileType,
)
from wmx_core.values import (
    EmergencyStop,
    LinearMove,
    MotionStatus,
    PositionMove,
    TorqueMove,
    VelocityMove,
)

from .enums import ENUMS
from .structs import same_fields

_SHAPE = same_fields("Profile", MoveProfile)
_TIMES = {
    "accTimeMilliseconds": "acc_time",
    "decTimeMilliseconds": "dec_time",
    "movingAverageTimeMilliseconds": "moving_average_time",
}
_WITHOUT_RATES = TIME_ACC | {ProfileType.CONSTANT_DEC, ProfileType.PARABOLIC_VELOCITY}


def commands_of(args: Sequence[Any]) -> list[Any]:
    """Return the commands of the two forms of a start: one command, or a count and a list."""
    return args[1][: args[0]] if len(args) > 1 and isinstance(args[0], int) else [args[0]]


def shape_of(profile: Any) -> MoveProfile:
    """Return the type and the shape of a profile of the SDK."""
    values: dict[str, Any] = {
        **{ours: float(getattr(profile, theirs)) for theirs, ours in _SHAPE.items()},
        **{ours: float(getattr(profile, theirs)) * 1e-3 for theirs, ours in _TIMES.items()},
        "type": ProfileType(profile.type),
    }
    return MoveProfile(**values)


def rates_of(profile: Any) -> dict[str, Any]:
    """Return velocity, rates and shape; any rate, or velocity, where the type uses none."""
    try:
        shape = shape_of(profile)
    except (TypeError, ValueError):
        raise CommandRefused(ErrorCode.ProfileArgumentOutOfRange) from None
    any_rate = 1.0 if shape.type in _WITHOUT_RATES else None
    unused = {
        ProfileType.CONSTANT_DEC: shape.starting_velocity,
        ProfileType.PARABOLIC_VELOCITY: any_rate,
    }
    return {
        "velocity": float(profile.velocity) or unused.get(shape.type, 0.0),
        "acc": any_rate or float(profile.acc),
        "dec": any_rate or float(profile.dec),
        "profile": TRAPEZOID if shape == TRAPEZOID else shape,
    }


def position_move(command: Any) -> PositionMove:
    """Return a Motion_PosCommand."""
    return PositionMove(
        axis=int(command.axis), target=float(command.target), **rates_of(command.profile)
    )


def jog(command: Any) -> VelocityMove:
    """Return a Motion_JogCommand."""
    return VelocityMove(axis=int(command.axis), **rates_of(command.profile))


def jogs(commands: Sequence[Any], status: MotionStatus) -> list[VelocityMove]:
    """Return a move for each Motion_JogCommand; newer ones may have a run time."""
    return [
        timed_jogs([each], status)[0] if getattr(each, "runTimeMilliseconds", 0) else jog(each)
        for each in commands
    ]


def timed_jogs(commands: Sequence[Any], status: MotionStatus) -> list[VelocityMove]:
    """Return a move for each Motion_TimedJogCommand, with the rates that its times give.

    It reaches its velocity in its acceleration time, from the present velocity on (API reference,
    StartJog).
    """
    nows = [float(status.velocity_cmd[each.axis]) for each in commands]
    return [_timed(each, now, now) for each, now in zip(commands, nows, strict=True)]


def timed_velocities(commands: Sequence[Any], status: MotionStatus) -> list[VelocityMove]:
    """Return a move for each Velocity_TimedVelCommand, with the rates that its times give.

    Its acceleration "determines the rate at which the speed will increase" (API reference,
    StartVel): the acceleration time is that from rest.
    """
    return [_timed(each, 0.0, float(status.velocity_cmd[each.axis])) for each in commands]


def _timed(command: Any, start: float, now: float) -> VelocityMove:
    """Return the move of an axis at velocity `now` that would speed up in its time from `start`."""
    profile = command.profile
    if profile.type != ProfileType.TIME_ACC_TRAPEZOIDAL:
        raise CommandRefused(ErrorCode.ProfileTypeNotSupported)
    speeding_up, slowing_down = profile.accTimeMilliseconds, profile.decTimeMilliseconds
    if not (speeding_up > 0.0 and slowing_down > 0.0):
        raise CommandRefused(ErrorCode.TimeArgumentOutOfRange)
    velocity = float(profile.velocity)
    acc = 1000.0 * abs(velocity - start) / speeding_up
    if acc < RATE_RANGE[0]:  # there is nothing to change, but for what a sum is rounded by
        acc = 1.0
    dec = 1000.0 * abs(velocity) / slowing_down
    change = speeding_up / 1000.0 if start == now else _change(now, velocity, acc, dec)
    return VelocityMove(
        axis=int(command.axis),
        velocity=velocity,
        acc=acc,
        dec=dec,
        run_time=change + float(command.runTimeMilliseconds) / 1000.0,
    )


def _change(now: float, velocity: float, acc: float, dec: float) -> float:
    """Return how long an axis takes from one velocity to another, s, at these rates."""
    if not dec:
        return 0.0  # refused with the move
    turning = abs(now) / dec if now * velocity < 0.0 else 0.0
    change = abs(velocity) - (0.0 if turning else abs(now))
    return turning + abs(change) / (acc if change > 0.0 else dec)


def torque(command: Any) -> TorqueMove:
    """Return a Torque_TrqCommand."""
    return TorqueMove(axis=int(command.axis), torque=float(command.torque))


def line(command: Any, starts: Sequence[float] = ()) -> LinearMove:
    """Return a Motion_LinearIntplCommand, from `starts` on if it is relative."""
    targets = numbers(command, "Target", command.axisCount)
    if starts:
        targets = tuple(start + way for start, way in zip(starts, targets, strict=True))
    return LinearMove(axes=axes_of(command), targets=targets, **rates_of(command.profile))


def limited(move: LinearMove, command: Any, starts: Sequence[float]) -> LinearMove:
    """Return `move`, slow enough for the limits of each axis; a limit of 0 is none."""
    ways = [abs(target - start) for target, start in zip(move.targets, starts, strict=True)]
    length = hypot(*ways)
    rates = {"velocity": move.velocity, "acc": move.acc, "dec": move.dec}
    for array, rate in (("MaxVelocity", "velocity"), ("MaxAcc", "acc"), ("MaxDec", "dec")):
        for i, way in enumerate(ways):
            most = float(command.element(array, i))
            if most > 0.0 and way > 0.0:
                rates[rate] = min(rates[rate], most * length / way)
    return replace(move, velocity=rates["velocity"], acc=rates["acc"], dec=rates["dec"])


def axes_of(selection: Any, count: int | None = None) -> tuple[int, ...]:
    """Return the axes of a selection, or of a command for several: `count`, or its axisCount."""
    most = selection.axisCount if count is None else count
    return tuple(int(selection.element("Axis", i)) for i in range(most))


def numbers(struct: Any, array: str, count: int) -> tuple[float, ...]:
    """Return the first `count` elements of an array."""
    return tuple(float(struct.element(array, i)) for i in range(count))


def emergency_stop(level: int) -> EmergencyStop:
    """Return what a number of EStopLevel stands for."""
    final = level == ENUMS["EStopLevel"].Final
    return EmergencyStop.FINAL if final else EmergencyStop.LEVEL1
