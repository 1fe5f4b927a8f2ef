"""Trapezoidal motions as the engine makes them: every phase lasts a whole number of cycles.

The engine commands a position once a communication cycle. To reach its target in a cycle, and not
between two, it lets each phase last as many whole cycles as its ideal time takes up, and moves a
little slower to fit: the vendor's velocity adjustment from extra pulses. From rest, over the
distance D, at most at v, with acc and dec:

    peak = min(v, sqrt(2 D / (1 / acc + 1 / dec)))
    Ta = up(peak / acc)    Td = up(peak / dec)    Tc = up(D / peak - (Ta + Td) / 2), at least 0
    V = D / (Tc + (Ta + Td) / 2)

The axis speeds up to V in Ta, keeps V for Tc and slows down in Td, so neither v nor acc nor dec
is exceeded. From a velocity it is the same, less the distance that this takes away; where the axis
is too fast to stop before its target, or moves away from it, it first stops with `dec` and then
comes back. A change of velocity lasts whole cycles too, and gets to exactly what was asked for.
"""

from math import ceil, copysign, floor, inf, sqrt
from typing import NamedTuple

from ..clock import CYCLES_PER_SECOND
from .profile import Profile, Segment, hold

_CYCLE = 1 / CYCLES_PER_SECOND
_ROUNDING = 1e-9
"""Cycles by which a phase may be too short: what divides evenly does not come out exact."""


def up(seconds: float) -> float:
    """The least number of whole cycles that last `seconds` (> 0), as seconds."""
    return max(1, ceil(seconds * CYCLES_PER_SECOND - _ROUNDING)) / CYCLES_PER_SECOND


def to_rest(position: float, velocity: float, dec: float) -> Profile:
    """Slow down from `velocity` to rest."""
    return to_velocity(position, velocity, 0.0, acc=dec, dec=dec)


def to_velocity(
    position: float, velocity: float, target: float, *, acc: float, dec: float
) -> Profile:
    """Change from `velocity` to the velocity `target` and keep it.

    A change of direction slows down to rest with `dec` first and speeds up with `acc` then.
    """
    if velocity * target < 0.0:
        *stop, rest = to_velocity(position, velocity, 0.0, acc=acc, dec=dec)
        return (*stop, *to_velocity(rest.position, 0.0, target, acc=acc, dec=dec))
    if velocity == target:
        return (Segment(inf, position, target),)
    time = up(abs(target - velocity) / (acc if abs(target) > abs(velocity) else dec))
    return (
        Segment(time, position, velocity, (target - velocity) / time),
        Segment(inf, position + (velocity + target) / 2 * time, target),
    )


def to_position(
    position: float,
    velocity: float,
    target: float,
    *,
    max_velocity: float,
    acc: float,
    dec: float,
) -> Profile:
    """Move to `target` and rest there, no faster than `max_velocity` (a positive magnitude)."""
    distance = abs(target - position)
    direction = copysign(1.0, target - position)
    speed = velocity * direction
    if speed and (speed < 0.0 or speed * up(speed / dec) / 2 > distance):
        *stop, rest = to_rest(position, velocity, dec)
        back = to_position(rest.position, 0.0, target, max_velocity=max_velocity, acc=acc, dec=dec)
        return (*stop, *back)
    if distance == 0.0:
        return hold(target)
    phases = _phases(distance, speed, max_velocity, acc, dec)
    return _profile(position, velocity, target, direction * phases.peak, phases)


class _Phases(NamedTuple):
    """How long the axis changes to the velocity `peak` (u/s), keeps it and slows down, s."""

    change: float
    cruise: float
    slow_down: float
    peak: float


def _phases(distance: float, speed: float, max_velocity: float, acc: float, dec: float) -> _Phases:
    """The phases of a move over `distance` from `speed`, which can stop before its end."""
    highest = sqrt((2 * distance + speed * (speed / acc)) / (1 / acc + 1 / dec))
    wanted = min(max_velocity, max(highest, speed))
    slow_down = up(wanted / dec)
    change = up(abs(wanted - speed) / (dec if speed > wanted else acc)) if wanted != speed else 0.0
    longest = floor(2 * distance / speed * CYCLES_PER_SECOND) / CYCLES_PER_SECOND if speed else inf
    while change < longest:
        left = distance - (speed + wanted) / 2 * change - wanted / 2 * slow_down
        cruise = up(left / wanted) if left > _ROUNDING * _CYCLE * wanted else 0.0
        peak = (distance - speed / 2 * change) / (cruise + (change + slow_down) / 2)
        # What fits may be slower than the start: then slowing down to it takes its time as well.
        if speed - peak <= dec * change:
            return _Phases(change, cruise, slow_down, peak)
        if not cruise:
            break
        change = max(up((speed - peak) / dec), up(change + _CYCLE))
    # All that is left is to slow down: evenly, and what then is left of the way in one cycle more.
    peak = max(0.0, (2 * distance - speed * longest) / (longest + _CYCLE))
    return _Phases(longest, 0.0, _CYCLE, peak)


def _profile(
    position: float, velocity: float, target: float, peak: float, phases: _Phases
) -> Profile:
    """The segments of `phases` whose velocity is `peak`, with its sign."""
    change, cruise, slow_down, _ = phases
    segments = []
    if change:
        segments.append(Segment(change, position, velocity, (peak - velocity) / change))
    if cruise:
        segments.append(Segment(cruise, position + (velocity + peak) / 2 * change, peak))
    if peak:
        start = target - peak / 2 * slow_down
        segments.append(Segment(slow_down, start, peak, -peak / slow_down))
    return (*segments, *hold(target))
