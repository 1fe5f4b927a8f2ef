"""A loop of asyncio that waits by a time that is held."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from math import inf
from selectors import DefaultSelector, SelectorKey
from typing import Any, TypeVar

from .held_time import HeldTime

T = TypeVar("T")


class _Selector(DefaultSelector):
    """What a loop waits with: for files, and for the next instant that something is due at."""

    def __init__(self, time: HeldTime) -> None:
        super().__init__()
        self._time = time

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """The files that are ready; none where time has gone on by `timeout` (s) before."""
        found: list[tuple[SelectorKey, int]] = []

        def look() -> bool:
            found.extend(super(_Selector, self).select(0.0))
            return bool(found)

        self._time.until(look, inf if timeout is None else timeout)
        return found


class HeldLoop(asyncio.SelectorEventLoop):
    """A loop in the thread that lets the time go on."""

    def __init__(self, time: HeldTime) -> None:
        self._held = time
        super().__init__(_Selector(time))

    def time(self) -> float:
        """As every loop."""
        return self._held.now()

    def run(self, program: Coroutine[Any, Any, T]) -> T:
        """What `asyncio.run` does, on this loop, which is closed then."""
        try:
            return self.run_until_complete(program)
        finally:
            self.run_until_complete(self._end())
            self.close()

    async def _end(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self.shutdown_asyncgens()
        await self.shutdown_default_executor()
