"""Velocities and efforts within the limits of position of their actuators.

A velocity is a jog, which the driver ends after its run time. One that would come to rest beyond
the limit of its actuator is a move to that limit, so that the engine itself lets the axis stand
there, whatever becomes of who ordered it. An effort leads nowhere in particular: it can only be
ended when the motor is at the limit.
"""

from math import copysign, inf, isinf

from wmx_core.values import PositionMove, VelocityMove

from .description import Actuator

CYCLES = 0.005
"""A run counts as going further by what its speed makes in this time, s: the engine begins within
a few cycles, and makes whole ones of each change of speed. Of an engine whose clock is faster so
many more pass until it begins, and between two looks at it."""
AT_LIMIT = 1e-6
"""An axis that is nearer to its limit than this, rad or m, stands there."""


def comes_to_rest(position: float, velocity: float, rate: float, move: VelocityMove) -> float:
    """Where an axis stands when `move` has run for its time and slowed down, u; inf without.

    It comes no further than that. The run time is of the steady clock, velocities are of the
    engine, `rate` seconds of which pass in one of that.
    """
    if not move.run_time:
        return copysign(inf, move.velocity)
    lasts = move.run_time * rate
    way = copysign(_cycles(rate) * max(abs(velocity), abs(move.velocity)), move.velocity)
    if velocity * move.velocity < 0.0:  # it comes to rest before it turns back
        way += _slowing_down(velocity, move.dec)
        lasts, velocity = max(0.0, lasts - abs(velocity) / move.dec), 0.0
    change = move.velocity - velocity
    rate = move.acc if abs(move.velocity) > abs(velocity) else move.dec
    changing = min(abs(change) / rate, lasts)
    reached = move.velocity if changing < lasts else velocity + copysign(rate, change) * lasts
    way += 0.5 * (velocity + reached) * changing + reached * (lasts - changing)
    return position + way + _slowing_down(reached, move.dec)


def _slowing_down(velocity: float, deceleration: float) -> float:
    """The way from `velocity` to rest, u."""
    return 0.5 * velocity * abs(velocity) / deceleration


def _cycles(rate: float) -> float:
    """CYCLES, in time of the engine."""
    return CYCLES * max(1.0, rate)


def least_deceleration(
    actuator: Actuator,
    wanted: float,
    acceleration: float,
    position: float,
    velocity: float,
    rate: float,
) -> float:
    """The deceleration, u/s^2, with which an axis that is within its limits passes none of them.

    It is `acceleration`, or harder where that is too gentle, up to `acceleration_max`. `wanted` is
    the velocity, u/s, that the axis is to have, or may have on its way to a position.
    """
    towards = copysign(1.0, velocity)
    ahead = towards * (limit_towards(actuator, velocity) - position)
    if ahead <= AT_LIMIT:
        return acceleration
    faster = towards * wanted > abs(velocity)
    if faster and _slowing_down(abs(velocity), acceleration) <= ahead:
        return acceleration  # it may be on its way to its limit, where no cycle is lost
    way = max(ahead - _cycles(rate) * abs(velocity), 0.5 * ahead)
    return max(acceleration, min(0.5 * velocity * velocity / way, actuator.acceleration_max))


def limit_towards(actuator: Actuator, direction: float) -> float:
    """The limit of position that lies in `direction`, rad or m; infinite where there is none."""
    return actuator.position_max if direction > 0.0 else actuator.position_min


def beyond(actuator: Actuator, position: float, direction: float) -> bool:
    """Whether an axis at `position` stands at the limit in `direction`, or beyond it."""
    if direction == 0.0:
        return False
    over = position - limit_towards(actuator, direction)
    return copysign(1.0, direction) * over > -AT_LIMIT


def limited(
    actuator: Actuator, move: VelocityMove, position: float, velocity: float, rate: float
) -> PositionMove | None:
    """The move to the limit that `move` would go beyond, from `position` with `velocity`."""
    limit = limit_towards(actuator, move.velocity)
    if move.velocity == 0.0 or isinf(limit):
        return None
    rest = comes_to_rest(position, velocity, rate, move)
    if copysign(1.0, move.velocity) * (rest - limit) <= 0.0:
        return None
    return PositionMove(
        axis=move.axis, target=limit, velocity=abs(move.velocity), acc=move.acc, dec=move.dec
    )


def limit_words(actuator: Actuator, direction: float) -> str:
    """Return the limit of position in `direction`, in words."""
    name = "position_max" if direction > 0.0 else "position_min"
    return f"{name} of {actuator.name!r}, {limit_towards(actuator, direction):g}"


def effort_ends(
    actuator: Actuator, effort: float, position: float, velocity: float, rate: float
) -> float:
    """The direction in which an `effort` leaves the limits, from `position` with `velocity`; or 0.

    One that leads back from beyond a limit may do so.
    """
    for direction in (1.0, -1.0):
        soon = position + velocity * _cycles(rate)
        outwards = direction * effort > 0.0 or direction * velocity > 0.0
        if outwards and beyond(actuator, soon, direction):
            return direction
    return 0.0
