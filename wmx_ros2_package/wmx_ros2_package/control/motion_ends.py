"""Why a motion ended, read from the status of its axes."""

from typing import NamedTuple
from uuid import UUID

from ..drivers.values import MotionStatus, OperationState
from .conditions import LIMITS, conditions_of
from .request import NO_ID, Begin, End, EndReason, MotionKind

REACHED = 1e-6
"""How far from its target, in u and as a part of it, a command may end that has arrived."""


class Ending(NamedTuple):
    """The reason of an end, the vendor's or the drive's code (0 for none), and words."""

    reason: EndReason
    code: int = 0
    message: str = ""


class Doing(NamedTuple):
    """Which axes do what in a status, by which many motions are judged."""

    off: frozenset[int]
    """Whose servos are off; all where the engine does not communicate."""
    busy: frozenset[int]
    beyond_hold: frozenset[int]
    """Which are neither idle nor slow down, as a held axis does."""

    @classmethod
    def of(cls, status: MotionStatus) -> "Doing":
        """Return what the axes do in `status`."""
        busy = status.busy
        beyond_hold = busy[status.op_state[busy] != OperationState.STOP]
        off = (~status.servo_on | (not status.communicating)).nonzero()[0]
        return cls(*(frozenset(axes.tolist()) for axes in (off, busy, beyond_hold)))


def is_over(begin: Begin, doing: Doing, *, kept: bool = False, stopped: bool = False) -> bool:
    """Whether a motion has finished; the axes of one that is `kept` may rest before.

    A held axis does nothing: a hold lasts until it is being `stopped`.
    """
    if not doing.off.isdisjoint(begin.axes):
        return True
    if kept:
        return False
    if begin.kind is MotionKind.HOLD and not stopped:
        return not doing.beyond_hold.isdisjoint(begin.axes)
    return doing.busy.isdisjoint(begin.axes)


def ending(begin: Begin, status: MotionStatus) -> Ending:
    """Why a motion that is over ended: the gravest of what its axes show."""
    if not status.communicating:
        return Ending(EndReason.ENGINE_LOST, 0, "the engine does not communicate any more")
    if status.emergency_stop is not None:
        return Ending(EndReason.EMERGENCY_STOP, 0, "emergency stop during the motion")
    endings = [
        _of_axis(status, axis, target, begin.kind)
        for axis, target in zip(begin.axes, begin.targets, strict=True)
    ]
    return min(endings, key=lambda e: _GRAVITY.index(e.reason))


def end_of(
    begin: Begin, why: Ending, time: float, status: MotionStatus | None, replaced_by: UUID = NO_ID
) -> End:
    """Return the end, at `time`, of a motion whose axes are where `status` shows them.

    Without a status, or with one of an engine that has fewer axes, they are where it began.
    """
    final = begin.initial
    if status is not None and all(axis < status.axes for axis in begin.axes):
        final = tuple(float(status.pos_cmd[axis]) for axis in begin.axes)
    return End(
        id=begin.id,
        source=begin.source,
        axes=begin.axes,
        names=begin.names,
        time=time,
        final=final,
        reason=why.reason,
        code=why.code,
        message=why.message,
        replaced_by=replaced_by,
    )


_GRAVITY = (
    EndReason.ALARM,
    EndReason.SERVO_OFF,
    EndReason.LIMIT,
    EndReason.STOPPED,
    EndReason.ARRIVED,
)


def _of_axis(status: MotionStatus, axis: int, target: float, kind: MotionKind) -> Ending:
    found = sorted(
        (condition for condition in conditions_of(status, axis) if condition.reason in _GRAVITY),
        key=lambda condition: _GRAVITY.index(condition.reason),
    )
    for condition in found:
        if condition not in LIMITS:
            words = f"axis {axis}: {condition.describe(status, axis)}"
            return Ending(condition.reason, condition.code(status, axis), words)
    if kind is MotionKind.HOMING:
        if status.home_done[axis]:
            return Ending(EndReason.ARRIVED)
        return Ending(EndReason.STOPPED, 0, f"homing of axis {axis} ended before it was done")
    if kind is MotionKind.STREAM:  # it has no target but where it came to rest
        return Ending(EndReason.ARRIVED)
    position = float(status.pos_cmd[axis])
    if abs(position - target) <= REACHED * max(1.0, abs(target)):
        return Ending(EndReason.ARRIVED)
    for condition in found:
        return Ending(EndReason.LIMIT, 0, f"axis {axis}: {condition.describe(status, axis)}")
    return Ending(EndReason.STOPPED, 0, f"axis {axis} was stopped at {position:.6g}")
