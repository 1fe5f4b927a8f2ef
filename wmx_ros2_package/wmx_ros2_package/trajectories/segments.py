"""The commands with which axes follow a curve: splines, with a stand between two of them.

The engine leads a cubic spline through at most `MOST_POINTS` points, from the present velocity to
rest. Where a curve is other than that, it is sampled finer until the spline is near enough to it.

The vendor's engine ignores a point that is nearer than 1e-6 u to the one before it (WMX3 API
reference, StartCSplinePos). So no segment has such points: where all joints stand for a while one
segment ends and the next one begins, and on a slow stretch the points lie further apart.
"""

from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from wmx_core.values import Flags, Floats

from .curves import Curve, spline

MOST_POINTS = 1000
"""What movensys/wmx-ros2 makes the vendor's spline buffer hold: CreateSplineBuffer(0, 1000)."""
MOST_AXES = 8
"""WMX3 API reference, maxSplineDimensions."""
LEAST_INTERVAL = 1e-3
"""Between two points of a spline, s: a communication cycle."""
SAME_POINT = 1.5e-6
"""Points nearer to each other than this, u, are one: the vendor's 1e-6 and some reserve."""
STILL = SAME_POINT / 100.0
"""A joint that moves less in a stretch, u, stands in it, whatever is around it."""
BEST_ERROR = 1e-7
"""A spline that is so near to its curve, u, gets no more points: it is less than one count of the
usual encoders."""

_LOOKS = np.linspace(0.0, 1.0, 10)[1:-1, np.newaxis]
"""Where between two points a spline is compared with its curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One spline of the engine, `begin` s after the start of the trajectory.

    `times` (points,) count from 0, `positions` have the shape (points, joints); `curve` is what
    the engine makes of them, which is at most `error` u from what was asked for.
    """

    begin: float
    times: Floats
    positions: Floats
    curve: Curve
    error: float

    @property
    def end(self) -> float:
        """When the axes come to rest, s after the start of the trajectory."""
        return self.begin + float(self.times[-1])

    @property
    def is_too_short(self) -> bool:
        """Whether it has two points that the engine takes for one: the way is too short."""
        steps = np.abs(np.diff(self.positions, axis=0)).max(axis=1)
        return bool((steps < SAME_POINT).any())


def segments(curve: Curve) -> list[Segment]:
    """The splines that follow `curve`, which ends at rest; none where nothing moves."""
    stretches = range(len(curve.times) - 1)
    found = []
    for stands, group in groupby(stretches, _stands(curve).tolist().__getitem__):
        if not stands:
            moving = list(group)
            begin, end = curve.times[moving[0]], curve.times[moving[-1] + 1]
            segment = _segment(curve, float(begin), float(end))
            # Joints that stand before it may as well go on standing, where that is near enough.
            standing = begin > 0.0 or not _moves_at_first(curve)
            if not (standing and segment.is_too_short and segment.error <= SAME_POINT):
                found.append(segment)
    return found


def _moves_at_first(curve: Curve) -> bool:
    return bool((np.abs(curve.coefficients[1, 0]) >= SAME_POINT).any())


def _stands(curve: Curve) -> Flags:
    """In which stretches every joint stays where it is when the stretch begins.

    What moves slowly through stretches that are short does not stand in them.
    """
    begin, end = curve.times[:-1], curve.times[1:]
    moved = np.zeros(len(begin))
    for share in (*_LOOKS[:, 0], 1.0 - 1e-9):
        away = curve.at(begin + share * (end - begin)) - curve.coefficients[0]
        moved = np.maximum(moved, np.abs(away).max(axis=1))
    stands: Flags = moved < SAME_POINT
    bounds = [0, *(np.flatnonzero(np.diff(stands)) + 1).tolist(), len(stands)]
    for first, last in pairwise(bounds):
        run = slice(first, last)
        if stands[first]:
            way = curve.at(curve.times[first : last + 1]) - curve.coefficients[0, first]
            goes_on = first == 0 and _moves_at_first(curve)
            if goes_on or (np.abs(way) >= SAME_POINT).any():
                stands[run] = moved[run] < STILL
    stands[0] &= not _moves_at_first(curve)
    return stands


def _segment(curve: Curve, begin: float, end: float) -> Segment:
    """The spline that follows `curve` between two of its times, as near as points allow."""
    part = curve.within(begin, end)
    even = _fitted(part, begin)
    middles = (even.times[:-1] + even.times[1:]) / 2.0
    back = _away(part, even.times, middles) < SAME_POINT
    if even.error <= SAME_POINT or not back.any():
        return even
    # Joints that swing are back in the middle, which is no place for a point then.
    return min(even, _fitted(part, begin, farthest=True), key=lambda segment: segment.error)


def _fitted(part: Curve, begin: float, *, farthest: bool = False) -> Segment:
    """The spline that follows `part`, with points in the middles between its own as needed.

    Where joints are back there, a point may be where they are `farthest` away instead.
    """
    times = _apart(part, part.times)
    while True:
        positions = part.at(times)
        fitted = spline(times, positions, part.at(times[:1], 1)[0])
        errors = _errors(part, fitted)
        worst = float(errors.max())
        finer = times
        if worst > BEST_ERROR:
            finer = _apart(part, _divided(part, times, errors, farthest=farthest))
        if len(finer) <= len(times):
            return Segment(begin=begin, times=times, positions=positions, curve=fitted, error=worst)
        times = finer


def _errors(curve: Curve, fitted: Curve) -> Floats:
    """How far `fitted` is from `curve` between two of its points, (points - 1,).

    Both are polynomials between two of their times, so that no difference escapes the looks there.
    """
    looks = _looks(np.union1d(curve.times, fitted.times))
    away = np.abs(fitted.at(looks) - curve.at(looks)).max(axis=1)
    errors: Floats = np.zeros(len(fitted.times) - 1)
    at = np.clip(np.searchsorted(fitted.times, looks, side="right") - 1, 0, len(errors) - 1)
    np.maximum.at(errors, at, away)
    return errors


def _looks(times: Floats) -> Floats:
    """`times`, and where a curve is looked at between them."""
    between = times[:-1] + _LOOKS * np.diff(times)
    return np.sort(np.concatenate([times, between.ravel()]))


def _divided(curve: Curve, times: Floats, errors: Floats, *, farthest: bool) -> Floats:
    """`times` and some between the worst of them, as many as there is room for."""
    room = max(0, MOST_POINTS - len(times))
    wide = np.diff(times) >= 2.0 * LEAST_INTERVAL
    # The rest will do by itself once the worst is mended: an error reaches into its neighbours.
    bad = np.flatnonzero(wide & (errors > max(BEST_ERROR, errors.max() / 32.0)))
    chosen = bad[np.argsort(-errors[bad], kind="stable")][:room]
    middles = (times[chosen] + times[chosen + 1]) / 2.0
    if farthest:
        looks = _looks(np.union1d(curve.times, times))
        away = _away(curve, times, looks)
        for i in np.flatnonzero(_away(curve, times, middles) < SAME_POINT):
            first, last = np.searchsorted(looks, times[chosen[i] : chosen[i] + 2])
            middles[i] = looks[first + away[first:last].argmax()]
    return np.sort(np.concatenate([times, middles]))


def _away(curve: Curve, times: Floats, looks: Floats) -> Floats:
    """How far `curve` is at `looks` from where it is at the times around them, from the nearer."""
    here, there = curve.at(looks), curve.at(times)
    after = np.clip(np.searchsorted(times, looks, side="right"), 1, len(times) - 1)
    before, behind = (np.abs(here - there[each]).max(axis=1) for each in (after - 1, after))
    away: Floats = np.minimum(before, behind)
    return away


def _apart(curve: Curve, times: Floats) -> Floats:
    """Those of `times` that are far enough from the one before, in time and in position.

    The first and the last one stay.
    """
    positions = curve.at(times)
    kept = [0]
    for i in range(1, len(times)):
        if _far(times, positions, kept[-1], i):
            kept.append(i)
    last = len(times) - 1
    if kept[-1] != last:
        while len(kept) > 1 and not _far(times, positions, kept[-1], last):
            kept.pop()
        kept.append(last)
    return times[kept]


def _far(times: Floats, positions: Floats, one: int, other: int) -> bool:
    return bool(
        times[other] - times[one] >= LEAST_INTERVAL * (1.0 - 1e-6)
        and np.abs(positions[other] - positions[one]).max() >= SAME_POINT
    )
