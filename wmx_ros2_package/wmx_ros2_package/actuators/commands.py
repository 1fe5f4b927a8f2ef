"""What commands to actuators mean for the engine, and when they are refused.

The commands of one message start in the same communication cycle, so they are all of one type, and
each actuator has one at most.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, nan

from ..drivers.interface import Motion
from ..drivers.values import (
    CommandMode,
    MotionStatus,
    PositionMove,
    TorqueMove,
    VelocityMove,
)
from ..motions import trapezoid
from ..motions.events import MotionKind
from ..trajectories.plan import Plan as Trajectory
from ..validation import MOST_REASONS, BadRequest
from .command import Command, CommandType
from .description import Actuator
from .trajectories import trajectory


def _nothing(_motion: Motion) -> None:
    """What is played is not started by one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What commands of one type mean: one call of the engine, for all of their axes."""

    kind: MotionKind
    mode: CommandMode | None
    """What the axes must be commanded by; None for any."""
    axes: tuple[int, ...]
    targets: tuple[float, ...]
    """u; NaN where the motion has no end."""
    start: Callable[[Motion], None] = field(default=_nothing, repr=False)
    trajectory: Trajectory | None = None
    """What has to be played, in place of `start`."""


def plan(
    commands: Sequence[Command], actuators: Mapping[str, Actuator], status: MotionStatus
) -> Plan:
    """What `commands` mean for axes that are as `status` shows, or BadRequest with the rules."""
    reasons = [*_wrong_together(commands, actuators)]
    for command in commands:
        if command.name in actuators:
            reasons += _wrong(command, actuators[command.name])
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])
    if commands[0].type == CommandType.TRAJECTORY:
        return _trajectories(commands, actuators, status)
    pairs = [(command, actuators[command.name]) for command in commands]
    return _PLANNERS[CommandType(commands[0].type)](pairs, status)


_Pairs = Sequence[tuple[Command, Actuator]]


def _positions(pairs: _Pairs, status: MotionStatus) -> Plan:
    reasons, moves = [], []
    for command, actuator in pairs:
        acceleration = command.acceleration or actuator.acceleration
        velocity = command.velocity or actuator.velocity
        if command.duration:
            try:
                velocity = trapezoid.velocity_for(
                    command.duration,
                    command.value - float(status.pos_cmd[actuator.axis]),
                    initial_velocity=float(status.velocity_cmd[actuator.axis]),
                    velocity=command.velocity or actuator.velocity_max,
                    acc=acceleration,
                    dec=acceleration,
                )
            except ValueError as error:
                reasons.append(f"duration of {command.name!r}: {error}")
        moves.append(
            PositionMove(
                axis=actuator.axis,
                target=command.value,
                velocity=velocity,
                acc=acceleration,
                dec=acceleration,
            )
        )
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])
    return Plan(
        kind=MotionKind.POSITION,
        mode=CommandMode.POSITION,
        axes=_axes(pairs),
        targets=tuple(move.target for move in moves),
        start=lambda motion: motion.move_absolute(moves),
    )


def _velocities(pairs: _Pairs, _status: MotionStatus) -> Plan:
    moves = [
        VelocityMove(
            axis=actuator.axis,
            velocity=command.value,
            acc=command.acceleration or actuator.acceleration,
            dec=command.acceleration or actuator.acceleration,
            run_time=command.duration,
        )
        for command, actuator in pairs
    ]
    return Plan(
        kind=MotionKind.VELOCITY,
        mode=CommandMode.POSITION,
        axes=_axes(pairs),
        targets=(nan,) * len(pairs),
        start=lambda motion: motion.jog(moves),
    )


def _efforts(pairs: _Pairs, _status: MotionStatus) -> Plan:
    moves = [
        TorqueMove(
            axis=actuator.axis,
            torque=command.value / actuator.effort_per_percent,
            run_time=command.duration,
        )
        for command, actuator in pairs
    ]
    return Plan(
        kind=MotionKind.EFFORT,
        mode=CommandMode.TORQUE,
        axes=_axes(pairs),
        targets=(nan,) * len(pairs),
        start=lambda motion: motion.move_torque(moves),
    )


def _holds(pairs: _Pairs, _status: MotionStatus) -> Plan:
    axes = _axes(pairs)
    return Plan(
        kind=MotionKind.HOLD,
        mode=CommandMode.POSITION,
        axes=axes,
        targets=(nan,) * len(axes),
        start=lambda motion: motion.stop(axes),
    )


def _stops(pairs: _Pairs, _status: MotionStatus) -> Plan:
    gentle = tuple(actuator.axis for command, actuator in pairs if command.decelerate)
    hard = tuple(actuator.axis for command, actuator in pairs if not command.decelerate)

    def stop(motion: Motion) -> None:
        if hard:
            motion.quick_stop(hard)
        if gentle:
            motion.stop(gentle)

    return Plan(
        kind=MotionKind.STOP,
        mode=None,
        axes=_axes(pairs),
        targets=(nan,) * len(pairs),
        start=stop,
    )


def _trajectories(
    commands: Sequence[Command], actuators: Mapping[str, Actuator], status: MotionStatus
) -> Plan:
    made = trajectory(commands, actuators, status)
    return Plan(
        kind=MotionKind.TRAJECTORY,
        mode=CommandMode.POSITION,
        axes=made.axes,
        targets=tuple(made.target.tolist()),
        trajectory=made,
    )


_PLANNERS: dict[CommandType, Callable[[_Pairs, MotionStatus], Plan]] = {
    CommandType.POSITION: _positions,
    CommandType.VELOCITY: _velocities,
    CommandType.EFFORT: _efforts,
    CommandType.HOLD: _holds,
    CommandType.STOP: _stops,
}


def _axes(pairs: _Pairs) -> tuple[int, ...]:
    return tuple(actuator.axis for _, actuator in pairs)


def _wrong_together(commands: Sequence[Command], actuators: Mapping[str, Actuator]) -> list[str]:
    if not 1 <= len(commands) <= len(actuators):
        return [f"there are {len(commands)} commands: must be 1 to {len(actuators)}, the actuators"]
    names = [command.name for command in commands]
    reasons = [
        f"there is no actuator {name!r}: must be one of {', '.join(actuators)}"
        for name in dict.fromkeys(names)
        if name not in actuators
    ]
    reasons += [
        f"{name!r} is named {names.count(name)} times: must be named once"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    types = dict.fromkeys(command.type for command in commands)
    reasons += [
        f"type {type_} is none: must be 1 (POSITION) to {CommandType.STOP:d} (STOP)"
        for type_ in types
        if type_ not in [*CommandType]
    ]
    if len(types) > 1 and not reasons:
        together = " and ".join(CommandType(type_).name for type_ in types)
        reasons.append(f"{together} cannot start in the same cycle: send a message for each")
    return reasons


def _wrong(command: Command, actuator: Actuator) -> list[str]:
    where = f"of {command.name!r}"
    numbers = {n: getattr(command, n) for n in ("value", "velocity", "acceleration", "duration")}
    reasons = [
        f"{name} {where} is {number}: must be finite"
        for name, number in numbers.items()
        if not isfinite(number)
    ]
    limits = (
        ("velocity", actuator.velocity_max),
        ("acceleration", actuator.acceleration_max),
        ("duration", inf),
    )
    reasons += [
        f"{name} {where} is {numbers[name]}: must be 0 to {most:g}"
        for name, most in limits
        if not 0.0 <= numbers[name] <= most and isfinite(numbers[name])
    ]
    low, high = {
        CommandType.POSITION: (actuator.position_min, actuator.position_max),
        CommandType.VELOCITY: (-actuator.velocity_max, actuator.velocity_max),
        CommandType.EFFORT: (-actuator.effort_max, actuator.effort_max),
    }.get(command.type, (-inf, inf))  # type: ignore[call-overload]
    if isfinite(command.value) and not low <= command.value <= high:
        reasons.append(f"value {where} is {command.value}: must be {low:g} to {high:g}")
    return reasons
