"""Several properties of an actuator at once: the command that they make, and what was measured."""

from collections.abc import Mapping, Sequence
from enum import IntEnum

from wmx_core.values import MotionStatus

from ..validation import MOST_REASONS, BadRequest
from .command import Command, CommandType
from .description import Actuator


class Semantics(IntEnum):
    """The meaning of a value, numbered as in ActuatorValue."""

    POSITION = 0
    SPEED = 1
    ACCELERATION = 2
    FORCE = 3


P, S, A, F = Semantics
_MEANING = {
    frozenset({P}): CommandType.POSITION,
    frozenset({P, S}): CommandType.POSITION,
    frozenset({P, A}): CommandType.POSITION,
    frozenset({P, S, A}): CommandType.POSITION,
    frozenset({S}): CommandType.VELOCITY,
    frozenset({S, A}): CommandType.VELOCITY,
    frozenset({F}): CommandType.EFFORT,
}
"""With a position, speed and acceleration are limits; with a speed, acceleration is one."""

Values = Sequence[tuple[int, float]]
"""Pairs of `Semantics` and a number in SI units."""


def group_commands(
    names: Sequence[str], values: Sequence[Values], actuators: Mapping[str, Actuator]
) -> list[Command]:
    """The commands that the `values` of actuators mean; without `names` those of all actuators.

    BadRequest for combinations that mean nothing. The engine has no limit of torque that a command
    could set, so a force beside a position is refused.
    """
    wanted = list(names) or list(actuators)
    if len(values) != len(wanted):
        raise BadRequest(
            [f"actuators has {len(values)} elements but there are {len(wanted)} names"]
        )
    reasons: list[str] = []
    commands = []
    for name, properties in zip(wanted, values, strict=True):
        try:
            commands.append(_command(name, properties))
        except BadRequest as error:
            reasons.append(str(error))
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])
    return commands


def measured(
    status: MotionStatus, actuator: Actuator, acceleration: float
) -> list[tuple[Semantics, float]]:
    """Position, speed, acceleration and force of an actuator, in SI units."""
    axis = actuator.axis
    return [
        (P, float(status.actual_pos[axis])),
        (S, float(status.actual_velocity[axis])),
        (A, acceleration),
        (F, float(status.actual_torque[axis]) * actuator.effort_per_percent),
    ]


def _command(name: str, values: Values) -> Command:
    kinds = [kind for kind, _ in values]
    unknown = [kind for kind in kinds if kind not in [*Semantics]]
    if unknown:
        raise BadRequest(
            [f"semantics of {name!r} is {unknown[0]}: must be 0 (POSITION) to 3 (FORCE)"]
        )
    if len({*kinds}) < len(kinds):
        raise BadRequest([f"{name!r} has a semantics more than once: must have each once"])
    given = {Semantics(kind): value for kind, value in values}
    meaning = _MEANING.get(frozenset(given))
    if meaning is None:
        together = " with ".join(kind.name for kind in sorted(given)) or "no value"
        raise BadRequest([f"{together} for {name!r} means nothing: {_ALLOWED}"])
    if meaning is CommandType.POSITION:
        _require_positive(name, given, S, A)
        return Command(
            name=name,
            type=meaning,
            value=given[P],
            velocity=given.get(S, 0.0),
            acceleration=given.get(A, 0.0),
        )
    if meaning is CommandType.VELOCITY:
        _require_positive(name, given, A)
        return Command(name=name, type=meaning, value=given[S], acceleration=given.get(A, 0.0))
    return Command(name=name, type=meaning, value=given[F])


def _require_positive(name: str, given: Mapping[Semantics, float], *kinds: Semantics) -> None:
    """A limit of 0 would be taken for the default."""
    for kind in kinds:
        if kind in given and not given[kind] > 0.0:
            raise BadRequest(
                [f"{kind.name} of {name!r} is {given[kind]}: as a limit it must be greater than 0"]
            )


_ALLOWED = (
    "must be POSITION with SPEED and ACCELERATION as limits, or SPEED with ACCELERATION as limit, "
    "or FORCE"
)
