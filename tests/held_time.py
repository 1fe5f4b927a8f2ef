"""Holds the time of this process: it goes on only while the thread of the test waits.

Whoever waits with a time-out waits for the held time: `time.sleep`, every wait of `threading` and
what rests on it (futures, events, queues), and the timers of the nodes. Where the test waits, the
time goes to the next instant for which somebody waits, once every other thread is at rest. So a
test takes as long as its work takes, and its outcome does not depend on how busy the machine is.

What comes from other processes does not wait for the held time: nodes and clients are in this
process, and in one DDS participant, where a message is delivered before `publish` returns.
"""

import heapq
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from math import inf
from queue import _PySimpleQueue  # type: ignore[attr-defined]
from resource import RUSAGE_SELF, RUSAGE_THREAD, getrusage
from selectors import EpollSelector
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from rclpy.node import Node

from wmx_core.clock import SteadyClock
from wmx_ros2_package.node_base import rclpy_compat
from wmx_ros2_package.node_base.tuning import wake_on_time

REAL = SimpleNamespace(
    monotonic=time.monotonic,
    monotonic_ns=time.monotonic_ns,
    time_ns=time.time_ns,
    sleep=time.sleep,
    wait=threading.Condition.wait,
)
TOGETHER = 2_000
"""Instants that are closer together are one, ns: the sums of periods do not come out exact."""
LONGEST = 100_000_000
"""How far time goes at once, ns."""
THREADS = "/proc/self/task"
YIELD, LONGEST_YIELD = 2e-5, 5e-4
"""How long others may run before it is looked whether they rest, s: longer each time, for a look
takes time from their work."""
BUSY_TIMEOUT = 30.0
"""How long threads may be at work at one instant of the held time, s of real time."""


def _switches() -> int:
    """How often the other threads of this process have stopped running so far."""
    while True:
        before, everyone, own = map(_switches_of, (RUSAGE_THREAD, RUSAGE_SELF, RUSAGE_THREAD))
        if before == own:  # else this thread has stopped between two looks
            return everyone - own


def _switches_of(who: int) -> int:
    usage = getrusage(who)
    return usage.ru_nvcsw + usage.ru_nivcsw


@dataclass(order=True)
class _Wait:
    """Somebody waits for an instant, ns."""

    due: int
    number: int
    wake: Callable[[], object] = field(compare=False)


class _Sleeper:
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
        return self._lock.acquire(blocking)


class HeldTime:
    """The time of this process, which the thread that makes this lets go on."""

    def __init__(self) -> None:
        self._test = threading.get_ident()
        self._now = REAL.monotonic_ns()
        self._to_wall = REAL.time_ns() - self._now
        self._waits: list[_Wait] = []
        self._lock = threading.RLock()  # a finalizer may wait, in the midst of it
        self._numbers = count()
        self.timers: list[HeldTimer] = []
        self._sleepers: dict[int, _Sleeper] = {}
        """What each thread waited with last, by its id."""
        self._files: dict[int, int] = {}
        """What Linux says of each thread, by what it calls them."""
        self._links = 0
        """The links of the folder of threads when it was read: one more for each of them."""

    # For those who wait

    def after(self, seconds: float, wake: Callable[[], object]) -> None:
        """Call `wake` in the thread of the test once `seconds` have passed."""
        due = self._now + max(0, round(min(seconds, 1e9) * 1e9))
        with self._lock:
            heapq.heappush(self._waits, _Wait(due, next(self._numbers), wake))

    def sleep(self, seconds: float) -> None:
        """What `time.sleep` does."""
        self._is_released(_Sleeper(), seconds)

    def _is_released(self, sleeper: _Sleeper, timeout: float) -> bool:
        """Wait until `sleeper` is released; false when that takes longer than `timeout` (s)."""
        if threading.get_ident() == self._test:
            return self.until(lambda: sleeper.acquire(blocking=False), timeout)

        def expire() -> None:
            with suppress(RuntimeError):
                sleeper.release(expired=True)

        if timeout < inf:
            self.after(timeout, expire)
        self._sleepers[threading.get_native_id()] = sleeper
        sleeper.acquire()
        return not sleeper.expired

    # For the test

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

    def run(self, work: Callable[[], Any]) -> Any:
        """Do `work`, which may wait for other threads, in a thread of its own; time passes."""
        result: list[Any] = []
        failure: list[BaseException] = []

        def carry_out() -> None:
            try:
                result.append(work())
            except BaseException as error:
                failure.append(error)

        thread = threading.Thread(target=carry_out, name="work of the test")
        thread.start()
        self.until(lambda: not thread.is_alive(), 1e9)
        thread.join()
        if failure:
            raise failure[0]
        return result[0]

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

    def end_timers(self) -> None:
        """End those of all nodes, before these are destroyed."""
        while self.timers:
            self.timers.pop().end()

    def settle(self) -> None:
        """Return once every other thread is at rest.

        Each sleeps, and none has gone to sleep since the look before: one that waits for the
        interpreter gets it in between.
        """
        deadline = REAL.monotonic() + BUSY_TIMEOUT
        pause = 0.0
        while True:
            before = _switches()
            REAL.sleep(pause)
            if _switches() == before and not self._awake() and _switches() == before:
                return
            pause = min(2.0 * pause, LONGEST_YIELD) or YIELD
            if REAL.monotonic() > deadline:
                names = {thread.native_id: thread.name for thread in threading.enumerate()}
                awake = [names.get(number, number) for number in self._awake()]
                raise AssertionError(f"no rest within {BUSY_TIMEOUT:g} s, at work are {awake}")

    def _awake(self) -> list[int]:
        """The other threads that run or want to, by what Linux calls them.

        Those of DDS are looked at, too: they bring what others have said. One that waits for an
        instant, or for another thread, sleeps until it is released.
        """
        own = threading.get_native_id()
        awake = []
        self._look_for_threads()
        for thread, file in [*self._files.items()]:
            sleeper = self._sleepers.get(thread)
            if thread == own or (sleeper is not None and sleeper.asleep):
                continue
            try:
                if b") S " not in os.pread(file, 64, 0):  # of /proc/PID/task/TID/stat, see proc(5)
                    awake.append(thread)
            except OSError:  # it has ended, and another one may have begun
                self._forget(thread)
                awake.append(thread)
        return awake

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

    def close(self) -> None:
        """Let everybody go who waits still."""
        for thread in [*self._files]:
            self._forget(thread)
        waits, self._waits = self._waits, []
        for wait in waits:
            wait.wake()

    # In place of what there is in Python and in the nodes

    def monotonic_ns(self) -> int:
        self._now += 1  # what follows is later than what came before, as on any clock
        return self._now

    def now(self) -> float:
        return self.monotonic_ns() * 1e-9

    def time_ns(self) -> int:
        return self.monotonic_ns() + self._to_wall

    def time(self) -> float:
        return self.time_ns() * 1e-9

    def wait(self, condition: Any, timeout: float | None = None) -> bool:
        """What `Condition.wait` does; see its source for the steps."""
        if isinstance(threading.current_thread(), threading.Timer):
            return bool(REAL.wait(condition, timeout))  # it is that of a test's time-out
        sleeper = _Sleeper()
        condition._waiters.append(sleeper)
        saved = condition._release_save()
        notified = False
        try:
            notified = self._is_released(sleeper, inf if timeout is None else timeout)
        finally:
            condition._acquire_restore(saved)
            if not notified:
                with suppress(ValueError):
                    condition._waiters.remove(sleeper)
        return notified

    def select(
        self, ready: Callable[[float | None], list[Any]], timeout: float | None
    ) -> list[Any]:
        """What a loop of asyncio waits with for its `ready` files."""
        if threading.get_ident() != self._test:
            return ready(timeout)
        found: list[Any] = []

        def look() -> bool:
            found.extend(ready(0.0))
            return bool(found)

        self.until(look, inf if timeout is None else timeout)
        return found

    def queue(self) -> Any:
        """One of Python's: who waits with it is known to sleep."""
        return _PySimpleQueue()

    def event(self) -> threading.Event:
        return threading.Event()

    def condition(self) -> threading.Condition:
        return threading.Condition()

    def sent_at(self, _system: int) -> float:
        """DDS stamps messages with the time of the machine."""
        return self.now()

    def destroy_timer(self, node: Node, timer: Any) -> None:
        node.destroy_timer(timer)

    def create_timer(self, node: Node, period: float, act: Callable[[], None]) -> "HeldTimer":
        return HeldTimer(self, node, period, act)


class HeldTimer:
    """A timer of a node: the thread that spins does its work."""

    def __init__(self, held: HeldTime, node: Node, period: float, act: Callable[[], None]) -> None:
        self._held = held
        self.node = node
        self._period = period
        self._act = act
        self._life = 0
        held.timers.append(self)
        self.reset()

    def cancel(self) -> None:
        self._life += 1

    def end(self) -> None:
        """Cancel it, and let go of the node, which leaves DDS only when nothing refers to it."""
        self.cancel()
        del self.node, self._act

    def reset(self) -> None:
        self._life += 1
        self._held.after(self._period, self._due(self._life))

    def _due(self, life: int) -> Callable[[], None]:
        def call() -> None:
            if life == self._life:
                self._act()

        def wake() -> None:
            if life == self._life:
                self._held.after(self._period, wake)
                rclpy_compat.call_soon(self.node.executor, call)

        return wake


@contextmanager
def held_time() -> Iterator[HeldTime]:
    """Hold the time of this process from now on; threads that begin inside have to end there."""
    held = HeldTime()

    def destroy_timer(node: Node, timer: Any) -> bool:
        if isinstance(timer, HeldTimer):
            timer.cancel()
            return True
        return bool(real_destroy(node, timer))

    def destroy_node(node: Node) -> None:
        for timer in [each for each in held.timers if each.node is node]:
            held.timers.remove(timer)
            timer.end()
        real_destroy_node(node)

    def select(selector: EpollSelector, timeout: float | None = None) -> list[Any]:
        return held.select(lambda seconds: real_select(selector, seconds), timeout)

    real_destroy, real_destroy_node = Node.destroy_timer, Node.destroy_node
    real_select = EpollSelector.select
    replaced: list[tuple[Any, str, Any]] = [
        (time, "monotonic", held.now),
        (time, "monotonic_ns", held.monotonic_ns),
        (time, "time", held.time),
        (time, "time_ns", held.time_ns),
        (time, "sleep", held.sleep),
        (SteadyClock, "now", held.now),
        (SteadyClock, "sleep", held.sleep),
        (threading, "_time", held.now),
        (
            threading.Condition,
            "wait",
            lambda condition, timeout=None: held.wait(condition, timeout),
        ),
        (rclpy_compat, "create_timer", held.create_timer),
        (Node, "destroy_timer", destroy_timer),
        (Node, "destroy_node", destroy_node),
        (EpollSelector, "select", select),
    ]
    patches = [patch.object(*each) for each in replaced]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0002)
    wake_on_time()
    for each in patches:
        each.start()
    try:
        yield held
    finally:
        for each in patches:
            each.stop()
        held.close()
        sys.setswitchinterval(interval)
