"""Plans each move of one axis, of whatever profile type, by the ramps of the planner.

Types that limit jerk mean the ramp to the full velocity: where the way is too short for it, its
mean rate and its ratio stay. So do those of types that give the time of that ramp.
"""

from dataclasses import replace
from itertools import pairwise
from math import copysign, inf, sqrt

from wmx_core.profile_types import (
    JERK_LIMITED,
    TIME_ACC,
    TWO_VELOCITIES,
    WITH_TARGET,
    MoveProfile,
    ProfileType,
)
from wmx_core.values import PositionMove, VelocityMove

from ..clock import CYCLES_PER_SECOND
from .planner import Rates, change, move, runs_past
from .profile import Profile, Segment, at, hold
from .ramps import OF_MOST, Parts, Ramp, Shape, whole_cycles

T = ProfileType
_RATIO = {T.JERK_RATIO, T.TWO_VELOCITY_JERK_RATIO, T.TIME_ACC_JERK_RATIO}
_RATIO |= {T.JERK_RATIO_FIXED_VELOCITY_T, T.JERK_RATIO_FIXED_VELOCITY_S}
_FULL_RATIO = {T.S_CURVE, T.TWO_VELOCITY_S_CURVE}
_OWN_RATIO = {T.JERK_LIMITED, T.JERK_LIMITED_ADVANCED_S}
"""Types whose ratio the engine computes; where it comes to 1, it is a rounding more."""

_NO_BEND = 1e-6
"""A ratio that is less bends the velocity in less than a rounding of it."""


def shaped_move(
    position: float,
    velocity: float,
    target: float,
    *,
    max_velocity: float,
    acc: float,
    dec: float,
    shape: MoveProfile,
) -> Profile:
    """Move to `target` and stay there, in `shape`.

    An axis at rest begins with the starting velocity where it can stop from that on its way.
    """
    direction = copysign(1.0, target - position)
    starting = shape.starting_velocity if velocity == 0.0 else 0.0
    if shape.type is T.CONSTANT_DEC:
        return _evenly(position, direction * starting if starting else velocity, target)
    if shape.type is T.PARABOLIC_VELOCITY:
        return _in_time(position, target, shape)
    rates = rates_of(max_velocity, acc, dec, shape)
    if starting:
        if runs_past(abs(target - position) - _ahead(starting, shape), starting, rates.down):
            shape = replace(shape, starting_velocity=0.0)
            rates = rates_of(max_velocity, acc, dec, shape)
        else:
            velocity = direction * starting
    if shape.type in TWO_VELOCITIES:
        return _two_velocities(position, velocity, target, rates, shape)
    if _ends_too_fast(abs(target - position), velocity * direction, rates):
        return _speeding_up(position, velocity, target, direction * rates.end)
    if shape.type is T.TRAPEZOIDAL_MAT:
        profile = move(position + _ahead(velocity, shape), velocity, target, rates)
        return averaged(profile, shape.moving_average_time)
    return move(position, velocity, target, rates)


def shaped_change(
    position: float,
    velocity: float,
    target: float,
    *,
    acc: float,
    dec: float,
    shape: MoveProfile,
    most: float = inf,
) -> Profile:
    """Change from `velocity` to the velocity `target` and keep it, in `shape`.

    No acceleration is above `most`, whatever the shape says.
    """
    if velocity == 0.0 and target and shape.starting_velocity:
        velocity = copysign(shape.starting_velocity, target)
    # What takes a time takes it for the greater of both velocities: slowing down to next to nothing
    # is over when slowing down to rest is.
    rates = rates_of(max(abs(target), abs(velocity)) or 1.0, acc, dec, shape)
    up, down = rates.up.at_most(most), rates.down.at_most(most)
    return change(position, velocity, target, up=up, down=down)


def stop_ramp(move: PositionMove | VelocityMove) -> Ramp | None:
    """Return the ramp that stops `move`, unless it is the even one of its deceleration."""
    if move.profile.type is T.TRAPEZOIDAL or move.profile.type in WITH_TARGET:
        return None
    return rates_of(abs(move.velocity) or 1.0, move.acc, move.dec, move.profile).down


def rates_of(velocity: float, acc: float, dec: float, shape: MoveProfile) -> Rates:
    """Return the planner's rates of a motion at `velocity` in `shape`."""
    # Where nothing is to be changed, what comes with another velocity takes the ramp of rest.
    rising, falling = (
        velocity - other if other < velocity else velocity
        for other in (shape.starting_velocity, shape.end_velocity)
    )
    up = _ramp(rising, acc, shape.type, shape.jerk_acc, shape.jerk_acc_ratio, shape.acc_time)
    down = _ramp(falling, dec, shape.type, shape.jerk_dec, shape.jerk_dec_ratio, shape.dec_time)
    return Rates(velocity, up, down, shape.end_velocity)


def _ramp(
    full: float, rate: float, kind: ProfileType, jerk: float, ratio: float, time: float
) -> Ramp:
    """Return the ramp of `kind` that changes the velocity by `full` (u/s)."""
    if kind in TIME_ACC:
        return _timed(full, time, kind, ratio)
    if kind is T.PARABOLIC:
        return Ramp(rate=rate * OF_MOST[Shape.PARABOLA], shape=Shape.PARABOLA)
    if kind is T.SIN:
        return Ramp(rate=rate * OF_MOST[Shape.SINE], shape=Shape.SINE)
    if kind in JERK_LIMITED:
        return _jerk_limited(full, rate, kind, jerk)
    if kind in _FULL_RATIO:
        return Ramp(rate=rate, ratio=1.0)
    if kind is T.ADVANCED_S:
        return _smooth(full, rate, ratio)
    return Ramp(rate=rate, ratio=_least(kind, ratio))


def _timed(full: float, time: float, kind: ProfileType, ratio: float) -> Ramp:
    """Return the ramp that changes by `full` in `time`.

    A smaller change is as steep at its steepest.

    But the engine takes V / time for the steepest, where a parabola or a sine is steeper.
    """
    rate = full / time
    cycles = Ramp(rate=rate).cycles(full)
    if kind is T.TIME_ACC_PARABOLIC:
        mean = OF_MOST[Shape.PARABOLA]
        return Ramp(rate=rate * mean, shape=Shape.PARABOLA, full=(full, cycles))
    if kind is T.TIME_ACC_SIN:
        return Ramp(rate=rate * OF_MOST[Shape.SINE], shape=Shape.SINE, full=(full, cycles))
    if kind is T.TIME_ACC_ADVANCED_S and ratio:
        smooth = _smooth(full, rate, ratio)
        rising = smooth.cycles(full).rising
        parts = Parts(rising, max(0, cycles.cycles - 2 * rising) + 1)
        return Ramp(
            rate=full / parts.time, shape=Shape.SMOOTH, ratio=smooth.ratio, full=(full, parts)
        )
    return Ramp(rate=rate, ratio=1.0 if kind is T.TIME_ACC_S_CURVE else _least(kind, ratio))


def _least(kind: ProfileType, ratio: float) -> float:
    """A ratio of 0 is as little as there is: rising takes a cycle."""
    return max(ratio, 1e-12) if kind in _RATIO else 0.0


def _jerk_limited(full: float, rate: float, kind: ProfileType, jerk: float) -> Ramp:
    """Return the quickest change by `full` with the acceleration `rate` and `jerk` at most."""
    smooth = kind is T.JERK_LIMITED_ADVANCED_S
    mean_jerk = jerk / 2.0 if smooth else jerk
    rising = rate / mean_jerk
    if kind is T.JERK_LIMITED_S_CURVE or full / rate <= rising:
        rising = max(sqrt(full / mean_jerk), full / rate)
        time, ratio = 2.0 * rising, 1.0
    else:
        time = full / rate + rising
        ratio = 2.0 * rising / time
    ramp = _smooth(full, full / time, ratio) if smooth else Ramp(rate=full / time, ratio=ratio)
    return replace(ramp, one_more=ratio == 1.0 and kind in _OWN_RATIO)


def _smooth(full: float, rate: float, ratio: float) -> Ramp:
    """Return an S-shaped ramp; its ratio is that of the ramp to full velocity, in whole cycles."""
    if not ratio:
        return Ramp(rate=rate)
    cycles = full / rate * CYCLES_PER_SECOND
    parts = Ramp(rate=rate, shape=Shape.SMOOTH, ratio=ratio).cycles(full)
    return Ramp(rate=rate, shape=Shape.SMOOTH, ratio=min(1.0, 2 * parts.rising / cycles))


def _ends_too_fast(distance: float, speed: float, rates: Rates) -> bool:
    """Return whether the way is too short to get to the end velocity."""
    gain = rates.end**2 - speed**2
    return rates.end > speed >= 0.0 < distance and gain > 2.0 * rates.up.rate * distance


def _evenly(position: float, velocity: float, target: float) -> Profile:
    """Return a profile from nearly `velocity` to rest with one acceleration, in whole cycles."""
    if target == position or not velocity:
        return hold(target)
    time = whole_cycles(2.0 * abs((target - position) / velocity))
    start = 2.0 * (target - position) / time
    return (Segment(time, position, start, -start / time), *hold(target))


def _speeding_up(position: float, velocity: float, target: float, end: float) -> Profile:
    """Return a profile from `velocity` to nearly `end` with one acceleration, in whole cycles."""
    time = whole_cycles(2.0 * abs((target - position) / (velocity + end)))
    acceleration = 2.0 * ((target - position) / time - velocity) / time
    return (Segment(time, position, velocity, acceleration), *hold(target))


def _in_time(position: float, target: float, shape: MoveProfile) -> Profile:
    """Speed up for one time and slow down for the other; `ratio` of each the velocity bends."""
    times = [whole_cycles(time) for time in (shape.acc_time, shape.dec_time)]
    ratios = [
        (ratio if ratio > _NO_BEND else 0.0) if ratio else 1.0
        for ratio in (shape.jerk_acc_ratio, shape.jerk_dec_ratio)
    ]
    # The mean velocity of a half of which 1 - r is steadily faster, then bends to the peak.
    means = [((1 - r) * (1 - r) / 2 + (1 - r) * r + r * r / 3) / (1 - r / 2) for r in ratios]
    peak = (target - position) / sum(m * t for m, t in zip(means, times, strict=True))
    up = _bent(position, peak, times[0], ratios[0])
    back = _bent(target, -peak, times[1], ratios[1])
    down = [_reversed(segment) for segment in reversed(back)]
    return (*up, *down, *hold(target))


def _bent(position: float, peak: float, time: float, ratio: float) -> list[Segment]:
    """Return a profile from rest to the velocity `peak`, at first with a steady acceleration."""
    acceleration = peak / time / (1 - ratio / 2)
    steady, bending = time * (1 - ratio), time * ratio
    segments = [Segment(steady, position, 0.0, acceleration)] if steady else []
    if not bending:
        return segments
    p, v = Segment(steady, position, 0.0, acceleration).at(steady)
    return [*segments, Segment(bending, p, v, acceleration, -acceleration / bending)]


def _reversed(segment: Segment) -> Segment:
    """Return the same way back in time, and so with the velocity turned round."""
    s = segment.duration
    p, v = segment.at(s)
    return Segment(s, p, -v, segment.acceleration + segment.jerk * s, -segment.jerk)


def _two_velocities(
    position: float, velocity: float, target: float, rates: Rates, shape: MoveProfile
) -> Profile:
    """Return a profile to the first velocity with its own ramp, and evenly on to the second."""
    second = rates._replace(velocity=shape.second_velocity)
    whole = move(position, velocity, target, second)
    direction = copysign(1.0, target - position)
    first = direction * rates.velocity
    if max(abs(segment.velocity) for segment in whole) <= rates.velocity:
        return whole
    *ramp, steady = change(position, velocity, first, up=rates.up, down=rates.down)
    even = second._replace(up=Ramp(rate=rates.up.rate))
    return (*ramp, *move(steady.position, first, target, even))


def _ahead(velocity: float, shape: MoveProfile) -> float:
    """Return by how much what is averaged is ahead out of motion: as much as its mean lags."""
    is_averaged = shape.type is T.TRAPEZOIDAL_MAT
    return velocity * _nearest_cycles(shape.moving_average_time) / 2.0 if is_averaged else 0.0


def _nearest_cycles(time: float) -> float:
    return round(time * CYCLES_PER_SECOND) / CYCLES_PER_SECOND


def averaged(profile: Profile, time: float) -> Profile:
    """Return the mean of `profile` over the last `time` seconds, to whole cycles, of every moment.

    Its acceleration is the difference of two velocities, so between the bounds of the segments,
    and these `time` later, it changes evenly: a cubic each.
    """
    if not (time := _nearest_cycles(time)):
        return profile
    ends = {0}
    for segment in profile[:-1]:
        ends.add(max(ends) + round(segment.duration * CYCLES_PER_SECOND))
    bounds = sorted({*ends, *(end + round(time * CYCLES_PER_SECOND) for end in ends)})
    position, velocity = profile[0].position, profile[0].velocity
    before = (Segment(time, position - velocity * time, velocity), *profile)
    position -= velocity * time / 2.0
    segments: list[Segment] = []
    for start, end in pairwise(bounds):
        begun, length = start / CYCLES_PER_SECOND, (end - start) / CYCLES_PER_SECOND
        # Not at the bounds, where the velocity of the profile may jump.
        inside = [begun + length / 4.0, begun + length * 3.0 / 4.0]
        a, b = ((at(before, t + time)[1] - at(before, t)[1]) / time for t in inside)
        jerk = 2.0 * (b - a) / length
        segments.append(Segment(length, position, velocity, a - jerk * length / 4.0, jerk))
        position, velocity = segments[-1].at(length)
    return (*segments, *hold(profile[-1].position))
