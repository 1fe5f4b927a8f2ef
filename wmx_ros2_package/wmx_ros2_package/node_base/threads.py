"""The worker, in which a node's commands are carried out in their order; threads for plans."""

import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from wmx_core.clock import STEADY, ProcessClock

from ..validation import BadRequest

THREADS = 4
"""How many of the things that are done aside may be under way at a time."""
MOST_QUEUED = 100
"""How many commands may wait for their turn."""
MOST_DRY_RUNS = 4
"""How many dry runs may wait for the one that is computed."""
MOST_PLANNED = 20
"""How many goals may wait to be planned."""

T = TypeVar("T")


class Ended(Exception):
    """The threads take no more work."""


def settle(future: "Future[T]", work: Callable[[], T]) -> None:
    """Do `work`, whose result or exception is that of `future`."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)


class Worker:
    """One thread that does work in the order in which it comes."""

    def __init__(self, name: str, most: int, clock: ProcessClock = STEADY) -> None:
        """At most `most` pieces of work may wait."""
        self._name = name
        self._most = most
        self._queue: SimpleQueue[Callable[[], object] | None] = clock.queue()
        self._thread: threading.Thread | None = None
        self._ended = False
        self._lock = threading.Lock()
        self._left = 0
        """How many pieces of work are not done yet, with that which is being done."""

    @property
    def is_busy(self) -> bool:
        """Whether work that comes now would have to wait."""
        return self._left > 0

    @property
    def is_full(self) -> bool:
        """Whether work that comes now is refused, where it is bounded."""
        return self._queue.qsize() >= self._most

    def do(self, work: Callable[[], object], *, bounded: bool = True) -> None:
        """Do `work`; what it raises is printed. BadRequest where too much waits, or Ended."""
        if bounded and self.is_full:
            raise BadRequest([f"{self._queue.qsize()} messages wait already: at most {self._most}"])
        with self._lock:
            if self._ended:
                raise Ended
            self._left += 1
            self._queue.put(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def submit(self, work: Callable[[], T], *, bounded: bool = True) -> "Future[T]":
        """Do `work`; the future has its result or its exception. Raises as `do` does."""
        future: Future[T] = Future()

        def carry_out() -> None:
            if future.set_running_or_notify_cancel():
                settle(future, work)

        self.do(carry_out, bounded=bounded)
        return future

    def end(self) -> None:
        """Take no more work, and wait until what was queued is done."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
            thread = self._thread
            self._queue.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while work := self._queue.get():
            try:
                work()
            except Exception:
                traceback.print_exc()
            finally:
                with self._lock:
                    self._left -= 1


class Threads:
    """The threads of one node beside its worker, each started when it is needed first."""

    def __init__(self, name: str, clock: ProcessClock = STEADY) -> None:
        self.planner = Worker(f"{name}-planner", MOST_PLANNED, clock)
        """Plans trajectories, one after the other."""
        self.dry_runs = Worker(f"{name}-dry-run", MOST_DRY_RUNS, clock)
        """Computes what commands would do, one after the other."""
        self._aside = ThreadPoolExecutor(THREADS, thread_name_prefix=f"{name}-aside")

    def aside(self, work: Callable[[], T]) -> "Future[T]":
        """Do `work` beside everything else, or Ended."""
        try:
            return self._aside.submit(work)
        except RuntimeError:
            raise Ended from None

    def end(self) -> None:
        """Take no more work, and wait until what was begun is done."""
        self.planner.end()
        self.dry_runs.end()
        self._aside.shutdown(wait=True, cancel_futures=True)
