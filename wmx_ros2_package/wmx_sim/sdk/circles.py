"""Arcs of two axes, of which the point that both make moves in the shape of a profile."""

from collections.abc import Sequence
from itertools import pairwise
from math import atan2, copysign, cos, hypot, pi, sin
from typing import Any

from ..engine.clock import CYCLE
from ..engine.motion.profile import Profile, Segment, at, duration, hold
from ..engine.motion.shaped_move import shaped_move
from .sdk_commands import rates_of


def along(length: float, profile: Any) -> Profile:
    """Return the way from 0 to `length` along a path, with a profile of the SDK."""
    rates = rates_of(profile)
    shape = rates.pop("profile")
    return shaped_move(0.0, 0.0, length, max_velocity=rates.pop("velocity"), shape=shape, **rates)


def circle_profiles(
    start: Sequence[float], center: Sequence[float], degrees: float, clockwise: bool, profile: Any
) -> list[Profile]:
    """Return an arc of `degrees` around `center`, from `start` on, one profile for each axis."""
    x, y = start[0] - center[0], start[1] - center[1]
    radius, begin = hypot(x, y), atan2(y, x)
    turn = copysign(abs(degrees), -1.0 if clockwise else 1.0) * copysign(1.0, degrees) * pi / 180.0
    length = abs(turn) * radius
    way = along(length, profile)

    def point(gone: float) -> tuple[float, float]:
        angle = begin + turn * (gone / length if length else 1.0)
        return center[0] + radius * cos(angle), center[1] + radius * sin(angle)

    cycles = round(duration(way) / CYCLE)
    return sampled([point(at(way, n * CYCLE)[0]) for n in range(cycles + 1)])


def sampled(points: Sequence[Sequence[float]]) -> list[Profile]:
    """Profiles that are at each of `points` (one number for each axis) in a cycle, at rest then."""
    profiles: list[Profile] = []
    for column in zip(*points, strict=True):
        segments = [Segment(CYCLE, one, (other - one) / CYCLE) for one, other in pairwise(column)]
        profiles.append((*segments, *hold(column[-1])))
    return profiles
