"""Time that goes on only while the thread of the test waits, to the next instant of a wait."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from math import inf
from typing import TypeVar

from ..node_base.tuning import wake_on_time
from .threads_at_rest import Sleeper, ThreadsAtRest

T = TypeVar("T")

TOGETHER = 2_000
"""Instants that are closer together are one, ns: the sums of periods do not come out exact."""
LONGEST = 100_000_000
"""How far time goes at once, ns."""


@dataclass(order=True)
class _Wait:
    """Somebody waits for an instant, ns."""

    due: int
    number: int
    wake: Callable[[], object] = field(compare=False)


class HeldTime:
    """The time of this process, which the thread that makes this lets go on."""

    def __init__(self) -> None:
        self.test = threading.get_ident()
        """The thread that lets the time go on."""
        self._now = time.monotonic_ns()
        self._to_wall = time.time_ns() - self._now
        self._waits: list[_Wait] = []
        self._lock = threading.RLock()  # a finalizer may wait, in the midst of it
        self._numbers = count()
        self._others = ThreadsAtRest()
        self._ended = False
        wake_on_time()  # it looks again and again whether the others rest, 20 us later

    def now(self) -> float:
        """As every clock."""
        return self.now_ns() * 1e-9

    def now_ns(self) -> int:
        """As every clock."""
        self._now += 1  # what follows is later than what came before, as on any clock
        return self._now

    def time_ns(self) -> int:
        """As every clock of a process."""
        return self.now_ns() + self._to_wall

    def sleep(self, seconds: float) -> None:
        """As every clock."""
        self.is_released(Sleeper(), seconds)

    # For those who wait

    def after(self, seconds: float, wake: Callable[[], object]) -> None:
        """Call `wake` in the thread of the test once `seconds` have passed."""
        due = self._now + max(0, round(min(seconds, 1e9) * 1e9))
        with self._lock:
            heapq.heappush(self._waits, _Wait(due, next(self._numbers), wake))

    def is_released(self, sleeper: Sleeper, timeout: float) -> bool:
        """Wait until `sleeper` is released; false when that takes longer than `timeout` (s).

        RuntimeError once the time has ended.
        """
        self._require_time()
        if threading.get_ident() == self.test:
            return self.until(lambda: sleeper.acquire(blocking=False), timeout)

        def expire() -> None:
            with suppress(RuntimeError):
                sleeper.release(expired=True)

        if timeout < inf:
            self.after(timeout, expire)
        self._others.sleeps_with(sleeper)
        self._require_time()  # it may have ended just before, and released those that it knew
        sleeper.acquire()
        return not sleeper.expired

    # For the test

    def settle(self) -> None:
        """Return once every other thread is at rest."""
        self._others.settle()

    def until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Let time pass until `condition` is true; false when it is not within `timeout` (s)."""
        end = self._now + max(0, round(min(timeout, 1e9) * 1e9))
        self.settle()
        while not condition():
            if self._now >= end:
                return False
            self._go_on(end)
            self.settle()
        return True

    def run(self, work: Callable[[], T]) -> T:
        """Do `work`, which may wait for other threads, in a thread of its own; time passes."""
        done: Future[T] = Future()

        def carry_out() -> None:
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

        thread = threading.Thread(target=carry_out, name="work of the test")
        thread.start()
        self.until(lambda: not thread.is_alive(), 1e9)
        thread.join()
        return done.result()

    def close(self) -> None:
        """End the time, and let everybody go who waits still: nobody can wait any more."""
        self._ended = True
        self._others.close()
        waits, self._waits = self._waits, []
        for wait in waits:
            wait.wake()

    def _require_time(self) -> None:
        if self._ended:
            raise RuntimeError("the held time has ended: what is waited for does not come")

    def _go_on(self, end: int) -> None:
        """To the next instant for which somebody waits, or to `end`."""
        with self._lock:
            due = min(end, self._now + LONGEST)
            if self._waits:
                due = min(due, self._waits[0].due + TOGETHER)
            self._now = max(self._now, due)
            woken = []
            while self._waits and self._waits[0].due <= self._now:
                woken.append(heapq.heappop(self._waits))
        for wait in woken:
            wait.wake()
