"""What commands to actuators mean for the engine, and when they are refused.

The commands of one message start in the same communication cycle, so they are all of one type, and
each actuator has one at most.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign, inf, nan

from wmx_core.errors import CommandRefused
from wmx_core.interface import Motion
from wmx_core.move_rules import rest_or
from wmx_core.values import (
    CommandMode,
    MotionStatus,
    PositionMove,
    TorqueMove,
    VelocityMove,
)

from ..control.gate import PartlyBegun
from ..control.request import MotionKind, MotionRequest
from ..validation import MOST_REASONS, BadRequest
from . import limits, trapezoid
from .command import Command, CommandType
from .description import LEAST, Actuator
from .rules import check


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCall:
    """The one call of the engine for commands of one type, for all of their axes."""

    kind: MotionKind
    mode: CommandMode | None
    """The mode in which the axes must be; None for any."""
    axes: tuple[int, ...]
    targets: tuple[float, ...]
    """u; NaN where the motion has no end."""
    run_times: tuple[float, ...]
    """After how long the engine ends each motion by itself, s; 0 for never."""
    start: Callable[[Motion], None] = field(repr=False)
    """Commands the engine; PartlyBegun where it has taken only a part."""
    limits: Mapping[int, str] = field(default_factory=dict)
    """The axes that end at a limit of position, and which it is, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTimes:
    """How long the engine lets what has no duration run unless it is renewed, s; 0 for ever."""

    seconds: float = 0.0
    timed_efforts: bool = True
    """Whether the engine can end an effort by itself; else the node has to."""
    renewed: bool = False
    """Whether the node renews it until it is stopped; else its client has to."""

    def lasts(self, command: Command) -> float:
        """How long `command` lasts unless it is commanded again, s; inf until it is stopped."""
        lease = 0.0 if self.renewed else self.seconds
        return command.duration or lease or inf


ENDLESS = RunTimes()


def engine_call(
    commands: Sequence[Command],
    actuators: Mapping[str, Actuator],
    status: MotionStatus,
    run_times: RunTimes = ENDLESS,
) -> EngineCall:
    """Return the call for `commands` on axes as `status` shows them, or BadRequest with reasons."""
    check(commands, actuators)
    pairs = [(command, actuators[command.name]) for command in commands]
    return _CALLS[CommandType(commands[0].type)](pairs, status, run_times)


def motion_requests(
    commands: Sequence[Command],
    made: EngineCall,
    asked_at: float,
    purpose: str,
    own_run_time: Callable[[Command], float] = lambda _: 0.0,
) -> list[MotionRequest]:
    """One motion for each of `commands`, which were planned as `made`.

    `own_run_time` is after how long their node ends what the engine does not, s; 0 for never.
    """
    return [
        MotionRequest(
            kind=made.kind,
            axes=(axis,),
            names=(command.name,),
            asked_at=asked_at,
            purpose=purpose,
            id=command.id,
            targets=(target,),
            run_time=run_time or own_run_time(command),
            renewable=command.is_continuous and not command.duration,
            limit=made.limits.get(axis, ""),
        )
        for command, axis, target, run_time in zip(
            commands, made.axes, made.targets, made.run_times, strict=True
        )
    ]


_Pairs = Sequence[tuple[Command, Actuator]]


def _positions(pairs: _Pairs, status: MotionStatus, _run_times: RunTimes) -> EngineCall:
    reasons, moves = [], []
    for command, actuator in pairs:
        begin = _begin(status, actuator.axis)
        acceleration = command.acceleration or actuator.acceleration
        fastest = command.velocity or actuator.velocity_max
        velocity = command.velocity or actuator.velocity
        wanted = copysign(fastest if command.duration else velocity, command.value - begin[0])
        dec = limits.least_deceleration(actuator, wanted, acceleration, *begin)
        if command.duration:
            try:
                slowest = trapezoid.velocity_for(
                    command.duration,
                    command.value - begin[0],
                    initial_velocity=begin[1],
                    velocity=fastest,
                    acc=acceleration,
                    dec=dec,
                )
                velocity = max(slowest, LEAST)  # it may stand there already
            except ValueError as error:
                reasons.append(f"duration of {command.name!r}: {error}")
        moves.append(
            PositionMove(
                axis=actuator.axis,
                target=command.value,
                velocity=velocity,
                acc=acceleration,
                dec=dec,
            )
        )
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])
    return EngineCall(
        kind=MotionKind.POSITION,
        mode=CommandMode.POSITION,
        axes=_axes(pairs),
        targets=tuple(move.target for move in moves),
        run_times=(0.0,) * len(moves),
        start=lambda motion: motion.move_absolute(moves),
    )


def _velocities(pairs: _Pairs, status: MotionStatus, run_times: RunTimes) -> EngineCall:
    _require_way(pairs, status)
    moves, found = [], []
    for command, actuator in pairs:
        axis, velocity = actuator.axis, rest_or(command.value)
        begin = _begin(status, axis)
        acceleration = command.acceleration or actuator.acceleration
        move = VelocityMove(
            axis=axis,
            velocity=velocity,
            acc=acceleration,
            dec=limits.least_deceleration(actuator, velocity, acceleration, *begin),
            run_time=command.duration or run_times.seconds,
        )
        moves.append(move)
        found.append(limits.limited(actuator, move, *begin))
    to_limits = [move for move in found if move is not None]

    def start(motion: Motion) -> None:
        if not to_limits:
            motion.jog(moves)
        elif len(to_limits) == len(moves):
            motion.move_absolute(to_limits)
        else:  # all start in the same cycle, then some of them are led to their limits
            motion.jog(moves)
            try:
                motion.move_absolute(to_limits)
            except CommandRefused as error:
                raise PartlyBegun(error) from None

    return EngineCall(
        kind=MotionKind.VELOCITY,
        mode=CommandMode.POSITION,
        axes=_axes(pairs),
        targets=tuple(nan if move is None else move.target for move in found),
        run_times=tuple(
            move.run_time if limited is None else 0.0
            for move, limited in zip(moves, found, strict=True)
        ),
        start=start,
        limits={
            actuator.axis: limits.limit_words(actuator, command.value)
            for (command, actuator), move in zip(pairs, found, strict=True)
            if move is not None
        },
    )


def _begin(status: MotionStatus, axis: int) -> tuple[float, float, float]:
    """Where a command begins, with which velocity, and how fast the time of its engine passes."""
    return float(status.pos_cmd[axis]), float(status.velocity_cmd[axis]), status.clock_rate


def _require_way(pairs: _Pairs, status: MotionStatus) -> None:
    """Refuse what would lead away from the limits of an actuator that stands at one."""
    reasons = []
    for command, actuator in pairs:
        effort = command.type == CommandType.EFFORT
        position = float((status.actual_pos if effort else status.pos_cmd)[actuator.axis])
        if limits.beyond(actuator, position, command.value):
            reasons.append(
                f"value of {command.name!r} is {command.value:g}: it stands at {position:.6g}, and "
                f"must not go further than {limits.limit_words(actuator, command.value)}"
            )
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])


def _efforts(pairs: _Pairs, status: MotionStatus, run_times: RunTimes) -> EngineCall:
    _require_way(pairs, status)
    moves = [
        TorqueMove(
            axis=actuator.axis,
            torque=command.value / actuator.effort_per_percent,
            run_time=(command.duration or run_times.seconds) if run_times.timed_efforts else 0.0,
        )
        for command, actuator in pairs
    ]
    return EngineCall(
        kind=MotionKind.EFFORT,
        mode=CommandMode.TORQUE,
        axes=_axes(pairs),
        targets=(nan,) * len(pairs),
        run_times=tuple(move.run_time for move in moves),
        start=lambda motion: motion.move_torque(moves),
    )


def _holds(pairs: _Pairs, _status: MotionStatus, _run_times: RunTimes) -> EngineCall:
    axes = _axes(pairs)
    return EngineCall(
        kind=MotionKind.HOLD,
        mode=None,  # whatever they do, they come to rest first
        axes=axes,
        targets=(nan,) * len(axes),
        run_times=(0.0,) * len(axes),
        start=lambda motion: motion.stop(axes),
    )


def _stops(pairs: _Pairs, _status: MotionStatus, _run_times: RunTimes) -> EngineCall:
    commands, axes = [command for command, _ in pairs], _axes(pairs)

    def stop(motion: Motion) -> None:
        for stopped, quick in by_deceleration(commands, axes):
            (motion.quick_stop if quick else motion.stop)(stopped)

    return EngineCall(
        kind=MotionKind.STOP,
        mode=None,
        axes=axes,
        targets=(nan,) * len(axes),
        run_times=(0.0,) * len(axes),
        start=stop,
    )


_CALLS: dict[CommandType, Callable[[_Pairs, MotionStatus, RunTimes], EngineCall]] = {
    CommandType.POSITION: _positions,
    CommandType.VELOCITY: _velocities,
    CommandType.EFFORT: _efforts,
    CommandType.HOLD: _holds,
    CommandType.STOP: _stops,
}


def by_deceleration(
    commands: Sequence[Command], axes: Sequence[int]
) -> list[tuple[list[int], bool]]:
    """The axes that STOP commands for `axes` stop together, those that stop quickly first."""
    both = [(a, not c.decelerate) for c, a in zip(commands, axes, strict=True)]
    groups = [([a for a, hard in both if hard is quick], quick) for quick in (True, False)]
    return [group for group in groups if group[0]]


def _axes(pairs: _Pairs) -> tuple[int, ...]:
    return tuple(actuator.axis for _, actuator in pairs)
