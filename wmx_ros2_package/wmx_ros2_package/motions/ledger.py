"""Every motion of a node: each has one begin and exactly one end.

A motion is entered when the engine has taken its command, so that none is missed however short it
is, and left when a later status shows that it is over. What takes over one of its axes ends it as
replaced. Whoever stops it on purpose says why before (`mark`); without that the status tells.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple
from uuid import UUID, uuid4

from ..drivers.errors import CommandRefused, ErrorCode
from ..drivers.values import MotionStatus
from .endings import Doing, Ending, ending, is_over
from .events import NO_ID, Begin, End, EndReason, MotionKind

TAKEN_UP = 0.005
"""How long after a command a status may still be that before it, s: an engine takes a command up in
the next communication cycle or two."""

REMEMBERED = 100
"""So many motions are known to have ended: who goes on with one does so a moment later."""

CONTINUOUS = MotionKind.STREAM, MotionKind.JOG
"""What is one motion however many messages refresh it."""

Publish = Callable[[Begin | End], None]


class MotionOver(CommandRefused):
    """A command that goes on with a motion which has just ended: nothing was commanded."""


class Expiry(NamedTuple):
    """When the engine ends a motion by itself, s of the steady clock, and what that is called."""

    time: float
    reason: EndReason


@dataclass(slots=True)
class _Open:
    begin: Begin
    commanded_at: float
    """When its newest command was given, s of the steady clock."""
    kept: bool = False
    """Whether it goes on while its axes rest, until it is finished."""
    mark: Ending | None = None
    """Why it is being stopped, if somebody has said so."""
    expires: Expiry | None = None
    arrives: Ending | None = None
    """What it is called when it ends at its target, where that is not to arrive."""


class MotionLedger:
    """The motions of the node `source`; any thread may call."""

    def __init__(
        self, source: str, publish: Publish, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._source = source
        self._publish = publish
        self._clock = clock
        self._open: dict[UUID, _Open] = {}
        self._ended: deque[UUID] = deque(maxlen=REMEMBERED)
        self._seen: tuple[MotionStatus, Doing] | None = None
        """A status that was watched, and what the axes do in it."""
        self.newest: MotionStatus | None = None
        """What was read last by whoever commands these motions; its `time` tells how old it is."""
        self._lock = threading.RLock()
        """Also of the order in which events are published."""

    def __bool__(self) -> bool:
        """Whether a motion is open."""
        return bool(self._open)

    def holds(self, axes: Collection[int]) -> bool:
        """Whether a motion of one of `axes` is open."""
        with self._lock:
            return bool(self._with(axes))

    def begin(
        self,
        kind: MotionKind,
        axes: Sequence[int],
        status: MotionStatus,
        *,
        targets: Sequence[float],
        arrival: float | None,
        names: Sequence[str] = (),
        id: UUID = NO_ID,
        kept: bool = False,
        expires: Expiry | None = None,
        arrives: Ending | None = None,
    ) -> UUID:
        """Enter a motion whose command was taken just now; its id, a new one unless given.

        `status` shows where the axes are; `arrival` is of the steady clock, s. A motion that is
        `kept` goes on while its axes rest, until `finish`; further commands of its id belong to it.
        `arrives` is what the end at the target is called, where that is not to arrive.
        """
        with self._lock:
            running = self._open.get(id) or (self._same(kind, axes) if kind in CONTINUOUS else None)
            if running is not None:
                running.commanded_at, running.expires = self._clock(), expires
                running.arrives = arrives
                if arrives is not None:
                    running.begin = replace(running.begin, targets=tuple(map(float, targets)))
                return running.begin.id
            begin = Begin(
                id=id if id.int else uuid4(),
                source=self._source,
                kind=kind,
                axes=tuple(axes),
                names=tuple(names),
                time=self._clock(),
                initial=tuple(float(status.pos_cmd[axis]) for axis in axes),
                targets=tuple(map(float, targets)),
                arrival=arrival,
            )
            replaced = Ending(EndReason.REPLACED, 0, f"replaced by {begin.id}")
            for other in self._with(axes):
                self._end(other, status, replaced, replaced_by=begin.id)
            self._open[begin.id] = _Open(begin, begin.time, kept, None, expires, arrives)
            self._publish(begin)
            return begin.id

    def refuse(
        self,
        axes: Sequence[int],
        message: str,
        *,
        names: Sequence[str] = (),
        code: int = 0,
        id: UUID = NO_ID,
    ) -> UUID:
        """Tell of a command that was not taken; its id."""
        end = End(
            id=id if id.int else uuid4(),
            source=self._source,
            axes=tuple(axes),
            names=tuple(names),
            time=self._clock(),
            final=(),
            reason=EndReason.REFUSED,
            code=code,
            message=message,
        )
        with self._lock:
            self._publish(end)
        return end.id

    def mark(self, axes: Collection[int], reason: EndReason, message: str = "") -> None:
        """The motions of `axes` are being stopped, for `reason`; the first mark counts."""
        with self._lock:
            for motion in self._with(axes):
                motion.mark = motion.mark or Ending(reason, 0, message)

    def mark_all(self, reason: EndReason, message: str = "") -> None:
        """All motions are being stopped, for `reason`; the first mark counts."""
        with self._lock:
            for motion in self._open.values():
                motion.mark = motion.mark or Ending(reason, 0, message)

    def is_open(self, id: UUID) -> bool:
        """Whether a motion has begun and not ended yet."""
        with self._lock:
            return id in self._open

    @contextmanager
    def going_on(self, ids: Collection[UUID]) -> Iterator[None]:
        """Motions go on with a command that is given and entered inside: none of them ends there.

        MotionOver for one that has ended; ids that nobody has begun are left alone.
        """
        with self._lock:
            if over := [id for id in ids if id in self._ended]:
                raise MotionOver(ErrorCode.NotIdleState, f"motion {over[0]} has ended meanwhile")
            now = self._clock()  # for what another command is just going on with
            before = {id: min(self._open[id].commanded_at, now) for id in ids if id in self._open}
            for id in before:
                self._open[id].commanded_at = inf
        try:
            yield
        finally:
            with self._lock:
                for id in before.keys() & self._open.keys():
                    if self._open[id].commanded_at == inf:  # nothing was entered
                        self._open[id].commanded_at = before[id]

    def arrival(self, id: UUID) -> float | None:
        """When an open motion is expected to end, s of the steady clock."""
        with self._lock:
            return self._open[id].begin.arrival if id in self._open else None

    def runs(self, id: UUID) -> bool:
        """Whether a motion is open, and nobody stops it."""
        with self._lock:
            motion = self._open.get(id)
            return motion is not None and motion.mark is None

    def finish(self, id: UUID) -> None:
        """A motion that was kept is over as soon as its axes rest."""
        with self._lock:
            if id in self._open:
                self._open[id].kept = False

    def watch(self, status: MotionStatus) -> None:
        """End what `status` shows to be over."""
        seen = self._seen
        if seen is None or not status.does_as(seen[0]):
            seen = self._seen = status, Doing.of(status)
        doing = seen[1]
        with self._lock:
            for motion in list(self._open.values()):
                stopped = motion.mark is not None
                kept = motion.kept and not stopped
                over = is_over(motion.begin, doing, kept=kept, stopped=stopped)
                if status.time > motion.commanded_at + TAKEN_UP and over:
                    self._end(motion, status, self._why(motion, status))

    def end_all(self, reason: EndReason, message: str, status: MotionStatus | None = None) -> None:
        """End all at once: nobody will watch any more; without a status where they began."""
        with self._lock:
            for motion in list(self._open.values()):
                self._end(motion, status, motion.mark or Ending(reason, 0, message))

    def _why(self, motion: _Open, status: MotionStatus) -> Ending:
        seen = ending(motion.begin, status)
        if seen.reason is EndReason.ARRIVED and motion.arrives is not None:
            return motion.arrives
        if motion.mark and seen.reason in (EndReason.STOPPED, EndReason.ARRIVED):
            # Where it is stopped on its way it may stand at its target, too.
            due = inf if motion.begin.arrival is None else motion.begin.arrival - TAKEN_UP
            arrived = seen.reason is EndReason.ARRIVED and status.time >= due
            return seen if arrived else motion.mark
        expires = motion.expires
        if expires and seen.reason is EndReason.STOPPED and status.time >= expires.time - TAKEN_UP:
            words = "" if expires.reason is EndReason.ARRIVED else "nobody refreshed it in time"
            return Ending(expires.reason, 0, words)
        return seen

    def _end(
        self, motion: _Open, status: MotionStatus | None, why: Ending, *, replaced_by: UUID = NO_ID
    ) -> None:
        begin = motion.begin
        del self._open[begin.id]
        self._ended.append(begin.id)
        self._publish(
            End(
                id=begin.id,
                source=begin.source,
                axes=begin.axes,
                names=begin.names,
                time=self._clock(),
                final=_positions(begin, status),
                reason=why.reason,
                code=why.code,
                message=why.message,
                replaced_by=replaced_by,
            )
        )

    def _same(self, kind: MotionKind, axes: Sequence[int]) -> _Open | None:
        """What a command of this kind goes on with, unless it is being stopped."""
        for motion in self._open.values():
            begin = motion.begin
            if begin.kind is kind and begin.axes == tuple(axes) and motion.mark is None:
                return motion
        return None

    def _with(self, axes: Collection[int]) -> list[_Open]:
        wanted = set(axes)
        return [m for m in self._open.values() if wanted.intersection(m.begin.axes)]


def _positions(begin: Begin, status: MotionStatus | None) -> tuple[float, ...]:
    if status is None:
        return begin.initial
    return tuple(float(status.pos_cmd[axis]) for axis in begin.axes)
