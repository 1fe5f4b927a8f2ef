"""Finds out when every other thread of this process is at rest; of Linux, by what /proc says."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from resource import RUSAGE_SELF, RUSAGE_THREAD, getrusage

THREADS = "/proc/self/task"
YIELD, LONGEST_YIELD = 2e-5, 5e-4
"""How long others may run before it is looked whether they rest, s: longer each time, for a look
takes time from their work."""
BUSY_TIMEOUT = 30.0
"""How long threads may be at work at one instant of the held time, s of real time."""


class Sleeper:
    """A thread that waits until another one, or the time, releases it."""

    def __init__(self) -> None:
        self.asleep = True
        """Until it is released: then it may be at work, though it has not gone on yet."""
        self.expired = False
        """Whether it was released by the time."""
        self._end = threading.Lock()
        self._lock = threading.Lock()
        self._lock.acquire()

    def release(self, *, expired: bool = False) -> None:
        """Let it go on; RuntimeError if that was done before, as with a lock."""
        with self._end:
            if not self.asleep:
                raise RuntimeError("released already")
            self.asleep, self.expired = False, expired
        self._lock.release()

    def acquire(self, *, blocking: bool = True) -> bool:
        """Wait until it is released; whether it was."""
        return self._lock.acquire(blocking)


class ThreadsAtRest:
    """What is known of the other threads."""

    def __init__(self) -> None:
        self._sleepers: dict[int, Sleeper] = {}
        """What each thread waited with last, by its id."""
        self._files: dict[int, int] = {}
        """What Linux says of each thread, by what it calls them."""
        self._links = 0
        """The links of the folder of threads when it was read: one more for each of them."""

    def sleeps_with(self, sleeper: Sleeper) -> None:
        """The calling thread is about to wait with `sleeper`."""
        self._sleepers[threading.get_native_id()] = sleeper

    def settle(self) -> None:
        """Return once every other thread is at rest.

        Each sleeps, and none has gone to sleep since the look before: one that waits for the
        interpreter gets it in between.
        """
        deadline = time.monotonic() + BUSY_TIMEOUT
        pause = 0.0
        while True:
            before = _switches()
            time.sleep(pause)
            if _switches() == before and self._all_sleep() and _switches() == before:
                return
            pause = min(2.0 * pause, LONGEST_YIELD) or YIELD
            if time.monotonic() > deadline:
                names = {thread.native_id: thread.name for thread in threading.enumerate()}
                awake = [names.get(number, number) for number in self._awake()]
                raise AssertionError(f"no rest within {BUSY_TIMEOUT:g} s, at work are {awake}")

    def close(self) -> None:
        """Let everybody go, and close what was opened of Linux."""
        for sleeper in [*self._sleepers.values()]:
            with suppress(RuntimeError):  # it was released
                sleeper.release(expired=True)
        for thread in [*self._files]:
            self._forget(thread)

    def _all_sleep(self) -> bool:
        """Whether none is awake; the first one that is ends the look, for each takes its time."""
        return next(self._awake(), None) is None

    def _awake(self) -> Iterator[int]:
        """The other threads that run or want to, by what Linux calls them.

        Those of DDS are looked at, too: they bring what others have said. One that waits for an
        instant, or for another thread, sleeps until it is released.
        """
        own = threading.get_native_id()
        self._look_for_threads()
        for thread, file in [*self._files.items()]:
            sleeper = self._sleepers.get(thread)
            if thread == own or (sleeper is not None and sleeper.asleep):
                continue
            try:
                if b") S " not in os.pread(file, 64, 0):  # of /proc/PID/task/TID/stat, see proc(5)
                    yield thread
            except OSError:  # it has ended, and another one may have begun
                self._forget(thread)
                yield thread

    def _look_for_threads(self) -> None:
        """Open what Linux says of each new one; all are listed only when their number changes."""
        if (links := os.stat(THREADS).st_nlink) == self._links:
            return
        self._links = links
        for thread in {*map(int, os.listdir(THREADS))} - {*self._files}:
            with suppress(OSError):
                self._files[thread] = os.open(f"{THREADS}/{thread}/stat", os.O_RDONLY)

    def _forget(self, thread: int) -> None:
        self._links = 0
        self._sleepers.pop(thread, None)
        os.close(self._files.pop(thread))


def _switches() -> int:
    """How often the other threads of this process have stopped running so far."""
    while True:
        before, everyone, own = map(_switches_of, (RUSAGE_THREAD, RUSAGE_SELF, RUSAGE_THREAD))
        if before == own:  # else this thread has stopped between two looks
            return everyone - own


def _switches_of(who: int) -> int:
    usage = getrusage(who)
    return usage.ru_nvcsw + usage.ru_nivcsw
