"""When an axis takes an order, and the vendor's code for when it does not."""

from math import inf
from typing import NamedTuple

from ...errors import CommandRefused, ErrorCode
from ...values import CommandMode, LinearMove, OperationState, PositionMove, VelocityMove

POSITION_RANGE = 1e15
"""Largest position magnitude, u: beyond it a double resolves little of a single unit."""
RATE_RANGE = 1e-9, 1e15
"""Smallest and largest magnitude of velocity, acceleration and deceleration."""


class Rule(NamedTuple):
    """The command mode an order needs, the operation states that take it, and the refusals."""

    mode: CommandMode
    wrong_mode: ErrorCode
    states: frozenset[OperationState]
    wrong_state: ErrorCode


_IDLE = OperationState.IDLE

POSITION_MOVE = Rule(
    CommandMode.POSITION,
    ErrorCode.NotPosMode,
    frozenset({_IDLE, OperationState.POS, OperationState.JOG}),
    ErrorCode.NotIdleOrPosOrJogState,
)
JOG = POSITION_MOVE
"""A move and a jog take over from each other."""
VELOCITY_MOVE = Rule(
    CommandMode.VELOCITY,
    ErrorCode.NotVelocityMode,
    frozenset({_IDLE, OperationState.VELOCITY}),
    ErrorCode.NotIdleOrVelocityState,
)
TORQUE_MOVE = Rule(
    CommandMode.TORQUE,
    ErrorCode.NotTrqMode,
    frozenset({_IDLE, OperationState.TRQ}),
    ErrorCode.NotIdleOrTorqueState,
)
INTERPOLATION = Rule(
    CommandMode.POSITION,
    ErrorCode.NotPosMode,
    frozenset({_IDLE, OperationState.INTPL}),
    ErrorCode.NotIdleOrIntplState,
)
HOMING = Rule(
    CommandMode.POSITION, ErrorCode.NotPosMode, frozenset({_IDLE}), ErrorCode.NotIdleState
)


def require_profile(move: PositionMove | VelocityMove | LinearMove, *, speed: float) -> None:
    """Refuse a move whose speed, acc or dec cannot be planned with; NaN is refused as well."""
    for name, value, code in (
        ("velocity", speed, ErrorCode.VelocityArgumentOutOfRange),
        ("acc", move.acc, ErrorCode.AccArgumentOutOfRange),
        ("dec", move.dec, ErrorCode.DecArgumentOutOfRange),
    ):
        low, high = RATE_RANGE
        if not low <= value <= high:
            detail = f"{name} {value} must be within {low:g} to {high:g}"
            raise CommandRefused(code, detail)


def require_position(target: float, name: str = "target") -> None:
    """Refuse a target outside the range of positions; NaN is refused as well."""
    if not abs(target) <= POSITION_RANGE:
        raise CommandRefused(
            ErrorCode.PositionArgumentOutOfRange,
            f"{name} {target} must be within {-POSITION_RANGE:g} to {POSITION_RANGE:g}",
        )


def require_run_time(run_time: float) -> None:
    """Refuse a time that a motion cannot end after; NaN is refused as well."""
    if not 0.0 <= run_time < inf:
        detail = f"run_time {run_time} must be 0 or more, and finite"
        raise CommandRefused(ErrorCode.TimeArgumentOutOfRange, detail)


def require_torque(torque: float, limit: float) -> None:
    """Refuse a torque beyond `limit` (percent of rated torque); NaN is refused as well."""
    if not abs(torque) <= limit:
        detail = f"torque {torque} must be within {-limit:g} to {limit:g}"
        raise CommandRefused(ErrorCode.TorqueArgumentOutOfRange, detail)
