"""Commands the engine to stop axes, again where it refuses, and waits until they rest.

A stop that the engine refuses is given again, since the refusal of one axis may hide that of the
others, and a command that the engine has just taken may only start in the next cycle.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import MAX_AXES, REST_VELOCITY, MotionStatus, OperationState

RETRY_PERIOD = 0.02
"""How long after a refusal a stop is given again, s."""
SETTLING = 0.5
"""How long motors may lag behind commands that rest, s: then they are noise of an encoder."""
_LOOK_PERIOD = 0.005

Stop = Callable[[Sequence[int]], None]
"""Slows axes down to rest."""


class Stopping:
    """Brings axes to rest, status by status."""

    def __init__(
        self,
        stop: Stop,
        axes: Iterable[int] | None,
        latency: float,
        states: Collection[OperationState] = (),
        log: Callable[[str], object] = lambda text: None,
        *,
        now: Callable[[], float],
        quick_stop: Stop | None = None,
        quick_after: float = inf,
    ) -> None:
        """Stop `axes`, None for all; a status shows a command after `latency` s.

        With `states`, only axes in one of these are stopped and waited for: another state is what a
        newer request has begun. `log` gets a refusal in words, once however often it comes.
        What has not come to rest `quick_after` s later, 0 for at once, is stopped by `quick_stop`,
        also what slows down already. `now` is of the clock of the statuses, the steady one.
        """
        self._stop = stop
        self._quick_stop = quick_stop
        self._quick_after = quick_after
        self._is_quick = False
        """Whether the engine has taken the quick stop."""
        self._taken = False
        """Whether the engine has taken a stop."""
        self._axes = None if axes is None else list(axes)
        self._unseen = self._axes
        """The axes that are yet to be stopped where no status is answered; None for all."""
        self._latency = latency
        self._states = states
        self._log = log
        self._now = now
        self._began = now()
        self._retry_at = -inf
        self._settled_by = inf
        self.refusal: CommandRefused | None = None
        """Why the engine has not taken the newest stop."""
        self.busy: list[int] = []
        """The axes that did something in the newest status."""

    def update(self, status: MotionStatus) -> bool:
        """Stop what `status` shows in motion; whether all axes rest, the motors as well.

        Raises EngineLost. Where the engine does not communicate, all axes rest.
        """
        self.busy = self._chosen(status.busy)
        if self._states:
            self.busy = [axis for axis in self.busy if status.op_state[axis] in self._states]
        if not status.communicating:
            return True
        if not self.busy:
            return status.time > self._began + self._latency and self._motors_rest(status)
        self._settled_by = inf
        stop, moving = self._due(status)
        if moving and self._now() >= self._retry_at:
            self._give(stop, moving)
        return False

    def stop_unseen(self) -> None:
        """Stop all axes until the engine has taken a stop: no status shows which of them move."""
        if not self._taken and self._now() >= self._retry_at:
            self._give(self._stop, self._unseen)

    def is_due(self, status: MotionStatus) -> bool:
        """As `update`; return whether the engine has yet to take the stop of what moves."""
        if self.update(status):
            return False
        return not self.busy or (self.refusal is not None and bool(self._due(status)[1]))

    def _due(self, status: MotionStatus) -> tuple[Stop, list[int]]:
        """Return the stop that is due, and the axes that have yet to be given it."""
        moving = [a for a in self.busy if status.op_state[a] != OperationState.STOP]
        if self._quick_stop is None or self._now() < self._began + self._quick_after:
            return self._stop, moving
        return self._quick_stop, moving if self._is_quick else self.busy

    def _give(self, stop: Stop, axes: Sequence[int] | None) -> None:
        """Give `stop` to `axes`; None for every axis of an engine whose number is not known."""
        try:
            if axes is not None:
                stop(axes)
            else:
                refused = with_every_axis(lambda axis: stop([axis]))
                self._unseen = list(refused)
                for refusal in refused.values():
                    raise refusal
            self.refusal, self._taken, self._is_quick = None, True, stop is self._quick_stop
        except CommandRefused as error:
            if self.refusal is None:
                which = "all axes" if axes is None else f"axes {list(axes)}"
                self._log(f"Stopping {which}, trying again: {error}")
            self.refusal = error
        self._retry_at = self._now() + RETRY_PERIOD

    def _motors_rest(self, status: MotionStatus) -> bool:
        if self._settled_by == inf:
            self._settled_by = status.time + SETTLING
        return status.time > self._settled_by or not self._chosen(turning(status))

    def _chosen(self, axes: NDArray[np.intp]) -> list[int]:
        found: list[int] = axes.tolist()
        return found if self._axes is None else [axis for axis in found if axis in self._axes]


def with_every_axis(
    act: Callable[[int], object], axes: Iterable[int] = range(MAX_AXES)
) -> dict[int, CommandRefused]:
    """Call `act` with each of `axes`, or of an engine that does not say how many: the refusals.

    An engine refuses a call as a whole that names an axis which it has not. One that seems lost may
    live: EngineLost is raised at the second call that raises it, or after that of the last axis.
    """
    refused: dict[int, CommandRefused] = {}
    lost: EngineLost | None = None
    for axis in axes:
        try:
            act(axis)
        except CommandRefused as error:
            if error.code == ErrorCode.AxisOutOfRange:
                break
            refused[axis] = error
        except EngineLost as error:
            if lost is not None:
                raise
            lost = error
    if lost is not None:
        raise lost
    return refused


def turning(status: MotionStatus) -> NDArray[np.intp]:
    """The axes whose motors turn, whatever they are commanded to do."""
    return (np.abs(status.actual_velocity) > REST_VELOCITY).nonzero()[0]


def stop_and_wait(
    status: Callable[[], MotionStatus],
    stop: Stop,
    axes: Iterable[int] | None,
    latency: float,
    timeout: float,
    clock: Clock,
    *,
    of_engine: bool = False,
) -> Stopping | None:
    """Stop `axes`, or all, and wait until they rest; what is left if that takes too long.

    Blocks for as long as the axes take to slow down, `timeout` seconds at most; with `of_engine`
    longer where the clock of the engine is slower, as `MotionStatus.timeout`. A status that the
    engine refuses keeps no axis from being stopped; it is raised where that takes too long. One by
    which the engine seems lost is raised at once, when the axes have been stopped all the same: it
    may live.
    """
    deadline = (began := clock.now()) + timeout
    stopping = Stopping(stop, axes, latency, now=clock.now)
    while True:
        try:
            seen = status()
            if of_engine:
                deadline = began + seen.timeout(timeout)
            if stopping.update(seen):
                return None
            if clock.now() > deadline:
                return stopping if stopping.busy else None
        except CommandRefused:
            stopping.stop_unseen()  # also where the answer took all of the time
            if clock.now() > deadline:
                raise
        except EngineLost:
            stopping.stop_unseen()
            raise
        clock.sleep(_LOOK_PERIOD)
