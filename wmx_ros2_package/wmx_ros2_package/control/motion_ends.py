"""Whether a motion is over, in position, and why, by the status; makes the value of its end.

A command that has reached its target is no arrival: the motor has to be in position within a time.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple
from uuid import UUID

import numpy as np

from wmx_core.values import REST_VELOCITY, Floats, MotionStatus, OperationState

from .conditions import LIMITS, SERVO_OFF, conditions_of, limit_met
from .request import NO_ID, Begin, End, EndReason, MotionKind
from .stopping import SETTLING

REACHED = 1e-6
"""How far from its target, in u and as a part of it, a command may end that has arrived."""


IN_POSITION_WIDTH = 0.01
"""How far from its command a motor may be that is in position, u, unless a node has another."""


class Ending(NamedTuple):
    """The reason of an end, the vendor's or the drive's code (0 for none), and words."""

    reason: EndReason
    code: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InPosition:
    """When a motor is in position: the rule is the same for all motions of a node.

    While it comes there the flag of the engine decides (`motion_complete`, for which the engine
    has InPosWidth), `width`, and that the motor rests. After `timeout` its place alone decides.
    """

    width: float = IN_POSITION_WIDTH
    """How far a motor may be from its command at most, u, whatever its InPosWidth is."""
    timeout: float = 2.0
    """How long a motor may take to be there after its command has ended, s."""

    def waits_for(self, begin: Begin, why: Ending, status: MotionStatus, waited: float) -> bool:
        """Whether motors have yet to come to rest, or to their places.

        Their command has ended `waited` s ago. Motors without a closed loop are not waited for.
        """
        axes = list(begin.axes)
        if why.reason in _AT_ONCE or begin.kind is MotionKind.HOLD:
            return False
        if not (status.communicating and status.servo_on[axes].all()):
            return False
        turning = bool((np.abs(status.actual_velocity[axes]) > REST_VELOCITY).any())
        if not _is_arrival(begin, why):
            return turning and waited <= SETTLING
        there = not turning and bool(status.motion_complete[axes].all())
        if there and bool((_off(status, axes) <= self.width).all()):
            return False
        return waited <= self.timeout

    def is_late(self, begin: Begin, why: Ending, waited: float) -> bool:
        """Whether the motors have not been in position in time, so that their places decide."""
        return _is_arrival(begin, why) and waited > self.timeout

    def judged(
        self, begin: Begin, why: Ending, status: MotionStatus, waited: float, widths: Floats
    ) -> Ending:
        """Why a motion ended that `is_late`.

        It is NOT_ARRIVED where one of them is further off than the `widths`, InPosWidth of its
        axes, or than `width` where that is less or they are not known (0).
        """
        axes = list(begin.axes)
        off = _off(status, axes)
        most = np.where((widths > 0.0) & (widths < self.width), widths, self.width)
        if not (beyond := np.flatnonzero(~(off <= most))).size:
            return why
        i = int(beyond[0])
        return Ending(
            EndReason.NOT_ARRIVED,
            0,
            f"axis {axes[i]}: the motor is {off[i]:.6g} u from its target {waited:.3g} s after the "
            f"command was there: must be within {most[i]:.6g} u",
        )


class Doing(NamedTuple):
    """Which axes do what in a status, by which many motions are judged."""

    off: frozenset[int]
    """Whose servos are off; all where the engine does not communicate."""
    busy: frozenset[int]
    beyond_hold: frozenset[int]
    """Which are neither idle nor slow down, as a held axis does."""

    @property
    def slowing(self) -> frozenset[int]:
        """Which slow down: something stops them."""
        return self.busy - self.beyond_hold

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


class Course:
    """The ways that the axes of a motion have gone since it began, as statuses show it.

    A limit is why a motion ended where an axis went into it. One that an axis stands in as it
    leaves is not.
    """

    def __init__(self, begin: Begin) -> None:
        self._axes = list(begin.axes)
        self._at = np.array(begin.initial)
        self.gone = [set[float]() for _ in begin.axes]
        """The ways that each axis has gone, parallel to the axes: 1, -1, or both."""

    def update(self, status: MotionStatus) -> None:
        """Add the ways in which `status` shows the commands further on."""
        steps = status.pos_cmd[self._axes] - self._at
        for i in np.flatnonzero(np.abs(steps) > REACHED):
            self.gone[i].add(float(np.sign(steps[i])))
            self._at[i] += steps[i]


def ending(
    begin: Begin, status: MotionStatus, gone: Sequence[Collection[float]] | None = None
) -> Ending:
    """Why a motion that is over ended: the gravest of what its axes show.

    A limit counts that lies in a way that its axis was to go, or has `gone`, see `Course`; where no
    way is known, each one.
    """
    if not status.communicating:
        return Ending(EndReason.ENGINE_LOST, 0, "the engine does not communicate any more")
    if status.emergency_stop is not None:
        return Ending(EndReason.EMERGENCY_STOP, 0, "emergency stop during the motion")
    axes = range(len(begin.axes))
    endings = [_of_axis(begin, i, status, gone[i] if gone else ()) for i in axes]
    return min(endings, key=lambda e: _GRAVITY.index(e.reason))


def end_of(
    begin: Begin, why: Ending, time: float, status: MotionStatus | None, replaced_by: UUID = NO_ID
) -> End:
    """Return the end, at `time`, of a motion whose motors are where `status` shows them.

    Without a status, or with one of an engine that has fewer axes, they are where it began.
    """
    final = begin.initial
    if status is not None and all(axis < status.axes for axis in begin.axes):
        final = tuple(float(status.actual_pos[axis]) for axis in begin.axes)
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


_AT_ONCE = EndReason.ALARM, EndReason.SERVO_OFF, EndReason.ENGINE_LOST
"""Reasons that are published as soon as they are known."""
_GRAVITY = (
    EndReason.ALARM,
    EndReason.SERVO_OFF,
    EndReason.LIMIT,
    EndReason.STOPPED,
    EndReason.ARRIVED,
)


def _is_arrival(begin: Begin, why: Ending) -> bool:
    """Whether a motion that ended so is one whose motors have to be in position."""
    return why.reason is EndReason.ARRIVED and begin.kind is not MotionKind.EFFORT


def _off(status: MotionStatus, axes: Sequence[int]) -> Floats:
    """How far motors are from their commands, u."""
    off: Floats = np.abs(status.pos_cmd[axes] - status.actual_pos[axes])
    return off


def _of_axis(begin: Begin, i: int, status: MotionStatus, gone: Collection[float]) -> Ending:
    """Why the motion of axis `i` of those of `begin` ended, which has `gone` these ways."""
    axis, target, kind = begin.axes[i], begin.targets[i], begin.kind
    way = target - begin.initial[i]  # NaN without a target
    found = sorted(conditions_of(status, axis), key=lambda each: _GRAVITY.index(each.reason))
    for condition in found:
        if condition is SERVO_OFF and (limit := limit_met(status, axis, way)):
            words = f"axis {axis}: {limit.describe(status, axis)}, {SERVO_OFF.words}"
            return Ending(EndReason.LIMIT, 0, words)
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
    ways = [each for each in (way, *gone) if each and not isnan(each)]
    for each in ways or [nan]:
        if limit := limit_met(status, axis, each):
            return Ending(EndReason.LIMIT, 0, f"axis {axis}: {limit.describe(status, axis)}")
    return Ending(EndReason.STOPPED, 0, f"axis {axis} was stopped at {position:.6g}")
