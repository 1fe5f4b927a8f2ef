"""The threads in which a node does what takes long, and the callbacks that are under way."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from rclpy.node import Node

from ..validation import BadRequest
from . import waiting

ANSWER_TIMEOUT = 2.0
"""How long callbacks may take to end when their entities are destroyed, s."""
THREADS = 4
MOST_QUEUED = 20
"""How many messages may wait for their turn, that one included which is being worked on."""

T = TypeVar("T")


class Ended(Exception):
    """The threads take no more work."""


class Threads:
    """Those of `node`."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=f"{node.get_name()}-thread")
        self._queue = ThreadPoolExecutor(1, thread_name_prefix=f"{node.get_name()}-queue")
        self._waiting = 0
        """What was queued and is not done yet."""
        self._counting = threading.Lock()
        self._queued = 0
        self._served = 0
        self._answering = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Do `work` in a thread; its result or its exception, or Ended."""
        try:
            return await waiting.run_in_thread(self._node, self._pool, work)
        except (waiting.Closed, CancelledError):
            raise Ended from None

    async def run_in_order(self, work: Callable[[], T]) -> T:
        """Likewise, one after the other; who has waited goes on in that order, too.

        BadRequest when too many wait.
        """
        future = self._submit(work)
        place = self._queued
        self._queued += 1
        try:
            await waiting.until(self._node, lambda: future.done() and self._served == place)
        finally:
            self._served += 1
        try:
            return future.result()
        except CancelledError:
            raise Ended from None

    def do_in_order(self, work: Callable[[], object]) -> None:
        """Do `work` after what was queued before; nothing once the threads take no more work.

        BadRequest when too many wait.
        """
        with suppress(Ended):
            self._submit(work)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        with self._counting:
            if self._waiting >= MOST_QUEUED:
                raise BadRequest(
                    [f"{self._waiting} messages wait already: at most {MOST_QUEUED} may"]
                )
            try:
                future = self._queue.submit(work)
            except RuntimeError:
                raise Ended from None
            self._waiting += 1
        future.add_done_callback(self._done)
        return future

    def _done(self, _: Future[Any]) -> None:
        with self._counting:
            self._waiting -= 1

    @contextmanager
    def answering(self) -> Iterator[None]:
        """A callback is under way; in the thread that spins."""
        self._answering += 1
        try:
            yield
        finally:
            self._answering -= 1

    def end(self) -> None:
        """Nothing is done any more, and all callbacks have ended; in the worker thread."""
        for pool in (self._pool, self._queue):
            pool.shutdown(wait=True, cancel_futures=True)
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while self._answering and time.monotonic() < deadline:
            time.sleep(0.01)
