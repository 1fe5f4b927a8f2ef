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

from wmx_ros2_package.drivers.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import SplineMove

from ..engine.motion.profile import Profile
from .pieces import Point, each_cycle, sampled, way_of
from .structs import Axes, struct
from .structs import Profile as SdkProfile

struct("AdvMotion_SplinePoint", {"Pos": 0.0})
struct("AdvMotion_PointTimeSplineCommand", Axes, dimensionCount=0)
struct("AdvMotion_TotalTimeSplineCommand", Axes, dimensionCount=0, totalTimeMilliseconds=0)
struct("AdvMotion_ProfileSplineCommand", Axes, dimensionCount=0, profile=SdkProfile)
LEAST_TIME = 1e-3
"""ms, between two points."""
NEAR = 1e-6
"""u, below which a point is the one before."""


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
