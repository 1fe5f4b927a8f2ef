"""The SDK's splines through points: at given times, in a total time, or with a profile.

In a total time the points are passed as chords along them are long, the first and the last chord
counting twice, for speeding up and slowing down. With a profile a point goes along all chords with
it, and the axes are where a natural spline of the way along the chords has them.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import dist
from typing import Any

import numpy as np

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.values import OperationState, SplineMove

from ..engine.motion.profile import Profile
from .not_simulated import NotSimulated
from .parts import Part, command
from .pieces import Point, each_cycle, sampled, way_of
from .runtime import Runtime
from .sdk_commands import axes_of
from .structs import Axes, struct
from .structs import Profile as SdkProfile

struct("AdvMotion_SplinePoint", {"Pos": 0.0})
struct("AdvMotion_PointTimeSplineCommand", Axes, dimensionCount=0)
struct("AdvMotion_TotalTimeSplineCommand", Axes, dimensionCount=0, totalTimeMilliseconds=0.0)
struct("AdvMotion_ProfileSplineCommand", Axes, dimensionCount=0, profile=SdkProfile)
MAX_DIMENSIONS = 8
"""Axes of a spline."""
LEAST_TIME = 1e-3
"""ms, between two points."""
NEAR = 1e-6
"""u, below which a point is the one before."""


class Splines(Part):
    """Splines of channels, each of which has memory for points."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._buffers: dict[int, int] = {}
        """How many points the buffer of each spline channel holds."""

    def CreateSplineBuffer(self, channel: int, points: int) -> int:
        if channel in self._buffers:
            raise CommandRefused(UNNUMBERED, "", "ChannelBufferMemoryAlreadyAllocated")
        self._buffers[channel] = points
        return 0

    def FreeSplineBuffer(self, channel: int) -> int:
        self._buffers.pop(channel, None)
        return 0

    def GetSplineBufferPoints(self, channel: int) -> tuple[int, int]:
        return 0, self._buffers.get(channel, 0)

    def StartCSplinePos_PointTime(
        self, channel: int, command: Any, count: int, points: Any, times: Any
    ) -> int:
        self._require_room(channel, command, count)
        return self._timed(command, points[:count], times[:count], relative=False)

    def StartCSplineMov_PointTime(
        self, channel: int, command: Any, count: int, points: Any, times: Any
    ) -> int:
        self._require_room(channel, command, count)
        return self._timed(command, points[:count], times[:count], relative=True)

    def StartCSplinePos_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._in_total_time(command, points[:count], relative=False)

    def StartCSplineMov_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._in_total_time(command, points[:count], relative=True)

    def StartCSplinePos_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._with_profile(command, points[:count], relative=False)

    def StartCSplineMov_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._with_profile(command, points[:count], relative=True)

    def _require_room(self, channel: int, command: Any, count: int) -> None:
        """Refuse a spline of too many axes, or for which its channel has no memory."""
        if command.dimensionCount > MAX_DIMENSIONS:
            raise CommandRefused(UNNUMBERED, "", "DimensionOutOfRange")
        if channel not in self._buffers:
            raise CommandRefused(UNNUMBERED, "", "ChannelBufferMemoryNotAllocated")
        if self._buffers[channel] < count + 1:  # the engine adds the present point
            raise CommandRefused(UNNUMBERED, "", "ChannelNotEnoughSpace")

    @command
    def _timed(self, spline: Any, points: list[Any], times: Any, *, relative: bool) -> None:
        axes, milliseconds = axes_of(spline, spline.dimensionCount), [float(time) for time in times]
        move = timed(axes, self.runtime.positions(axes), points, milliseconds, relative=relative)
        self.runtime.motion.move_spline(move)
        self.runtime.commanded(axes)

    @command
    def _in_total_time(self, spline: Any, points: list[Any], *, relative: bool) -> None:
        axes, seconds = axes_of(spline, spline.dimensionCount), spline.totalTimeMilliseconds / 1000
        through = points_of(self.runtime.positions(axes), points, relative=relative)
        self.runtime.motion.move_spline(in_total_time(axes, through, seconds))

    @command
    def _with_profile(self, spline: Any, points: list[Any], *, relative: bool) -> None:
        axes = axes_of(spline, spline.dimensionCount)
        through = points_of(self.runtime.positions(axes), points, relative=relative)
        profiles = with_profile(through, spline.profile)
        self.runtime.local.follow(axes, profiles, OperationState.INTPL)


def points_of(start: Point, given: Sequence[Any], *, relative: bool) -> list[Point]:
    """Return all points, `start` being the first.

    What is not apart from the one before is left out.
    """
    points = [start]
    for place in _places(start, given, relative=relative):
        if dist(place, points[-1]) > NEAR:
            points.append(place)
    if len(points) < 2:
        raise CommandRefused(ErrorCode.PointCountOutOfRange)
    return points


def _places(start: Point, given: Sequence[Any], *, relative: bool) -> list[Point]:
    origin = start if relative else (0.0,) * len(start)
    return [
        tuple(x + float(each.element("Pos", i)) for i, x in enumerate(origin)) for each in given
    ]


def timed(
    axes: tuple[int, ...],
    start: Point,
    given: Sequence[Any],
    milliseconds: Sequence[float],
    *,
    relative: bool,
) -> SplineMove:
    """Return the spline through `given` points at their times, from `start` on.

    As in the API reference of StartCSplinePos: the first point is left out if it is the present
    position, and the first time if it is 0, each by itself; and of points that are nearer to each
    other than NEAR the later one, with its time.
    """
    places, times = _places(start, given, relative=relative), [*milliseconds]
    if places and places[0] == start:
        del places[0]
    if times and times[0] == 0.0:
        del times[0]
    if len(places) != len(times):
        raise CommandRefused(ErrorCode.PointCountOutOfRange)
    way, at = [start], [0.0]
    for place, moment in zip(places, times, strict=True):
        if moment <= at[-1]:
            raise CommandRefused(UNNUMBERED, "", "PointTimeNotIncreasing")
        if moment - at[-1] < LEAST_TIME:
            raise CommandRefused(UNNUMBERED, "", "TimeBetweenPointsTooClose")
        if dist(way[-1], place) >= NEAR:
            way.append(place)
            at.append(moment)
    if len(way) < 3:
        raise CommandRefused(UNNUMBERED, "", "PointCountBelowMinimum")
    return SplineMove(axes=axes, positions=np.array(way), times=np.array(at) / 1000.0)


def in_total_time(axes: tuple[int, ...], points: Sequence[Point], seconds: float) -> SplineMove:
    """Return the spline through `points` that takes `seconds`."""
    chords = [dist(one, other) for one, other in pairwise(points)]
    if len(chords) > 1:
        chords[0] *= 2.0
        chords[-1] *= 2.0
    times = seconds * np.cumsum([0.0, *chords]) / sum(chords)
    return SplineMove(axes=axes, positions=np.array(points), times=times)


def with_profile(points: Sequence[Point], profile: Any) -> list[Profile]:
    """Return the spline through `points`; along its chords a point goes with `profile`."""
    marks = np.cumsum([0.0, *(dist(one, other) for one, other in pairwise(points))])
    gone = each_cycle(way_of(float(marks[-1]), profile))
    return sampled(natural_spline(marks, np.array(points), np.array(gone)).tolist())


def natural_spline(marks: Any, points: Any, where: Any) -> Any:
    """Return the cubic spline through `points` at `marks`, straight at both ends, at `where`."""
    steps = np.diff(marks)[:, None]
    slopes = np.diff(points, axis=0) / steps
    count = len(marks)
    bends = np.zeros_like(points)
    if count > 2:
        h = steps[:, 0]
        matrix = np.diag(2.0 * (h[:-1] + h[1:])) + np.diag(h[1:-1], 1) + np.diag(h[1:-1], -1)
        bends[1:-1] = np.linalg.solve(matrix, 6.0 * np.diff(slopes, axis=0))
    i = np.clip(np.searchsorted(marks, where, side="right") - 1, 0, count - 2)
    s = (where - marks[i])[:, None]
    h = steps[i]
    slope = slopes[i] - h * (2.0 * bends[i] + bends[i + 1]) / 6.0
    return points[i] + s * (
        slope + s * (bends[i] / 2.0 + s * (bends[i + 1] - bends[i]) / (6.0 * h))
    )
