"""The commands with which axes follow a curve: splines, with a stand between two of them.

The engine leads a cubic spline through at most `MOST_POINTS` points, from the present velocity to
rest. Where a curve is other than that, it is sampled finer until the spline is near enough to it.

The vendor's engine ignores a point that is nearer than 1e-6 u to the one before it (WMX3 API
reference, StartCSplinePos). So no segment has such points: where all joints stand for a while one
segment ends and the next one begins, and on a slow stretch the points lie further apart.
"""

from dataclasses import dataclass
from itertools import groupby

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


def segments(curve: Curve) -> list[Segment]:
    """The splines that follow `curve`, which ends at rest; none where nothing moves."""
    stretches = range(len(curve.times) - 1)
    found = []
    for stands, group in groupby(stretches, _stands(curve).tolist().__getitem__):
        if not stands:
            moving = list(group)
            begin, end = curve.times[moving[0]], curve.times[moving[-1] + 1]
            found.append(_segment(curve, float(begin), float(end)))
    return found


def _stands(curve: Curve) -> Flags:
    """In which stretches every joint stays where it is when the stretch begins."""
    begin, end = curve.times[:-1], curve.times[1:]
    stands = np.ones(len(begin), dtype=np.bool_)
    for share in (*_LOOKS[:, 0], 1.0 - 1e-9):
        moved = curve.at(begin + share * (end - begin)) - curve.coefficients[0]
        stands &= (np.abs(moved) < SAME_POINT).all(axis=1)
    # What moves already does not stand, however short the stretch.
    stands[0] &= bool((np.abs(curve.coefficients[1, 0]) < SAME_POINT).all())
    return stands


def _segment(curve: Curve, begin: float, end: float) -> Segment:
    """The spline that follows `curve` between two of its times, as near as points allow."""
    part = curve.within(begin, end)
    times = _apart(part, part.times)
    while True:
        positions = part.at(times)
        fitted = spline(times, positions, part.at(times[:1], 1)[0])
        errors = _errors(part, fitted)
        worst = float(errors.max())
        finer = _apart(part, _halved(times, errors)) if worst > BEST_ERROR else times
        if len(finer) <= len(times):
            return Segment(begin=begin, times=times, positions=positions, curve=fitted, error=worst)
        times = finer


def _errors(curve: Curve, fitted: Curve) -> Floats:
    """How far `fitted` is from `curve` between two of its points, (points - 1,)."""
    begin, h = fitted.times[:-1], np.diff(fitted.times)
    looks = (begin + _LOOKS * h).ravel()
    away = np.abs(fitted.at(looks) - curve.at(looks)).max(axis=1)
    errors: Floats = away.reshape(len(_LOOKS), -1).max(axis=0)
    # A point that was left out lies between two samples, and counts as well.
    left_out = np.abs(fitted.at(curve.times) - curve.at(curve.times)).max(axis=1)
    at = np.clip(np.searchsorted(fitted.times, curve.times, side="right") - 1, 0, len(errors) - 1)
    np.maximum.at(errors, at, left_out)
    return errors


def _halved(times: Floats, errors: Floats) -> Floats:
    """`times` and the middles of the worst stretches, as many as there is room for."""
    room = max(0, MOST_POINTS - len(times))
    wide = np.diff(times) >= 2.0 * LEAST_INTERVAL
    # The rest will do by itself once the worst is mended: an error reaches into its neighbours.
    bad = np.flatnonzero(wide & (errors > max(BEST_ERROR, errors.max() / 32.0)))
    chosen = bad[np.argsort(-errors[bad], kind="stable")][:room]
    middles = (times[chosen] + times[chosen + 1]) / 2.0
    return np.sort(np.concatenate([times, middles]))


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
