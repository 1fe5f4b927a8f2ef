"""Positions that come as a stream, and that several axes follow together.

Axes that follow positions may rest, where they have arrived. So what tells that something else has
ended their motion is that they slow down, do something else, or rest where nobody has sent them.
What ends one of them ends them all.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..drivers.errors import CommandRefused, ErrorCode
from ..drivers.values import MotionStatus, OperationState
from .pausing import SHOWN, Runs

ARRIVED = 1e-5
"""How far from its target, in u and as a part of it, an axis may rest: rounding in the engine."""


@dataclass(frozen=True, slots=True)
class _Goal:
    """Where an axis was sent."""

    target: float
    """u."""
    rested_at: float
    """Where it may rest until it begins to move, u."""
    begins_by: float
    """When it has begun to move, s of the steady clock."""

    def is_reached(self, axis: int, status: MotionStatus) -> bool:
        """Whether `axis` has arrived."""
        return _rests_at(self.target, axis, status)

    def waits(self, axis: int, status: MotionStatus) -> bool:
        """Whether `axis` may not have begun yet."""
        waits = status.time <= self.begins_by and _rests_at(self.rested_at, axis, status)
        return waits and not self.is_reached(axis, status)


class PositionStream:
    """Judges the commands of one topic for `axes`, whose rhythm ends after `timeout` s."""

    def __init__(
        self, axes: Sequence[int], *, timeout: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._axes = list(axes)
        self._clock = clock
        self._runs = Runs(timeout, clock)
        self._goals: dict[int, _Goal] = {}

    @property
    def followed(self) -> bool:
        """Whether the axes are on the way that the stream has sent them, or at its end."""
        return bool(self._goals)

    def hear(self) -> None:
        """The stream has commanded something: note that it has not paused."""
        now = self._clock()
        for axis in self._axes:
            self._runs.hear(axis, now)

    def require_running(self) -> None:
        """Refuse what was heard, unless the axes need not pause."""
        for axis in self._axes:
            run = self._runs.get(axis)
            if run is not None and run.ended_by:
                raise CommandRefused(
                    ErrorCode.NotIdleState,
                    f"the stream has to pause for {self._runs.timeout:g} s before it moves axes "
                    f"again: {run.ended_by}",
                )

    def sent(self, targets: Mapping[int, float], before: MotionStatus) -> None:
        """The engine was told to move the axes to `targets`, after it was as in `before`."""
        shown = self._clock() + SHOWN
        for axis, target in targets.items():
            earlier, here = self._goals.get(axis), float(before.pos_cmd[axis])
            if earlier and before.op_state[axis] == OperationState.POS:
                here = earlier.target  # it may arrive there before the new target is in force
            self._goals[axis] = _Goal(target, here, shown)

    def begins(self, status: MotionStatus) -> bool:
        """Whether an axis has not begun yet: what is sent now would hide that it was stopped."""
        return any(goal.waits(axis, status) for axis, goal in self._goals.items())

    def end_of(self, status: MotionStatus) -> str:
        """What has ended the motion of the axes, in words; nothing if nothing has."""
        reasons = (self._end_of(axis, goal, status) for axis, goal in self._goals.items())
        return next(filter(None, reasons), "")

    def pause(self, reason: str) -> None:
        """The axes are being stopped: the stream has to pause."""
        self._goals.clear()
        self._runs.pause(self._axes, reason)

    def forget(self) -> None:
        """The stream has ended: the next command is a new beginning."""
        self._goals.clear()
        self._runs.forget()

    def begin_anew(self, reason: str) -> None:
        """Nothing is known of what was: the stream has to pause."""
        self._goals.clear()
        self._runs.begin_anew(reason)

    def _end_of(self, axis: int, goal: _Goal, status: MotionStatus) -> str:
        state, here = int(status.op_state[axis]), float(status.pos_cmd[axis])
        if state == OperationState.POS:
            return ""
        if goal.is_reached(axis, status) or goal.waits(axis, status):
            return ""
        if state == OperationState.IDLE:
            return f"axis {axis} was stopped at {here:.6g} on its way to {goal.target:.6g}"
        names = {int(each): each.name for each in OperationState}
        return f"axis {axis} was stopped (state {names.get(state, state)})"


def _rests_at(position: float, axis: int, status: MotionStatus) -> bool:
    near = abs(float(status.pos_cmd[axis]) - position) <= ARRIVED * max(1.0, abs(position))
    return near and bool(status.op_state[axis] == OperationState.IDLE)
