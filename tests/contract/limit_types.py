"""What limits of each type do, and the moves that a limit keeps an axis from."""

from collections.abc import Callable

import moves
import simulation
from backends import Backend

from wmx_core.values import LimitType

DECELERATION = {
    LimitType.DEC: simulation.LIMIT_DEC,
    LimitType.SLOW_DEC: simulation.LIMIT_SLOW_DEC,
    LimitType.DEC_SERVO_OFF: simulation.LIMIT_DEC,
    LimitType.SLOW_DEC_SERVO_OFF: simulation.LIMIT_SLOW_DEC,
}
"""u/s^2, by the types that slow an axis down."""
SERVO_OFF = {LimitType.SERVO_OFF, LimitType.DEC_SERVO_OFF, LimitType.SLOW_DEC_SERVO_OFF}
"""The types that take the servo off in the end."""

BEYOND = 2.4
"""Farther than any limit of the contract, u."""
FURTHER: dict[str, Callable[[Backend, int], object]] = {
    "jog": lambda backend, sign: backend.motion.jog([moves.at(backend.x, sign * 0.1)]),
    "absolute": lambda backend, sign: backend.motion.move_absolute(
        [moves.to(backend.x, sign * BEYOND)]
    ),
    "relative": lambda backend, sign: backend.motion.move_relative(
        [moves.to(backend.x, sign * 0.1)]
    ),
    "line": lambda backend, sign: backend.motion.move_linear(
        moves.line((backend.x, sign * BEYOND))
    ),
}
"""Moves of x further to its positive side, or with the sign -1, its negative one."""
