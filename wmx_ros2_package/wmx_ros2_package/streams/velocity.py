"""Velocities that come as a stream.

A stream is a lease: each command is worth `timeout` seconds, in which the next one has to come,
and the engine itself ends the motion otherwise (`VelocityMove.run_time`). So it ends, too, when
the node or the whole process that passed the stream on is dead or hangs. To command velocity 0 is
a pause as well.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..drivers.errors import CommandRefused, ErrorCode
from ..drivers.values import MotionStatus, OperationState, VelocityMove
from .pausing import SHOWN, Run, Runs


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
        self._runs = Runs(timeout, clock)

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
            self._runs.pause([move.axis for move in moving], str(error))
            raise
        for move in moves:
            if move.velocity == 0.0:
                self._runs.end(move.axis)
            elif run := self._runs.get(move.axis):
                run.shown_from = min(run.shown_from, self._clock() + SHOWN)

    def pause(self, axes: Sequence[int], reason: str) -> None:
        """`axes` are being stopped: if the stream moves them, it has to pause."""
        self._runs.pause(axes, reason)

    def axes(self) -> list[int]:
        """Those that the stream may be moving."""
        return self._runs.moving()

    def forget(self) -> None:
        """What was is over: the next command is a new beginning."""
        self._runs.forget()

    def begin_anew(self, reason: str) -> None:
        """Nothing is known of what was: every axis has to pause, whatever is heard of it."""
        self._runs.begin_anew(reason)

    def _hear(self, axis: int, status: MotionStatus, now: float) -> str:
        """Note that the stream commands `axis`; why it has to pause, if it has to."""
        run = self._runs.hear(axis, now)
        if not run.ended_by and run.began != now:
            run.ended_by = self._end_of(axis, run, status, now)
        if not run.ended_by:
            return ""
        return (
            f"axis {axis} has to pause for {self._timeout:g} s or at velocity 0 before it moves "
            f"again: {run.ended_by}"
        )

    def _end_of(self, axis: int, run: Run, status: MotionStatus, now: float) -> str:
        if self._run_time and now - run.began >= self._run_time - SHOWN:
            return f"it has run for {self._run_time:g} s"
        state = int(status.op_state[axis])
        # Once it has shown, no later command of the stream takes the state away again.
        if self._timeout and now > run.shown_from and state != self._state:
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
