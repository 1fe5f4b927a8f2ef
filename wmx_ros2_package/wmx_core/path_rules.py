"""What makes a line or a spline of several axes one, whatever engine follows it.

A line may have any number of axes, a spline 8; to the engine two positions that are nearer than
1e-6 u are one (API reference: StartLinearIntplPos, maxSplineDimensions, StartCSplinePos).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .errors import UNNUMBERED, CommandRefused, ErrorCode
from .values import Floats, LinearMove, SplineMove

MAX_SPLINE_AXES = 8
SHORTEST_STEP = 1e-6
"""The least distance of two consecutive points of a spline, u: of nearer ones the engine leaves
out the later, together with its time."""
START_DELAY = 0.1
"""An axis in motion may have gone on for so long, s, since its first point was looked up."""


def require_line(move: LinearMove) -> None:
    """Refuse a line that has no axis, one of them twice, or not one target for each."""
    _require_axes(move.axes)
    if len(move.targets) != len(move.axes):
        raise CommandRefused(
            ErrorCode.AxisCountOutOfRange,
            f"{len(move.targets)} targets for {len(move.axes)} axes, must be one each",
        )


def require_spline(move: SplineMove) -> None:
    """Refuse a spline whose axes are not as those of a line, or whose arrays do not fit them."""
    _require_axes(move.axes)
    if len(move.axes) > MAX_SPLINE_AXES:
        detail = f"a spline of {len(move.axes)} axes, must be at most {MAX_SPLINE_AXES}"
        raise CommandRefused(UNNUMBERED, detail, "DimensionOutOfRange")
    times, positions = _shape(move.times), _shape(move.positions)
    if len(times) != 1 or len(positions) != 2 or positions[0] != times[0]:
        raise CommandRefused(
            ErrorCode.PointCountOutOfRange,
            f"times of shape {times} and positions of shape {positions} must have "
            "shapes (points,) and (points, axes)",
        )
    if times[0] < 2:
        detail = f"{times[0]} points, must be at least 2"
        raise CommandRefused(ErrorCode.PointCountOutOfRange, detail)
    if positions[1] != len(move.axes):
        raise CommandRefused(
            ErrorCode.AxisCountOutOfRange,
            f"points of {positions[1]} positions for {len(move.axes)} axes, must be one each",
        )


def require_steps(positions: Floats) -> None:
    """Refuse positions (points, axes) of which two in a row are taken for one by the engine.

    It would not hold still there: it would pass the next point too early or too late. An axis
    that holds still is stopped by the end of one spline and moved on by another.
    """
    with np.errstate(over="ignore"):
        steps = np.sqrt((np.diff(positions, axis=0) ** 2).sum(axis=1))
    short = np.flatnonzero(steps < SHORTEST_STEP)
    if short.size:
        i = short[0]
        raise CommandRefused(
            UNNUMBERED,
            f"point {i + 1} is {steps[i]:g} u from the one before, must be {SHORTEST_STEP:g} "
            "or more: end the spline where the axes hold still",
            "DistanceBetweenPointsTooClose",
        )


def require_start(
    first: Floats,
    positions: Sequence[float],
    velocities: Sequence[float],
    axes: Sequence[int],
) -> None:
    """Refuse a `first` point (axes,) other than where the axes are, `positions`."""
    for axis, begin, position, velocity in zip(axes, first, positions, velocities, strict=True):
        tolerance = SHORTEST_STEP + abs(velocity) * START_DELAY
        if not abs(begin - position) <= tolerance:
            raise CommandRefused(
                ErrorCode.PositionArgumentOutOfRange,
                f"first point {begin} of axis {axis} is {begin - position:g} u from where the "
                f"axis is, must be within {tolerance:g}",
            )


def as_numbers(name: str, values: ArrayLike, code: ErrorCode) -> Floats:
    """A copy of `values` as numbers."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise CommandRefused(code, f"{name} must be an array of numbers") from None


def _require_axes(axes: Sequence[int]) -> None:
    if not axes:
        raise CommandRefused(ErrorCode.AxisCountOutOfRange, "0 axes, must be at least 1")
    for position, axis in enumerate(axes):
        if axis in axes[:position]:
            raise CommandRefused(ErrorCode.DuplicateAxis, f"axis {axis} must be named once")


def _shape(values: ArrayLike) -> tuple[int, ...]:
    try:
        return np.asarray(values).shape
    except ValueError:  # ragged
        return ()
