"""Whether axes rest, for settings that change the position of an axis.

The operation state of the engine is that of the command. A motor that lags behind it, or coasts,
shows only in its feedback, which trembles while a motor rests: a motor counts as moving if its
position moves on in the same direction between each two of several reads.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import MotionStatus, OperationState

from . import commands
from .session import SdkSession
from .status import read_status

READS = 8
"""Pairs of reads between which a motor has moved on; a trembling one hardly ever does by chance."""
CYCLES = 2
"""Communication cycles between two reads."""
PERIOD = 0.002
"""Time between two polls for them, s."""
POLLS = 10
"""Polls for them: enough for cycles of ten times the usual length."""


def require_rest(session: SdkSession, *axes: int) -> None:
    """Refuse with NotIdleState while one of `axes` does something, or its motor moves.

    A motor that moves by less than a count of its encoder in CYCLES is taken for one that rests. An
    axis that another one follows is refused as well.
    """
    commands.require_axes(axes, session.axes)
    seen = read_status(session)
    _require_no_slaves(session, seen, axes)
    for axis in axes:
        if seen.op_state[axis] != OperationState.IDLE:
            raise CommandRefused(ErrorCode.NotIdleState, f"axis {axis} is not idle")
    if not seen.communicating:
        return
    before, seen = seen, _later(session, seen)
    turning = [axis for axis in axes if seen.actual_pos[axis] != before.actual_pos[axis]]
    counts = np.array([_counts_per_unit(session, axis) for axis in turning])
    directions = _directions(before, seen, turning, counts)
    for _ in range(READS - 1):
        if not directions.any():
            return
        before, seen = seen, _later(session, seen)
        directions[_directions(before, seen, turning, counts) != directions] = 0.0
    if not directions.any():
        return
    axis = turning[int(np.flatnonzero(directions)[0])]
    raise CommandRefused(ErrorCode.NotIdleState, f"axis {axis} is idle, but its motor moves")


def require_no_slaves(session: SdkSession, *axes: int) -> None:
    """Refuse an axis that another one follows."""
    _require_no_slaves(session, read_status(session), axes)


def _require_no_slaves(session: SdkSession, seen: MotionStatus, axes: Sequence[int]) -> None:
    slaves = np.flatnonzero(seen.op_state == OperationState.SYNC).tolist()
    if not slaves:
        return
    status = session.core.GetStatus()
    for slave in slaves:
        master = status.GetAxesStatus(slave).masterAxis
        if master in axes:
            detail = f"axis {slave} follows axis {master}"
            raise CommandRefused(ErrorCode.IsSyncMaster, detail)


def _later(session: SdkSession, seen: MotionStatus) -> MotionStatus:
    """Return the status CYCLES later, or the newest one if no cycle has passed for long."""
    newest = seen
    for _ in range(POLLS):
        session.time.sleep(PERIOD)
        newest = read_status(session)
        if newest.cycle - seen.cycle >= CYCLES:
            break
    return newest


def _directions(
    before: MotionStatus, seen: MotionStatus, axes: Sequence[int], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the directions in which motors have moved, 1, -1 or 0, in whole encoder counts."""
    chosen = list(axes)
    places = (
        np.floor(before.actual_pos[chosen] * counts),
        np.floor(seen.actual_pos[chosen] * counts),
    )
    directions: NDArray[np.float64] = np.sign(places[1] - places[0])
    return directions


def _counts_per_unit(session: SdkSession, axis: int) -> float:
    """Return the encoder counts of a user unit; FINEST where the SDK has no gear ratio."""
    try:
        numerator, denominator = session.config.GetGearRatio(axis)
    except CommandRefused:
        return FINEST
    return abs(numerator / denominator) if numerator and denominator else FINEST


FINEST = 1e9
"""Counts of a unit with which every difference of positions shows."""
