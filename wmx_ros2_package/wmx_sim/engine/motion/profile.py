"""Motion profiles as pure functions of time.

A profile is a tuple of segments, each a `curve` without decay of the time since its own start. Its
last segment lasts for ever (duration inf) and holds the final state, so that a profile can be
evaluated at any time.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np

from wmx_core.values import Floats

from ..clock import ROUNDING
from .curve import Curve


class Segment(NamedTuple):
    """A curve for `duration` s; the rest, in u, u/s, u/s^2 and u/s^3, is its polynomial."""

    duration: float
    position: float
    velocity: float
    acceleration: float = 0.0
    jerk: float = 0.0

    @property
    def curve(self) -> Curve:
        """The way of the segment."""
        return Curve(*self[1:])

    def at(self, s: float) -> tuple[float, float]:
        """Return position and velocity `s` seconds after the start of the segment."""
        left = self.curve.after(s)
        return left.p, left.v

    def after(self, s: float) -> "Segment":
        """Return what is left of the segment `s` seconds after its start."""
        p, v, a, j, *_ = self.curve.after(s)
        return Segment(self.duration - s, p, v, a, j)


Profile = tuple[Segment, ...]


def duration(profile: Profile) -> float:
    """Seconds from the start of `profile` to the start of its final, endless segment."""
    return sum(segment.duration for segment in profile[:-1])


def at(profile: Profile, time: float) -> tuple[float, float]:
    """Return position and velocity `time` seconds after the start of `profile`."""
    for segment in profile:
        if time < segment.duration:
            return segment.at(time)
        time -= segment.duration
    raise ValueError("a profile ends with an endless segment")


def slowing_down(profile: Profile, time: float) -> Profile:
    """Return what is left of `profile` after `time` seconds, up to where it first rests.

    Nothing is returned where it does not become slower all the way to there.
    """
    left: list[Segment] = []
    for segment in profile:
        if segment.duration > time + ROUNDING:
            other = segment.after(max(0.0, time))
            if left:
                one = left[-1]
                if abs(one.at(one.duration)[1]) >= abs(one.velocity) > 0.0:
                    break  # it may keep the velocity with which its move ends
                if other.velocity == 0.0:
                    return (*left, *hold(other.position))
                if abs(other.velocity) >= abs(one.velocity) or one.velocity * other.velocity < 0.0:
                    break
            left.append(other)
        time -= segment.duration
    return ()


def way(profile: Profile) -> float:
    """Return how far the end of `profile`, which comes to rest, is from its start."""
    return abs(profile[-1].position - profile[0].position)


def superposed(one: Profile, other: Profile) -> Profile:
    """Return the sum of two profiles, segmented where one of them is."""
    rest_of_one, rest_of_other = iter(one), iter(other)
    a, b = next(rest_of_one), next(rest_of_other)
    segments: list[Segment] = []
    while True:
        length = min(a.duration, b.duration)
        segments.append(Segment(length, *(x + y for x, y in zip(a[1:], b[1:], strict=True))))
        if length == inf:
            return tuple(segments)
        a = a.after(length) if a.duration > length else next(rest_of_one)
        b = b.after(length) if b.duration > length else next(rest_of_other)


def extremes(profile: Profile) -> Iterator[float]:
    """Return positions; `profile` stays between the least and the greatest of them."""
    for segment in profile:
        yield segment.position
        if segment.duration < inf:
            curve = segment.curve
            for turn in curve.slope().sign_changes(segment.duration):
                yield curve.at(turn)


def through(times: Floats, positions: Floats, velocities: Floats) -> Profile:
    """Return the cubics that have these positions and velocities at `times`, and then rest."""
    ends = pairwise(zip(positions.tolist(), velocities.tolist(), strict=True))
    steps = zip(np.diff(times).tolist(), ends, strict=True)
    return (*(cubic(h, *both) for h, both in steps), *hold(float(positions[-1])))


def cubic(time: float, begin: tuple[float, float], end: tuple[float, float]) -> Segment:
    """Return the cubic of a time (s) that has these positions and velocities at its ends.

    Between positions p and q, which are h apart in time, the velocities u and w, and
    d = (q - p) / h:

        acceleration    2 (3 d - 2 u - w) / h     at its start
        jerk            6 (u + w - 2 d) / h^2
    """
    (p, u), (q, w) = begin, end
    mean = (q - p) / time
    acceleration = 2.0 * (3.0 * mean - 2.0 * u - w) / time
    return Segment(time, p, u, acceleration, 6.0 * (u + w - 2.0 * mean) / time**2)


def hold(position: float) -> Profile:
    """Rest at `position`."""
    return (Segment(inf, position, 0.0),)
