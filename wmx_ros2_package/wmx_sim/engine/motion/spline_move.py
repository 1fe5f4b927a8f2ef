"""Cubic splines of several axes through points at given times.

Between two points an axis follows the cubic that has its positions and velocities at both
(`profile.through`). The velocities at the first and the last point are given, the present one and
zero; those at the inner points make the acceleration continuous (`clamped_spline`).
"""

from collections.abc import Sequence

import numpy as np

from wmx_core.clamped_spline import knot_velocities
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import POSITION_RANGE, require_position
from wmx_core.path_rules import as_numbers, require_start, require_steps
from wmx_core.values import Floats, SplineMove

from ..clock import CYCLES_PER_SECOND
from .profile import Profile, through

MAX_POINTS = 1000
"""What movensys/wmx-ros2 makes the vendor's spline buffer hold: CreateSplineBuffer(0, 1000)."""
MAX_TIME = 1e6
"""Longest spline, s: a double resolves a millionth of a cycle there."""


def plan_spline(
    move: SplineMove, positions: Sequence[float], velocities: Sequence[float]
) -> tuple[Profile, ...]:
    """Return the profile of each axis of `move`, from where and how fast it is; or a refusal.

    The spline begins exactly at `positions`, which take the place of the first point.
    """
    require_count(len(move.times))
    times = as_numbers("times", move.times, ErrorCode.TimeArgumentOutOfRange)
    points = as_numbers("positions", move.positions, ErrorCode.PositionArgumentOutOfRange)
    require_times(times)
    require_positions(points, move.axes)
    require_steps(points)
    require_start(points[0], positions, velocities, move.axes)
    points[0] = positions
    profiles = spline(times, points, np.array(velocities))
    for axis, profile in zip(move.axes, profiles, strict=True):
        require_way(profile, axis)
    return profiles


def require_count(points: int) -> None:
    """Refuse more than MAX_POINTS points."""
    if points > MAX_POINTS:
        detail = f"{points} points, must be 2 to {MAX_POINTS}"
        raise CommandRefused(ErrorCode.PointCountOutOfRange, detail)


def require_times(times: Floats) -> None:
    """Refuse times (points,) that do not increase from 0 by a communication cycle or more."""
    wrong = np.flatnonzero(~((times >= 0.0) & (times <= MAX_TIME)))
    if wrong.size:
        raise _wrong_time(times, wrong[0], f"within 0 to {MAX_TIME:g} s")
    if times[0] != 0.0:
        raise _wrong_time(times, 0, "0")
    cycles = np.diff(times) * CYCLES_PER_SECOND
    early = np.flatnonzero(cycles < 1.0 - 1e-6)  # times are rounded
    if early.size:
        i = early[0] + 1
        raise _wrong_time(times, i, f"{1 / CYCLES_PER_SECOND:g} s or more after {times[i - 1]}")


def require_positions(positions: Floats, axes: Sequence[int]) -> None:
    """Refuse positions (points, axes) outside the range of positions."""
    for point, column in np.argwhere(~(np.abs(positions) <= POSITION_RANGE)):
        name = f"position of axis {axes[column]} at point {point}:"
        require_position(positions[point, column], name)


def require_way(profile: Profile, axis: int) -> None:
    """Refuse a way that may swing out of the range of positions between two points.

    A cubic stays among its four Bezier points, of which the inner two are computed here.
    """
    duration, position, velocity, acceleration, _ = np.array(profile[:-1]).T
    third = duration / 3.0
    early = position + third * velocity
    late = early + third * (velocity + duration * acceleration / 2.0)
    furthest = np.maximum(abs(early), abs(late))
    point = int(furthest.argmax())
    if not furthest[point] <= POSITION_RANGE * (1.0 + 1e-9):
        raise CommandRefused(
            ErrorCode.PositionArgumentOutOfRange,
            f"after point {point} axis {axis} swings out to {furthest[point]:g}, must stay within "
            f"{-POSITION_RANGE:g} to {POSITION_RANGE:g}",
        )


def spline(times: Floats, positions: Floats, velocities: Floats) -> tuple[Profile, ...]:
    """Return the clamped cubic spline through `positions` (points, axes) at `times` (points,).

    It begins with `velocities` (axes,) and ends at rest: a profile for each axis, with a segment
    for each stretch between two points.
    """
    at_points = knot_velocities(times, positions, velocities)
    return tuple(through(times, *axis) for axis in zip(positions.T, at_points.T, strict=True))


def _wrong_time(times: Floats, point: int, rule: str) -> CommandRefused:
    return CommandRefused(
        ErrorCode.TimeArgumentOutOfRange, f"time {times[point]} of point {point} must be {rule}"
    )
