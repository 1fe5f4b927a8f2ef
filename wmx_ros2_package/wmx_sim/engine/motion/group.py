"""Axes on a common path: what stops one of them stops them all, along the path."""

from collections.abc import Sequence
from itertools import pairwise
from math import hypot, inf
from typing import Protocol

from .path_stop import to_rest_along
from .profile import Profile, slowing_down, way
from .ramps import whole_cycles
from .straight_line import to_rest_together


class Member(Protocol):
    """What a group needs of an axis."""

    group: "Group | None"

    @property
    def course(self) -> tuple[float, Profile]:
        """The profile that it follows, and since when (s)."""

    def commanded(self, time: float) -> tuple[float, float]:
        """Return commanded position and velocity."""

    def stop_with_group(self, time: float, profile: Profile) -> None:
        """Follow `profile` to rest, as the others do."""


class Group:
    """The axes that follow a line or a spline together; `dec` (u/s^2) is that along the path."""

    def __init__(
        self, axes: Sequence[Member], dec: float, *, curved: bool, stands_at: float = inf
    ) -> None:
        """On a path that is `curved` a stop follows its course, else the direction of the line.

        The time of a curved path that slows down already stands at `stands_at`.
        """
        self._axes = axes
        self._dec = dec
        self._curved = curved
        self._stands_at = stands_at

    def stop(self, time: float, dec: float | None = None) -> None:
        """Slow all of them down in the same time, so that they stay on the path."""
        before = self._dec
        self._dec = max(before, dec or 0.0)  # no stop makes an earlier one gentler
        moving = [axis for axis in self._axes if axis.group is self]
        if not moving:
            return
        if self._curved:
            slowing = self._stands_at - time
            speed = hypot(*(axis.commanded(time)[1] for axis in moving))
            lasts = whole_cycles(speed / self._dec)
            if slowing < inf and (self._dec == before or lasts >= slowing):
                return  # they slow down as hard already
            since, _ = moving[0].course
            courses = [axis.course[1] for axis in moving]
            profiles = to_rest_along(courses, time - since, lasts, slowing)
            self._stands_at = time + lasts
        else:
            positions, velocities = zip(*(axis.commanded(time) for axis in moving), strict=True)
            profiles = to_rest_together(positions, velocities, self._dec)
            own = self._slowing_down(moving, time)
            if own and hypot(*map(way, own)) < hypot(*map(way, profiles)):
                profiles = own
        for axis, profile in zip(moving, profiles, strict=True):
            axis.stop_with_group(time, profile)

    def _slowing_down(self, moving: Sequence[Member], time: float) -> tuple[Profile, ...]:
        """Return how `moving` come to rest by themselves, where they only become slower till then.

        In the middle of a smooth ramp that is less far than an even one.
        """
        courses = [axis.course for axis in moving]
        own = tuple(slowing_down(profile, time - since) for since, profile in courses)
        ends = zip(own, courses, strict=True)
        together = all(o and o[-1].position == p[-1].position for o, (_, p) in ends)
        return own if together else ()


def top_acceleration(profiles: Sequence[Profile]) -> float:
    """Return the largest acceleration along the path of `profiles`, of equal break points.

    That of straight pieces is between them.
    """
    largest = 0.0
    pieces = list(zip(*(profile[:-1] for profile in profiles), strict=True))
    for segments in pieces:
        for s in (0.0, segments[0].duration):
            accelerations = (segment.acceleration + segment.jerk * s for segment in segments)
            largest = max(largest, hypot(*accelerations))
    if not largest:
        for before, after in pairwise(pieces):
            changes = (b.velocity - a.velocity for a, b in zip(before, after, strict=True))
            largest = max(largest, hypot(*changes) / after[0].duration)
    return largest or 1.0  # without acceleration nothing moves, and any number will do
