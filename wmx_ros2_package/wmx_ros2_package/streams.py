"""Motion that somebody keeps up by a stream of commands, such as a joystick.

A stream is a lease: each command is worth `timeout` seconds, in which the next one has to come,
and the engine itself ends the motion otherwise (`VelocityMove.run_time`). So it ends, too, when
the node or the whole process that passed the stream on is dead or hangs.

A motion that was ended by something else, a stop, a limit, an alarm, stays ended however long the
stream goes on: the stream has to pause for its timeout first, or to command velocity 0. So nothing
starts to move by itself when a stop is over, and a stick that is held down has to be let go.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from .drivers.errors import CommandRefused, ErrorCode
from .drivers.values import MotionStatus, OperationState, VelocityMove

SHOWN = 0.02
"""By then the status shows what was commanded, s."""
LATE = 1.0
"""What has waited for a suspended process, or for the engine, comes within this time, s."""


@dataclass(slots=True)
class _Run:
    """What is known of one axis of the stream; times of the steady clock, s."""

    heard: float
    """When the stream last commanded it."""
    began: float
    """When it began to move."""
    sent: float = 0.0
    """When the engine was last told."""
    ended_by: str = ""
    """Why it has to pause."""


class VelocityStream:
    """Judges the commands of one topic; `state` is what the engine shows while it is followed."""

    def __init__(
        self,
        state: OperationState,
        *,
        timeout: float,
        run_time: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Without `timeout` it is no lease; unless `run_time` is 0, no motion lasts longer."""
        self._state = state
        self._timeout = timeout
        self._run_time = run_time
        self._clock = clock
        self._runs: dict[int, _Run] = {}
        self._paused_from = -inf
        self._why = ""

    def command(
        self,
        moves: Sequence[VelocityMove],
        status: MotionStatus,
        order: Callable[[Sequence[VelocityMove]], None],
    ) -> None:
        """Let `order` carry out `moves`, all of them with their leases, or none.

        CommandRefused for an axis that has to pause, or by the engine.
        """
        now = self._clock()
        moving = [move for move in moves if move.velocity != 0.0]
        ended = [
            self._hear(move.axis, status, now) for move in moving if 0 <= move.axis < status.axes
        ]
        for reason in filter(None, ended):
            raise CommandRefused(ErrorCode.NotIdleState, reason)
        try:
            order([self._with_lease(move, now) for move in moves])
        except CommandRefused as error:
            for move in moving:
                if move.axis in self._runs:
                    self._runs[move.axis].ended_by = str(error)
            raise
        for move in moves:
            if move.velocity == 0.0:
                self._runs.pop(move.axis, None)
            elif move.axis in self._runs:
                self._runs[move.axis].sent = self._clock()

    def pause(self, axes: Sequence[int], reason: str) -> None:
        """`axes` are being stopped: if the stream moves them, it has to pause."""
        for axis in axes:
            if axis in self._runs:
                self._runs[axis].ended_by = reason

    def axes(self) -> list[int]:
        """Those that the stream may be moving."""
        return [axis for axis, run in self._runs.items() if not run.ended_by]

    def forget(self) -> None:
        """What was is over: the next command is a new beginning."""
        self._runs.clear()

    def begin_anew(self, reason: str) -> None:
        """Nothing is known of what was: every axis has to pause, whatever is heard of it."""
        self.forget()
        self._paused_from, self._why = self._clock(), reason

    def _hear(self, axis: int, status: MotionStatus, now: float) -> str:
        """Note that the stream commands `axis`; why it has to pause, if it has to."""
        run = self._runs.get(axis)
        if run is None or now - run.heard > self._pause:
            run = self._runs[axis] = _Run(now, now)
            if not self._timeout or now - self._paused_from > max(self._pause, LATE):
                return ""
            run.ended_by = self._why
        run.heard = now
        if not run.ended_by:
            run.ended_by = self._end_of(axis, run, status, now)
        if not run.ended_by:
            return ""
        return (
            f"axis {axis} has to pause for {self._pause:g} s or at velocity 0 before it moves "
            f"again: {run.ended_by}"
        )

    def _end_of(self, axis: int, run: _Run, status: MotionStatus, now: float) -> str:
        if self._run_time and now - run.began >= self._run_time - SHOWN:
            return f"it has run for {self._run_time:g} s"
        state = int(status.op_state[axis])
        if self._timeout and now > run.sent + SHOWN and state != self._state:
            names = {int(each): each.name for each in OperationState}
            return f"it was stopped (state {names.get(state, state)})"
        return ""

    def _with_lease(self, move: VelocityMove, now: float) -> VelocityMove:
        run = self._runs.get(move.axis)
        if move.velocity == 0.0 or run is None:
            return replace(move, run_time=self._timeout)  # all moves have a lease, or none
        left = max(run.began + self._run_time - now, 0.001) if self._run_time else 0.0
        leases = [time for time in (self._timeout, left) if time]
        return replace(move, run_time=min(leases, default=0.0))

    @property
    def _pause(self) -> float:
        return self._timeout
