"""What a machine publishes, one item after the other, for a loop of the program."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

from wmx_core.clock import STEADY, ProcessClock

from .aio import aio
from .checked import time_out
from .errors import NotAnswered

T = TypeVar("T")

MOST_KEPT = 10_000
"""Of items that wait to be read; the oldest are dropped."""
_CHECK_PERIOD = 0.25
"""How often it is checked whether anything can come, and whether the stream is closed, s."""


class Stream(Generic[T]):
    """The items that arrive from its opening on; `for`, `async for`, or `get`.

    It ends by `close`, or as a context manager, and a loop over it ends then, too. Any thread may
    read. Where nothing can come any more, it raises why, once what has come is read.
    """

    def __init__(
        self,
        open: Callable[[Callable[[Any], None]], Callable[[], object]],
        check: Callable[[], object] = lambda: None,
        clock: ProcessClock = STEADY,
        read: Callable[[Any], T] = lambda item: item,
    ) -> None:
        """`open` has each item given to a function, and returns what ends that.

        `check` raises where no item can come any more; it is called while none comes. `read` makes
        of an item, when it is read, what the program gets.
        """
        self._check = check
        self._clock = clock
        self._read = read
        self._items: deque[Any] = deque(maxlen=MOST_KEPT)
        self._changed = clock.condition()
        self._closed = False
        self._end = open(self._put)

    def get(self, timeout: float = 10.0) -> T:
        """The next item; NotAnswered where none arrives within `timeout` seconds."""
        deadline = self._clock.now() + time_out(timeout)
        while True:
            self._await_item(min(_CHECK_PERIOD, deadline - self._clock.now()))
            item = self._take()
            if item is not None:
                return item[0]
            if not self._closed:
                self._check()
            if self._closed or self._clock.now() >= deadline:
                raise NotAnswered(f"nothing was published within {timeout:g} s")

    def waiting(self) -> list[T]:
        """All that has arrived and was not read, at once; nothing is waited for."""
        with self._changed:
            items = [*self._items]
            self._items.clear()
        return [self._read(item) for item in items]

    def close(self) -> None:
        """End the stream; what has arrived can still be read."""
        if not self._closed:
            self._closed = True
            self._end()
            with self._changed:
                self._changed.notify_all()

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[T]:
        while True:
            self._await_item(_CHECK_PERIOD)
            item = self._take()
            if item is not None:
                yield item[0]
            elif self._closed:
                return
            else:
                self._check()

    async def __aiter__(self) -> AsyncIterator[T]:
        while True:
            await aio(self._await_item, _CHECK_PERIOD)
            # Not in that thread: what it took would be lost with a task that is canceled.
            item = self._take()
            if item is not None:
                yield item[0]
            elif self._closed:
                return
            else:
                await aio(self._check)

    def _put(self, item: Any) -> None:
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()  # one of them may wait for a task that is canceled

    def _await_item(self, timeout: float) -> None:
        """Return once there is an item, none can come any more, or `timeout` (s) is over."""
        deadline = self._clock.now() + timeout
        with self._changed:
            while not self._items and not self._closed:
                left = deadline - self._clock.now()
                if left <= 0.0:
                    return
                self._changed.wait(left)

    def _take(self) -> tuple[T] | None:
        """The next item alone in a tuple, or None where there is none."""
        with self._changed:
            if not self._items:
                return None
            item = self._items.popleft()
        return (self._read(item),)
