"""A node's one loop: reads the status, gives it to each follower at its rate, calls what is due.

It feeds publishers at their rates, ends motions in the tracker, and calls tasks: leases to renew,
limits to watch, trajectories to carry on, starts that are due. What is in the loop belongs to its
thread alone: others only put work into its queue, so that no lock is needed.

A thread rather than a timer of the executor: no callback can delay it. It wakes as a communication
cycle begins, so that samples are equally spaced and fresh, and one sample serves all that are due.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread, current_thread
from typing import Protocol

from wmx_core.clock import STEADY, ProcessClock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import MotionStatus

TASK_PERIOD = 0.005
"""How often tasks are called, s: a few communication cycles."""
IDLE_PERIOD = 0.1
"""How often publishers are asked whether they have subscribers, and a lost engine for its status,
s."""
PUNCTUAL = 1e-4
"""Deadlines that lie closer together than this are one, s: a tenth of a communication cycle."""
EARLY = 1e-3
"""How much earlier than it asked for a task is called where a sample is read anyway, s."""
ERROR_PERIOD = 1.0
"""Errors of one feed or task are reported at most this often, s."""

Sink = Callable[[MotionStatus], object]


@dataclass(slots=True)
class _Entry:
    """A sink or a task of the loop."""

    sink: Sink
    name: str
    period: float
    """s; 0 for every sample that is read."""
    slack: float
    """How early it may be called when a sample is read anyway, s."""
    wanted: Callable[[], object] | None = None
    is_wanted: bool = True
    offline: bool = True
    """Whether it is called while the engine does not communicate."""
    is_task: bool = False
    """Whether it goes when its sink returns something false."""
    is_kept: bool = False
    """Whether there is one task of its name at most."""
    is_over: bool = False
    """Whether it is called no more."""
    due: float = -math.inf
    """s of the steady clock."""
    reported: float = -math.inf


class Tasks(Protocol):
    """The loop that calls tasks with samples of the status."""

    def add_task(self, name: str, task: Sink, period: float = TASK_PERIOD) -> None:
        """Call `task` until it returns false, see `Supervisor.add_task`."""


class Supervisor:
    """The loop of one node, which is started and stopped with its device."""

    def __init__(
        self,
        name: str,
        read: Callable[[], MotionStatus],
        *,
        on_lost: Callable[[EngineLost], None],
        on_error: Callable[[str, Exception], object],
        on_wake: Callable[[], None] = lambda: None,
        prepare: Callable[[], None] = lambda: None,
        clock: ProcessClock = STEADY,
    ) -> None:
        """`read` is called for each sample; `on_error` gets the name of what has failed.

        `on_wake` is called about ten times a second, with or without samples, and `prepare` in the
        thread of the loop before all else.
        """
        self._name = name
        self._read = read
        self._on_lost = on_lost
        self._on_error = on_error
        self._on_wake = on_wake
        self._prepare = prepare
        self._clock = clock
        self._entries: list[_Entry] = []
        self._inbox: SimpleQueue[_Entry | None] = clock.queue()
        self._kept: set[str] = set()
        """The names of kept tasks that will be called again."""
        self._thread: Thread | None = None

    def add_sink(
        self,
        sink: Sink,
        rate: float | None = None,
        *,
        name: str,
        wanted: Callable[[], object] | None = None,
        offline: bool = False,
    ) -> None:
        """Call `sink` with samples, `rate` times a second (Hz), or with every one that is read.

        To be called before `start`. `wanted` is asked ten times a second whether to do so. While
        the engine does not communicate sinks are not called, unless they are for that (`offline`):
        no data rather than stale data.
        """
        entry = _Entry(sink, name, 1.0 / rate if rate else 0.0, PUNCTUAL, wanted, offline=offline)
        at = sum(bool(each.period) for each in self._entries)  # those with deadlines come first
        self._entries.insert(at if rate else len(self._entries), entry)

    def add_task(self, name: str, task: Sink, period: float = TASK_PERIOD) -> None:
        """Call `task` with samples, whether the engine communicates or not, until it returns false.

        It returns True to be called after `period` (s) again, or a time of the steady clock. Any
        thread may call. A task that raises is called again. `stop` ends all tasks.
        """
        self._inbox.put(_Entry(task, name, period, EARLY, is_task=True))

    def ensure_task(self, name: str, task: Sink, period: float, *, every: bool = False) -> None:
        """Have `task` called from now on, as `add_task` does, unless one of its name is already.

        The task sees all that was done before this call. With `every` it gets each sample that is
        read, also before it is due. Any thread may call.
        """
        if name not in self._kept:
            self._kept.add(name)
            slack = math.inf if every else EARLY
            self._inbox.put(_Entry(task, name, period, slack, is_task=True, is_kept=True))

    def start(self) -> None:
        """Begin."""
        self._thread = Thread(target=self._run, name=f"{self._name}-supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End; returns when the last sink or task has returned, unless one of them calls."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._inbox.put(None)
            if thread is not current_thread():
                thread.join()
            self._inbox, self._kept = self._clock.queue(), set()

    def _run(self) -> None:
        self._prepare()
        inbox, kept, read, monotonic = self._inbox, self._kept, self._read, self._clock.now
        entries = list(self._entries)
        for entry in entries:
            entry.due = -math.inf
        anchor = due = wake_due = -math.inf
        while True:
            try:
                new = inbox.get(timeout=max(0.0, min(due, wake_due) - monotonic()))
                if new is None:
                    return
                if new.is_kept and any(entry.name == new.name for entry in entries):
                    continue  # it was asked for while it was called, and goes on
                entries.append(new)
                due = -math.inf
            except Empty:
                pass
            now = monotonic()
            if now >= wake_due:
                wake_due = now + IDLE_PERIOD
                try:
                    self._on_wake()
                except EngineLost as error:
                    self._on_lost(error)
                except Exception as error:  # this thread goes on in any case
                    self._on_error("checking leases", error)
                if self._find_wanted(entries):
                    due = -math.inf
            if now < due:
                continue
            try:
                status = read()
            except EngineLost as error:
                self._on_lost(error)
                due = monotonic() + IDLE_PERIOD
                continue
            except Exception as error:  # whatever it is, the next sample may be fine
                self._on_error("reading the status", error)
                due = monotonic() + IDLE_PERIOD
                continue
            if anchor == -math.inf:
                anchor = status.time  # when a cycle began
            due, over = math.inf, False
            communicating = status.communicating
            for entry in entries:
                if not entry.is_wanted:
                    continue
                if entry.due > now + entry.slack:
                    due = min(due, entry.due)
                    continue
                again: object = True
                if entry.is_kept:
                    kept.discard(entry.name)
                try:
                    if communicating or entry.offline:
                        again = entry.sink(status)
                except EngineLost as error:
                    self._on_lost(error)
                except Exception as error:
                    self._report(entry, error)
                if entry.is_task and not again:
                    entry.is_over = over = True
                    continue
                if entry.is_kept:
                    kept.add(entry.name)
                if entry.is_task and type(again) is float:
                    entry.due = again
                    due = min(due, again)
                elif period := entry.period:
                    # All deadlines lie where a cycle begins; those that were missed are left out.
                    # What was called a little early is done; a sample in between moves no deadline.
                    done = max(monotonic(), min(entry.due, now + EARLY))
                    entry.due = anchor + period * ((done - anchor + PUNCTUAL) // period + 1.0)
                    due = min(due, entry.due)
            if over:
                entries = [entry for entry in entries if not entry.is_over]

    def _find_wanted(self, entries: Iterable[_Entry]) -> bool:
        """Ask which sinks are wanted; return whether one is that was not."""
        found = False
        for entry in entries:
            if entry.wanted is not None:
                before, entry.is_wanted = entry.is_wanted, False
                try:
                    entry.is_wanted = bool(entry.wanted())
                except Exception as error:
                    self._report(entry, error)
                found = found or (entry.is_wanted and not before)
        return found

    def _report(self, entry: _Entry, error: Exception) -> None:
        if isinstance(error, CommandRefused) and error.code == ErrorCode.CommNotStarted:
            return  # communication has ended since the status was read: the next one shows it
        if self._clock.now() >= entry.reported + ERROR_PERIOD:
            entry.reported = self._clock.now()
            self._on_error(entry.name, error)
