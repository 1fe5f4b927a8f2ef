"""Tables of points in time, which CoreMotion.motion or AdvancedMotion have, by the release."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import OperationState

from ..engine.motion.profile import Profile, Segment, cubic, hold
from .parts import Part, command
from .sdk_commands import axes_of
from .structs import CLASSES, struct

for _of in ("AdvMotion", "Motion"):
    for _kind in ("PVT", "PT", "VT"):
        _point = struct(f"{_of}_{_kind}Point", pos=0.0, velocity=0.0, timeMilliseconds=0.0)
        struct(f"{_of}_{_kind}Command", {"Points": _point}, axis=0, pointCount=0)
    _tables = {"Axis": 0, "PointCount": 0, "Points": CLASSES[f"{_of}_PVTPoint"]}
    struct(f"{_of}_PVTIntplCommand", _tables, axisCount=0)

Between = Callable[[float, Any, Any, float], Segment]
"""The way from a position, at one point of a table, to the next one, in a time (s)."""


class Tables(Part):
    """Axes that follow tables."""

    def StartPVT(self, table: Any, *_more: Any) -> int:
        """Go through positions with velocities at times: cubics in between."""
        return self._follow_table(table, _cubic)

    def StartPT(self, table: Any, *_more: Any) -> int:
        """Go through positions at times: straight in between."""
        return self._follow_table(table, _straight)

    def StartVT(self, table: Any, *_more: Any) -> int:
        """Have velocities until times."""
        return self._follow_table(table, _steady)

    @command
    def StartPVT_Intpl(self, table: Any, *_more: Any) -> None:
        """Go through positions with velocities at times, several axes at once."""
        axes, profiles = axes_of(table), []
        for i, axis in enumerate(axes):
            count = int(table.element("PointCount", i))
            points = [table.element("Points", i, n) for n in range(count)]
            profiles.append(through(self.runtime.position(axis), points, _cubic))
        self.runtime.local.follow(axes, profiles, OperationState.INTPL)

    @command
    def _follow_table(self, table: Any, between: Between) -> None:
        points = [table.element("Points", i) for i in range(table.pointCount)]
        if len(points) < 2:
            raise CommandRefused(ErrorCode.PointCountOutOfRange)
        profile = through(self.runtime.position(table.axis), points, between)
        self.runtime.local.follow([table.axis], [profile], OperationState.POS)


def through(start: float, points: list[Any], between: Between) -> Profile:
    """Return the way from rest at `start`, in place of the first point, through the others."""
    points[0].velocity = 0.0
    segments: list[Segment] = []
    position = start
    for one, other in pairwise(points):
        time = (other.timeMilliseconds - one.timeMilliseconds) / 1000.0
        if time <= 0.0:
            raise CommandRefused(ErrorCode.TimeArgumentOutOfRange)
        segments.append(between(position, one, other, time))
        position = segments[-1].at(time)[0]
    return (*segments, *hold(position))


def _cubic(position: float, one: Any, other: Any, time: float) -> Segment:
    return cubic(time, (position, float(one.velocity)), (other.pos, float(other.velocity)))


def _straight(position: float, _one: Any, other: Any, time: float) -> Segment:
    return Segment(time, position, (other.pos - position) / time)


def _steady(position: float, _one: Any, other: Any, time: float) -> Segment:
    return Segment(time, position, float(other.velocity))
