"""Commands whose start is still to come, and what lets them be forgotten.

A stop of one of their axes does, by whatever node and process, also of axes that rest, and an
emergency stop that is over by then: what was stopped does not begin by itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..actuators.command import Command
from ..drivers.ownership import EMERGENCY_STOPPED
from ..drivers.values import MotionStatus
from ..node.context import NodeContext
from ..validation import BadRequest
from .keeper import Keeper

FURTHEST = 60.0
"""How far ahead a start may be, s."""
MOST_WAITING = 100
"""Messages whose start is still to come."""
STOPPED = "it was stopped before its start"
EMERGENCY_STOP = "emergency stop before its start"
LET_GO = "the node let go of the engine before its start"

Commands = Sequence[Command]


@dataclass(frozen=True, slots=True)
class _Waiting:
    commands: Commands
    axes: tuple[int, ...]
    marks: tuple[bytes, ...]
    """Of stops, as they were when it was commanded."""


class LaterStarts:
    """Those of `node`: `begin` is called in time, or `forget` with the reason."""

    def __init__(
        self,
        node: NodeContext[Any],
        keeper: Keeper,
        begin: Callable[[Commands, Callable[[], str]], None],
        forget: Callable[[Commands, str], None],
    ) -> None:
        """`begin` also gets a function that says why the axes were stopped, if they were."""
        self._node = node
        self._keeper = keeper
        self._begin = begin
        self._forget = forget
        self._waiting: dict[threading.Timer, _Waiting] = {}
        self._lock = threading.Lock()
        node.on_detach(lambda: self.forget(LET_GO))

    def require_room(self, after: float) -> None:
        """BadRequest for a start `after` so many seconds that is too far, or one too many."""
        if after > FURTHEST:
            raise BadRequest(
                [f"header.stamp is {after:.3f} s in the future: must be {FURTHEST:g} s at most"]
            )
        if len(self._waiting) >= MOST_WAITING:
            raise BadRequest([f"{MOST_WAITING} messages wait for their start already"])

    def add(self, commands: Commands, axes: Sequence[int], after: float) -> None:
        """Begin `commands` to `axes` in `after` seconds."""
        timer = threading.Timer(after, lambda: self._due(timer))
        timer.daemon = True
        with self._lock:
            first = not self._waiting
            self._waiting[timer] = _Waiting(commands, tuple(axes), self._node.stop_marks(axes))
        if first:
            self._keeper.keep(self._look)
        timer.start()

    def forget(self, why: str, axes: Sequence[int] | None = None) -> None:
        """What waits for one of `axes`, or at all, does not begin any more."""
        with self._lock:
            forgotten = [
                (timer, waiting)
                for timer, waiting in self._waiting.items()
                if axes is None or set(axes).intersection(waiting.axes)
            ]
            for timer, _ in forgotten:
                del self._waiting[timer]
        for timer, waiting in forgotten:
            timer.cancel()
            self._forget(waiting.commands, why)

    def _due(self, timer: threading.Timer) -> None:
        with self._lock:
            waiting = self._waiting.pop(timer, None)
        if waiting is not None:  # else it was forgotten meanwhile
            self._begin(waiting.commands, lambda: self._stopped(waiting))

    def _look(self, status: MotionStatus) -> bool:
        if status.emergency_stop is not None:
            self.forget(EMERGENCY_STOP)
        for waiting in list(self._waiting.values()):
            if why := self._stopped(waiting):
                self.forget(why, waiting.axes)
        with self._lock:
            return bool(self._waiting)

    def _stopped(self, waiting: _Waiting) -> str:
        """Why what waits must not begin, or nothing."""
        now = self._node.stop_marks(waiting.axes)
        changed = [mark for mark, old in zip(now, waiting.marks, strict=False) if mark != old]
        if len(now) != len(waiting.marks):
            return LET_GO
        if any(mark.startswith(EMERGENCY_STOPPED) for mark in changed):
            return EMERGENCY_STOP
        return STOPPED if changed else ""
