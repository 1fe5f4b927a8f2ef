"""Ramps and a steady velocity in whole cycles, as the engine makes moves (`shaped_move`).

The engine commands a position once a communication cycle. To reach its target in a cycle, and not
between two, it lets each phase last as many whole cycles as its ideal time takes up, and moves a
little slower to fit: the vendor's velocity adjustment from extra pulses. From rest, over the
distance D, at most at v, with ramps (`ramps`) of the mean rates acc and dec:

    peak = min(v, sqrt(2 D / (1 / acc + 1 / dec)))
    Ta = up(peak / acc)    Td = up(peak / dec)    Tc = up(D / peak - (Ta + Td) / 2), at least 0
    V = D / (Tc + (Ta + Td) / 2)

The axis speeds up to V in Ta, keeps V for Tc and slows down in Td, so neither v nor acc nor dec
is exceeded. From a velocity, or to one at the target, it is the same, less their shares of the
distance. Where the axis is too fast to stop before its target, or moves away from it, it first
stops and then comes back. A change of velocity lasts whole cycles too, and gets to exactly what
was requested.
"""

from math import copysign, floor, inf, sqrt
from typing import NamedTuple

from ..clock import CYCLE, CYCLES_PER_SECOND
from .profile import Profile, Segment, hold
from .ramps import ROUNDING, Parts, Ramp


class Rates(NamedTuple):
    """At most `velocity` (u/s), reached by `up` and left by `down`, which ends at `end` (u/s)."""

    velocity: float
    up: Ramp
    down: Ramp
    end: float = 0.0


def even_rates(velocity: float, acc: float, dec: float) -> Rates:
    """Return rates with steady accelerations."""
    return Rates(velocity, Ramp(rate=acc), Ramp(rate=dec))


def rest(position: float, velocity: float, down: Ramp) -> Profile:
    """Slow down from `velocity` to rest."""
    return change(position, velocity, 0.0, up=down, down=down)


def change(position: float, velocity: float, target: float, *, up: Ramp, down: Ramp) -> Profile:
    """Change from `velocity` to the velocity `target` and keep it.

    A change of direction slows down to rest first and speeds up then.
    """
    if velocity * target < 0.0:
        *stop, at_rest = change(position, velocity, 0.0, up=up, down=down)
        return (*stop, *change(at_rest.position, 0.0, target, up=up, down=down))
    ramp = up if abs(target) > abs(velocity) else down
    parts = ramp.cycles(abs(target - velocity))
    segments = ramp.segments(position, velocity, target, parts)
    end = position + (velocity + target) / 2 * parts.time
    return (*segments, Segment(inf, end, target))


def runs_past(distance: float, speed: float, down: Ramp) -> bool:
    """Return whether an axis at `speed` goes farther than `distance` until it rests."""
    return speed * down.cycles(speed).time / 2 > distance


def move(position: float, velocity: float, target: float, rates: Rates) -> Profile:
    """Move to `target` within `rates`, and stay there."""
    distance = abs(target - position)
    direction = copysign(1.0, target - position)
    speed = velocity * direction
    if speed < 0.0 or runs_past(distance, speed, rates.down):
        *stop, at_rest = rest(position, velocity, rates.down)
        return (*stop, *move(at_rest.position, 0.0, target, rates))
    if distance == 0.0:
        return hold(target)
    phases = _phases(distance, speed, rates)
    return _profile(position, velocity, target, direction, phases, rates)


class _Phases(NamedTuple):
    """Whole cycles: of the change to the velocity `peak` (u/s), at it, and of slowing down."""

    change: Parts
    cruise: int
    slow_down: Parts
    peak: float


def _phases(distance: float, speed: float, rates: Rates) -> _Phases:
    """Return the phases of a move over `distance` from `speed`, which can stop before its end."""
    acc, dec, end = rates.up.rate, rates.down.rate, rates.end
    gained = 2 * distance + speed * (speed / acc) + end * (end / dec)
    highest = sqrt(gained) / sqrt(1 / acc + 1 / dec)  # their quotient might be 0
    if _is_far_enough(distance, rates):
        highest = rates.velocity
    wanted = min(rates.velocity, max(highest, speed))
    slow_down = rates.down.cycles(wanted - end)
    change = (rates.up if wanted >= speed else rates.down).cycles(abs(wanted - speed))
    distance -= end / 2 * slow_down.time
    most = 2 * distance / speed * CYCLES_PER_SECOND if speed else inf
    longest = floor(most) if most < inf else inf
    while change.cycles < longest:
        left = distance - (speed + wanted) / 2 * change.time - wanted / 2 * slow_down.time
        cycles = left / wanted * CYCLES_PER_SECOND
        cruise = -floor(ROUNDING - cycles) if cycles > ROUNDING else 0
        both = change.time + slow_down.time
        peak = (distance - speed / 2 * change.time) / (cruise * CYCLE + both / 2)
        # What fits may be slower than the start: then slowing down to it takes its time as well.
        if speed - peak <= dec * change.time:
            return _Phases(change, cruise, slow_down, peak)
        if not cruise:
            break
        needed = rates.down.cycles(speed - peak)
        change = needed if needed.cycles > change.cycles else Parts(0, change.cycles + 1)
    # All that is left is to slow down: evenly, and what then is left of the way in one cycle more.
    distance += end / 2 * slow_down.time
    change = Parts(0, floor(2 * distance / (speed + end) * CYCLES_PER_SECOND))
    peak = (2 * distance - speed * change.time - end * CYCLE) / (change.time + CYCLE)
    return _Phases(change, 0, Parts(0, 1), max(0.0, peak))


def _is_far_enough(distance: float, rates: Rates) -> bool:
    """Return whether ramps whose full time is given reach the full velocity at any rate."""
    if rates.up.full is None or rates.down.full is None:
        return False
    ways = [(rates.velocity - f / 2) * parts.time for f, parts in (rates.up.full, rates.down.full)]
    return sum(ways) <= distance


def _profile(
    position: float,
    velocity: float,
    target: float,
    direction: float,
    phases: _Phases,
    rates: Rates,
) -> Profile:
    change, cruise, slow_down, peak = phases
    peak, end = direction * peak, direction * rates.end
    first = rates.up if abs(peak) > abs(velocity) else rates.down
    segments = first.segments(position, velocity, peak, change)
    if cruise:
        start = position + (velocity + peak) / 2 * change.time
        segments.append(Segment(cruise / CYCLES_PER_SECOND, start, peak))
    if peak != end:
        start = target - (peak + end) / 2 * slow_down.time
        segments += rates.down.segments(start, peak, end, slow_down)
    return (*segments, *hold(target))
