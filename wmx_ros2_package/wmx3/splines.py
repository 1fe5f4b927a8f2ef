"""A spline as the engine takes it: its times and points after the present one.

The engine begins a spline where the axes are, at time 0. It leaves out a first point that is equal
to their position, and a first time that is 0, each by itself (API reference, StartCSplinePos): an
axis in motion is never exactly at the first point any more, and every time would then belong to
the point before. So neither is passed.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.move_rules import require_axes
from wmx_core.path_rules import as_numbers, require_spline, require_start, require_steps
from wmx_core.values import Floats, SplineMove

from . import commands
from .sdk import spline_axes
from .session import SdkSession
from .starts import all_or_none

BUFFER = 1001
"""Points that a channel gets: as many as the longest spline of the simulated engine has, and one.
"""
TRIES = 10
"""How often a buffer is asked for, where the memory of another has just been freed."""
BRIEF_DELAY = 0.01
"""s between them."""
DOUBLES, UNSIGNED = "doubleArray", "uintArray"
"""The classes of the binding for arrays."""
WHOLE = 1e-3
"""What a time may be beside a whole number, ms: it is rounding."""
SHORTEST_TIME = 1e-6
"""The least time between two points, s (API reference, StartCSplinePos)."""


def start_spline(session: SdkSession, move: SplineMove) -> None:
    """Start `move`, or refuse it."""
    require_spline(move)
    if len(move.axes) > (most := spline_axes(session.sdk)):
        detail = f"a spline of {len(move.axes)} axes, the installed SDK takes at most {most}"
        raise CommandRefused(UNNUMBERED, detail, "DimensionOutOfRange")
    require_axes(move.axes, session.axes)
    times = as_numbers("times", move.times, ErrorCode.TimeArgumentOutOfRange)
    positions = as_numbers("positions", move.positions, ErrorCode.PositionArgumentOutOfRange)
    require_times(times)
    require_positions(positions)
    require_steps(positions)
    begin, speeds = _now(session, move)
    require_start(positions[0], begin.tolist(), speeds.tolist(), move.axes)
    times, positions = times[1:], positions[1:]
    if len(times) == 1:
        times, positions = with_middle(times, positions, begin, speeds)

    command = commands.spline_command(session.sdk, move)
    points = commands.spline_points(session.sdk, positions)
    milliseconds = (1000.0 * times).tolist()
    # A channel runs one spline at a time, and so does an axis: no two can use the same.
    channel = min(move.axes)
    _make_room(session, channel, len(points))
    with all_or_none(session, move.axes, together=True):
        _start(session, milliseconds, channel, command, len(points), points)


def _start(session: SdkSession, milliseconds: list[float], *args: Any) -> None:
    """Start a spline with these times, in the first form that the binding takes.

    Whether it takes a list for its array of double is not documented. That of older releases is one
    of unsigned int, which does not take all times.
    """
    whole = [round(each) for each in milliseconds]
    are_whole = np.allclose(whole, milliseconds, rtol=0.0, atol=WHOLE)
    forms: list[Callable[[], Any]] = [
        lambda: milliseconds,
        lambda: _array(session, DOUBLES, milliseconds),
    ]
    if are_whole:
        forms += [lambda: whole, lambda: _array(session, UNSIGNED, whole)]
    for form in forms:
        try:
            session.adv_motion.StartCSplinePos_PointTime(*args, form())
            return
        except CommandRefused as error:
            if error.code != ErrorCode.NoSupportedFunction:
                raise
            if form is forms[0]:
                refused = error
    raise refused.more("" if are_whole else "older releases take times of whole milliseconds only")


def _array(session: SdkSession, kind: str, numbers: Sequence[float]) -> Any:
    """The binding's own array of a kind."""
    array = getattr(session.sdk, kind)(len(numbers))
    for i, number in enumerate(numbers):
        array[i] = number
    return array


def require_times(times: Floats) -> None:
    """Refuse times (points,) that do not increase from 0; NaN is refused as well."""
    rule = f"must increase from 0 by {SHORTEST_TIME:g} s or more and be finite"
    if times[0] != 0.0:
        raise CommandRefused(ErrorCode.TimeArgumentOutOfRange, f"time {times[0]} {rule}")
    increasing = (np.diff(times) >= SHORTEST_TIME) & np.isfinite(times[1:])
    for i in np.flatnonzero(~increasing):
        raise CommandRefused(ErrorCode.TimeArgumentOutOfRange, f"time {times[i + 1]} {rule}")


def require_positions(positions: Floats) -> None:
    """Refuse positions that are none."""
    for position in positions[~np.isfinite(positions)]:
        detail = f"position {position} must be finite"
        raise CommandRefused(ErrorCode.PositionArgumentOutOfRange, detail)


def with_middle(
    times: Floats, positions: Floats, begin: Floats, speeds: Floats
) -> tuple[Floats, Floats]:
    """A spline to a single point with the point half-way, which lies on the same cubic.

    The engine needs two points besides the present one. The cubic that leaves `begin` at
    speed v and rests at q after a time h is at (begin + q) / 2 + v h / 8 half-way.
    """
    (h,), (end,) = times, positions
    middle = (begin + end) / 2.0 + speeds * h / 8.0
    return np.array([h / 2.0, h]), np.array([middle, end])


def _now(session: SdkSession, move: SplineMove) -> tuple[Floats, Floats]:
    """Where the axes of `move` are commanded to be, and their velocities."""
    status = session.look()
    axes = [status.GetAxesStatus(axis) for axis in move.axes]
    positions = [axis_status.posCmd for axis_status in axes]
    velocities = [axis_status.velocityCmd for axis_status in axes]
    return np.array(positions, np.float64), np.array(velocities, np.float64)


def _make_room(session: SdkSession, channel: int, points: int) -> None:
    """Give the spline channel a buffer for `points` and the present one, which the engine adds.

    A buffer lasts as long as the engine. It is made large at once: what is freed comes back "after
    a brief delay", and to make another can fail (API reference, CreateSplineBuffer).
    """
    adv_motion, needed = session.adv_motion, points + 1
    room: Any = adv_motion.GetSplineBufferPoints(channel)
    if room >= needed:
        return
    if room:
        adv_motion.FreeSplineBuffer(channel)
    for attempt in range(TRIES):
        try:
            adv_motion.CreateSplineBuffer(channel, max(BUFFER, needed))
            return
        except CommandRefused:
            if attempt == TRIES - 1:
                raise
        session.time.sleep(BRIEF_DELAY)
