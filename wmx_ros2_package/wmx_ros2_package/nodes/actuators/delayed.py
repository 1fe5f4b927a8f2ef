"""Commands whose start is still to come.

A command is forgotten when one of its axes is stopped, by whatever node or process and even at
rest, or by an emergency stop, even one that is over by then: what was stopped does not begin by
itself; a stop of several axes is forgotten when all of them were stopped. What has waited while the
process was suspended does not begin either, unless it is a stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from wmx_core.errors import CommandRefused, RefusalCode
from wmx_core.values import MotionStatus

from ...actuators.command import Command
from ...control.axis_file.records import StopCause
from ...control.gate import StoppedSince
from ...control.leases import EXPIRED
from ...control.request import MotionKind, MotionRequest
from ...node_base.context import NodeContext
from ...validation import BadRequest

FURTHEST = 60.0
"""How far ahead a start may be, s."""
MOST_WAITING = 100
"""Messages whose start is still to come."""
WORDS = {
    StopCause.STOP: "it was stopped before its start",
    StopCause.EMERGENCY_STOP: "emergency stop before its start",
    StopCause.SETTING: "the settings of its axis were changed before its start",
    StopCause.SERVO_OFF: "it was stopped before its start",
    StopCause.FILE_LOST: "the file of owners and stops was lost before its start",
}
LET_GO = "the node let go of the engine before its start"

Commands = Sequence[Command]
Due = Callable[[], bool]
"""Whether the time of a start has come."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    commands: Commands
    request: MotionRequest
    """A request for all axes, with the time at which it was sent."""
    due: Due


class DelayedStarts:
    """The delayed starts of `node`.

    `begin` is called in time, in the worker or, for stops, in the supervisor; or `forget` with the
    reason.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        begin: Callable[[Commands, float], None],
        forget: Callable[[Commands, str], None],
    ) -> None:
        """`begin` also gets when the commands were sent, s of the steady clock."""
        self._node = node
        self._begin = begin
        self._forget = forget
        self._waiting: list[_Waiting] = []
        self._lock = threading.Lock()
        node.on_let_go.append(self._forget_all)

    def require_room(self) -> None:
        """BadRequest for one too many."""
        if len(self._waiting) >= MOST_WAITING:
            raise BadRequest([f"{MOST_WAITING} messages wait for their start already"])

    def add(self, commands: Commands, request: MotionRequest, due: Due) -> None:
        """Begin `commands` once `due` is true; `request` has all of their axes.

        BadRequest where the node has let go of the engine since they were sent.
        """
        waiting = _Waiting(commands, request, due)
        with self._lock:  # which `_forget_all` takes after the gate was closed
            if self._node.gate.has_closed_since(request.asked_at):
                raise BadRequest([LET_GO], code=RefusalCode.NOT_READY)
            self._waiting.append(waiting)
        self._node.supervisor.add_task(
            "delayed start", lambda status: self._update(waiting, status)
        )

    def forget(self, ids: Collection[UUID], why: str) -> None:
        """Forget the commands of these ids that wait, for `why`."""
        for waiting in list(self._waiting):
            if any(command.id in ids for command in waiting.commands):
                self._forget_one(waiting, why)

    def _forget_all(self) -> None:
        with self._lock:
            found = list(self._waiting)
        for waiting in found:
            self._forget_one(waiting, LET_GO)

    def _forget_one(self, waiting: _Waiting, why: str) -> None:
        if self._take(waiting):
            self._forget(waiting.commands, why)

    def _take(self, waiting: _Waiting) -> bool:
        """Take `waiting` from the list; false where another thread was quicker."""
        with self._lock:
            if waiting not in self._waiting:
                return False
            self._waiting.remove(waiting)
            return True

    def _update(self, waiting: _Waiting, status: MotionStatus) -> bool:
        """Whether the start is still to come; in the supervisor."""
        if waiting not in self._waiting:
            return False
        if reason := self._why_not(waiting, status):
            self._forget_one(waiting, reason)
            return False
        if not waiting.due():
            return True
        if self._take(waiting):
            begin = partial(self._begin, waiting.commands, waiting.request.asked_at)
            if waiting.request.kind is MotionKind.STOP:
                begin()  # before what waits in the worker
            else:
                self._node.worker.do(begin, bounded=False)
        return False

    def _why_not(self, waiting: _Waiting, status: MotionStatus) -> str:
        if (stopped := self._stopped_since(waiting.request)) is not None:
            return WORDS[stopped.cause]
        if any(self._node.motion_leases.has_expired(c.id) for c in waiting.commands):
            return EXPIRED
        if waiting.request.kind is not MotionKind.STOP:  # which is carried out however late
            try:
                self._node.leases.require_sent_after_suspension(waiting.request.asked_at)
            except CommandRefused as error:
                return error.detail
        return WORDS[StopCause.EMERGENCY_STOP] if status.emergency_stop is not None else ""

    def _stopped_since(self, request: MotionRequest) -> StoppedSince | None:
        """Why `request` does not begin any more; a stop does until all of its axes were stopped."""
        if request.kind is not MotionKind.STOP:
            return self._node.gate.stopped_since([request])
        alone = [replace(request, axes=(axis,)) for axis in request.axes]
        stopped = [self._node.gate.stopped_since([each]) for each in alone]
        return None if None in stopped else stopped[0]
