"""What makes a line or a spline of several axes one, whatever engine follows it.

Refusals are CommandRefused with AxisCountOutOfRange, DuplicateAxis or PointCountOutOfRange.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .errors import CommandRefused, ErrorCode
from .values import LinearMove, SplineMove


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
