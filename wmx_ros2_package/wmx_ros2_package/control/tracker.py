"""The motions that the engine has taken, until they are over: each has one begin and one end.

A motion is entered when the engine has taken its command, so that none is missed however short it
is, and it ends when a later status shows that it is over. A command that takes over one of its axes
ends it as replaced. What stops it on purpose sets the reason before; else the status shows it.

    requested -> open -> ended          requested -> refused
                  |  ^
                  +--+  extended by a command of the same id, or of the same stream
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple
from uuid import UUID, uuid4

import numpy as np

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import Floats, MotionStatus

from .motion_ends import Course, Doing, Ending, InPosition, end_of, ending, is_over
from .request import NO_ID, Begin, End, EndReason, MotionKind, MotionRequest, begin_of

REMEMBERED = 100
"""How many ended motions are remembered: a command that extends one may come just after its end."""
LATE_STOP = 0.02
"""How long before a status that shows a motion going on its stop may be recorded, s: twice the time
between two statuses, and longer than one takes to show it."""
CONTINUOUS = MotionKind.STREAM, MotionKind.JOG
"""Kinds of which one motion lasts however many messages refresh it."""

_TAKEN_OVER = Ending(
    EndReason.REPLACED, 0, "another command moved its axis before its motor was in position"
)
"""The end of a motion that a command of another tracker has replaced."""

Listener = Callable[[Begin | End], None]
Ask = Callable[["_Open"], None]
"""Asks outside the tracker's lock for what the end of a motion depends on."""


class MotionOver(CommandRefused):
    """A command that extends a motion which has just ended: nothing was commanded."""


class RecordedStops(NamedTuple):
    """Whether a stop of some axes is recorded since a time, and its cause in words if known.

    A stop that was recorded for an axis may have had nothing to stop there.
    """

    any: bool = False
    cause: str = ""


@dataclass(slots=True)
class _Open:
    begin: Begin
    request: MotionRequest
    course: Course
    commanded_at: float
    """When its newest command was given, s of the steady clock; inf while one is being given."""
    ends_at: float = inf
    """When its run time is over, s of the steady clock."""
    kept: bool = False
    """Whether it goes on while its axes rest, until it is released: a trajectory, and an effort,
    after which its node has the axis hold its position."""
    going_at: float = -inf
    """When a status last showed all its axes going on, s of the steady clock."""
    ended_early: bool = False
    """Whether a status has shown that it slows down before its run time is over."""
    stop: Ending | None = None
    """Why it is being stopped, if that has been set."""
    over_since: float = inf
    """When a status first showed that its command has ended, s of the steady clock."""
    judged: Ending | None = None
    """How it ended where its command reached its target, by what carried it out."""
    widths: Future[Floats] | None = None
    """InPosWidth of its axes, u, once that is asked for."""
    stops: RecordedStops | None = None
    """What is recorded of stops of its axes, once that is needed."""


def at_once(work: Callable[[], Floats]) -> Future[Floats]:
    """Do `work` now; its result is that of the future."""
    done: Future[Floats] = Future()
    done.set_result(work())
    return done


class MotionTracker:
    """The motions of the node `source`; any thread may call.

    Listeners are called with every begin and end, in their order and in the thread in which it
    happens. Callers may hold locks then, such as that of the gate: a listener commands nothing.
    """

    def __init__(
        self,
        source: str,
        latency: float,
        now: Callable[[], float],
        in_position: InPosition | None = None,
        in_position_widths: Callable[[Sequence[int]], Sequence[float]] | None = None,
        recorded_stops: Callable[[Sequence[int], float], RecordedStops] | None = None,
        aside: Callable[[Callable[[], Floats]], Future[Floats]] = at_once,
        unread: Callable[[], float] = lambda: inf,
    ) -> None:
        """A status shows a command after `latency` seconds at the latest; `now` is of its clock.

        `in_position_widths` returns InPosWidth of axes, u, and may take as long as an engine does
        to answer: it is called where a motor is not in position in time, by `aside`, and the motion
        is open until it has returned. `recorded_stops` are those of axes since a time. Where no
        status was read for `unread()` s the engine may have stopped axes: their node seemed dead.
        """
        self._aside = aside
        self._unread = unread
        self._recorded_stops = recorded_stops or (lambda axes, since: RecordedStops())
        self._in_position = in_position or InPosition()
        self._in_position_widths = in_position_widths or (lambda axes: [0.0] * len(axes))
        self._source = source
        self._latency = latency
        self.now = now
        self._open: dict[UUID, _Open] = {}
        self._ended: dict[UUID, None] = {}
        """The last ones that ended, in their order."""
        self._newest: MotionStatus | None = None
        self._asked_at: dict[int, float] = {}
        """When the newest command that has moved an axis was asked for, by axis."""
        self._lock = threading.Lock()
        """Guards all above. Inside it events are only added, to be published outside it."""
        self._listeners: list[Listener] = []
        self._events: deque[Begin | End] = deque()
        """The events that have yet to be published."""
        self._publishing = threading.Lock()
        """Held while events are published, so that they keep their order."""

    def listen(self, listener: Listener) -> None:
        """Call `listener` with every begin and end from now on."""
        self._listeners.append(listener)

    def _publish(self) -> None:
        """Call the listeners with the events that were added, in their order."""
        if not self._events:
            return
        with self._publishing:
            while self._events:
                event = self._events.popleft()
                for listener in self._listeners:
                    listener(event)

    # What is open

    def __bool__(self) -> bool:
        """Whether a motion is open."""
        return bool(self._open)

    def has_motion_on(self, axes: Collection[int]) -> bool:
        """Whether a motion of one of `axes` is open."""
        with self._lock:
            return bool(self._with(axes))

    @property
    def is_settling(self) -> bool:
        """Whether an open motion waits for its motors alone."""
        with self._lock:
            return any(motion.over_since < inf for motion in self._open.values())

    def axes_of(self, *kinds: MotionKind, stopping: bool = True) -> list[int]:
        """The axes of the open motions of some kinds; also of those that are being stopped."""
        with self._lock:
            motions = [
                motion
                for motion in self._open.values()
                if motion.begin.kind in kinds and (stopping or motion.stop is None)
            ]
            return [axis for motion in motions for axis in motion.begin.axes]

    def axes_of_motion(self, id: UUID) -> tuple[int, ...]:
        """The axes of an open motion that is not being stopped; none of any other."""
        with self._lock:
            motion = self._open.get(id)
            return motion.begin.axes if motion is not None and motion.stop is None else ()

    def is_open(self, id: UUID) -> bool:
        """Whether a motion has begun and not ended yet."""
        with self._lock:
            return id in self._open

    def has_begun(self, id: UUID) -> bool:
        """Whether a motion is open, or was a moment ago."""
        with self._lock:
            return id in self._open or id in self._ended

    def runs(self, id: UUID) -> bool:
        """Whether a motion is open and is not being stopped."""
        return bool(self.axes_of_motion(id))

    def arrival(self, id: UUID) -> float | None:
        """When an open motion is expected to end, s of the steady clock."""
        with self._lock:
            return self._open[id].begin.arrival if id in self._open else None

    def moved_since(self, axes: Collection[int], asked_at: float) -> list[int]:
        """Those of `axes` that have been moved by what was asked for later than `asked_at`."""
        with self._lock:
            return [axis for axis in axes if self._asked_at.get(axis, asked_at) > asked_at]

    # How a motion begins

    def begin(self, request: MotionRequest, status: MotionStatus, given_at: float) -> UUID:
        """Enter a motion whose command, given at `given_at`, was taken just now; its id.

        `status` shows where its axes are. A request with the id of an open motion extends it, and
        so does one of the same stream or jog.
        """
        with self._lock:
            now = self.now()
            ends_at = given_at + request.run_time if request.run_time else inf
            for axis in request.axes:
                newest = self._asked_at.get(axis, request.asked_at)
                self._asked_at[axis] = max(newest, request.asked_at)
            extended = self._open.get(request.id) or self._continued(request)
            if extended is not None:
                extended.commanded_at, extended.ends_at = now, ends_at
                extended.ended_early, extended.stops = False, None
                extended.request, extended.over_since = request, inf
                if request.limit:
                    extended.begin = replace(extended.begin, targets=request.targets)
                return extended.begin.id
            begin = begin_of(request, status, self._source, now)
            replaced = Ending(EndReason.REPLACED, 0, f"replaced by {begin.id}")
            for other in self._with(request.axes):
                self._end(other, status, replaced, replaced_by=begin.id)
            kept = request.lasts is not None or request.kind is MotionKind.EFFORT
            self._open[begin.id] = _Open(begin, request, Course(begin), now, ends_at, kept)
            self._events.append(begin)
        self._publish()
        return begin.id

    def refuse(
        self,
        message: str,
        *,
        axes: Sequence[int] = (),
        names: Sequence[str] = (),
        code: int = 0,
        id: UUID = NO_ID,
    ) -> None:
        """Publish the end of a request that never began, with a new id unless one is given.

        Nothing is published where that has begun: the motion, which the request was to extend, has
        an end of its own.
        """
        end = End(
            id=id if id.int else uuid4(),
            source=self._source,
            axes=tuple(axes),
            names=tuple(names),
            time=self.now(),
            final=(),
            reason=EndReason.REFUSED,
            code=code,
            message=message,
        )
        with self._lock:
            if id in self._open or id in self._ended:
                return
            self._events.append(end)
        self._publish()

    @contextmanager
    def commanding(self, ids: Collection[UUID], axes: Collection[int]) -> Iterator[float]:
        """Let no motion of `ids` or of `axes` end while a command to them is given and entered.

        Else a status that shows the new command ends what that extends or replaces as stopped.
        Gives when the command is given, s of the steady clock. MotionOver for an id that has ended.
        """
        with self._lock:
            if over := [id for id in ids if id in self._ended]:
                raise MotionOver(ErrorCode.NotIdleState, f"motion {over[0]} has ended already")
            now = self.now()
            motions = [self._open[id] for id in ids if id in self._open] + self._with(axes)
            # Another thread may be commanding one of them.
            before = {m.begin.id: min(m.commanded_at, now) for m in motions}
            for motion in motions:
                motion.commanded_at = inf
        try:
            yield now
        finally:
            with self._lock:
                for id in before.keys() & self._open.keys():
                    if self._open[id].commanded_at == inf:  # nothing was entered
                        self._open[id].commanded_at = before[id]

    # How a motion ends

    def set_end_reason(
        self, reason: EndReason, message: str = "", axes: Collection[int] | None = None
    ) -> None:
        """Let the motions of `axes`, or all, end for `reason`: they are being stopped.

        The first reason counts.
        """
        with self._lock:
            for motion in self._open.values() if axes is None else self._with(axes):
                motion.stop = motion.stop or Ending(reason, 0, message)

    def release(self, id: UUID, judged: Ending | None = None) -> None:
        """Let a motion that was kept end as soon as its axes rest.

        With `judged` its end is known where its command has reached its target: what carried it out
        has found its motors where its client wants them, or not.
        """
        with self._lock:
            if id in self._open:
                self._open[id].kept, self._open[id].judged = False, judged

    def update(self, status: MotionStatus) -> None:
        """End the motions that have finished in `status`, their motors as well."""
        if not self._open:
            return
        self._newest = status
        doing = Doing.of(status)
        asking: list[tuple[_Open, Ask]] = []
        with self._lock:
            for motion in list(self._open.values()):
                motion.course.update(status)
                if status.time <= motion.commanded_at + self._latency:
                    continue
                if doing.beyond_hold.issuperset(motion.begin.axes):
                    motion.going_at = status.time
                if status.time < motion.ends_at - self._latency < inf:
                    slows = not doing.slowing.isdisjoint(motion.begin.axes)
                    motion.ended_early = motion.ended_early or slows
                stopped = motion.stop is not None
                kept = motion.kept and not stopped
                if not is_over(motion.begin, doing, kept=kept, stopped=stopped):
                    if motion.over_since < inf:
                        self._end(motion, status, _TAKEN_OVER)
                elif (ask := self._end_settled(motion, status)) is not None:
                    asking.append((motion, ask))
        self._publish()
        for motion, ask in asking:  # the engine, or others who may stop axes, outside the lock
            ask(motion)
        if asking:
            self.update(status)

    def _ask_widths(self, motion: _Open) -> None:
        axes = motion.begin.axes
        motion.widths = self._aside(lambda: np.asarray(self._in_position_widths(axes)))

    def _ask_stops(self, motion: _Open) -> None:
        since = commanded_at = motion.commanded_at
        if self._has_run_out(motion):  # a status would have shown what was stopped before
            since = max(since, min(motion.going_at, motion.ends_at) - LATE_STOP)
        stops = self._recorded_stops(motion.begin.axes, since)
        with self._lock:
            if motion.commanded_at == commanded_at < inf:  # else a command has extended it
                motion.stops = stops

    def _end_settled(self, motion: _Open, status: MotionStatus) -> "Ask | None":
        """End a motion whose command has ended, unless its motors have yet to come to rest.

        Return what has to be asked before that.
        """
        motion.over_since = min(motion.over_since, status.time)
        waited = status.time - motion.over_since
        begin, in_position = motion.begin, self._in_position
        seen = ending(begin, status, motion.course.gone)
        if seen.reason is EndReason.STOPPED and motion.stop is None and motion.stops is None:
            return self._ask_stops
        why = self._why(motion, seen)
        if motion.judged is not None and why.reason is EndReason.ARRIVED:
            why = motion.judged
        elif in_position.waits_for(begin, why, status, waited):
            return None
        elif in_position.is_late(begin, why, waited):
            if motion.widths is None:
                return self._ask_widths
            if not motion.widths.done():
                return None
            unknown = motion.widths.exception() is not None
            widths = np.zeros(len(begin.axes)) if unknown else motion.widths.result()
            why = in_position.judged(begin, why, status, waited, widths)
        stands_there = why.reason is EndReason.ARRIVED and why is not motion.stop
        if stands_there and motion.request.limit:
            why = Ending(EndReason.LIMIT, 0, motion.request.limit)
        self._end(motion, status, why)
        return None

    def end_all(self, reason: EndReason, message: str, status: MotionStatus | None = None) -> None:
        """End all at once, for no status will be read any more.

        They end where `status` shows the axes, without one where they were seen last.
        """
        status = status or self._newest
        with self._lock:
            for motion in list(self._open.values()):
                self._end(motion, status, motion.stop or Ending(reason, 0, message))
        self._publish()

    def _why(self, motion: _Open, seen: Ending) -> Ending:
        request, stops = motion.request, motion.stops or RecordedStops()
        arrived = seen.reason is EndReason.ARRIVED
        if arrived and request.limit:
            return seen
        if motion.stop and (arrived or seen.reason is EndReason.STOPPED):
            # Where it is stopped on its way it may stand at its target, too.
            arrival = motion.begin.arrival
            in_time = arrival is None or motion.over_since < arrival - self._latency
            return motion.stop if in_time or not arrived else seen
        if seen.reason is not EndReason.STOPPED:
            return seen
        if stops.any or not self._has_run_out(motion):
            return seen._replace(message=stops.cause or seen.message)
        if request.renewable:
            return Ending(EndReason.LEASE_EXPIRED, 0, "it was not refreshed in time")
        if max(motion.commanded_at, motion.going_at) < motion.ends_at - self._unread():
            return Ending(EndReason.STOPPED, 0, "no status shows that its time was over first")
        return Ending(EndReason.ARRIVED)

    def _has_run_out(self, motion: _Open) -> bool:
        """Whether its run time was over when its axes rested, and no status shows a stop before."""
        return motion.over_since >= motion.ends_at - self._latency and not motion.ended_early

    def _end(
        self, motion: _Open, status: MotionStatus | None, why: Ending, *, replaced_by: UUID = NO_ID
    ) -> None:
        begin = motion.begin
        del self._open[begin.id]
        self._ended[begin.id] = None
        if len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]
        self._events.append(end_of(begin, why, self.now(), status, replaced_by))

    def _continued(self, request: MotionRequest) -> _Open | None:
        """The stream or jog that `request` goes on with, unless that is being stopped."""
        if request.kind in CONTINUOUS:
            for motion in self._open.values():
                begin = motion.begin
                same = begin.kind is request.kind and begin.axes == request.axes
                if same and motion.stop is None:
                    return motion
        return None

    def _with(self, axes: Collection[int]) -> list[_Open]:
        wanted = set(axes)
        return [m for m in self._open.values() if wanted.intersection(m.begin.axes)]
