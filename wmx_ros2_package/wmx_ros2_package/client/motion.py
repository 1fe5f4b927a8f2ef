"""A motion on its way: what a program holds of it, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from html import escape
from math import inf
from typing import Any

from wmx_core.clock import STEADY, ProcessClock

from .checked import time_out
from .curves import MotionCurves
from .errors import MotionFailed, NotAnswered
from .events import Result
from .waiting import THREADS

CHECK_PERIOD = 0.25
"""How often a wait checks that the system is still there, s."""


class Motion:
    """A motion that the machine has accepted.

    Wait for it by `wait`, by `await`, or not at all; as a context manager it is canceled when the
    block is left. Any thread may use it. A notebook shows command and feedback.
    """

    def __init__(
        self,
        what: str,
        ended: Future[Result],
        *,
        cancel: Callable[[], None],
        progress: Callable[[], float],
        check: Callable[[], None],
        remedy: Callable[[], str],
        curves: MotionCurves | None = None,
        clock: ProcessClock = STEADY,
    ) -> None:
        """`check` raises when the end cannot come any more; `remedy` returns what helps.

        `curves` get command and feedback of its axes until it ends.
        """
        self.what = what
        """The motion in words: "axis 0 to 1.0"."""
        self._ended = ended
        self._cancel = cancel
        self._progress = progress
        self._check = check
        self._remedy = remedy
        self._curves = curves
        self._clock = clock
        self._canceled = False

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._ended.done()

    @property
    def result(self) -> Result | None:
        """How it ended; None while it is on its way."""
        return self._ended.result() if self._ended.done() else None

    def when_ended(self, act: Callable[[Result], object]) -> None:
        """Call `act` with how it ended, in the thread of the link; at once if it has ended.

        It is never called where the system is lost before. In that thread nothing of the library
        can wait: stops, switching off and `cancel` are sent there, and return before their answer;
        what else waits for an answer raises MachineError at once, and is not sent.
        """
        self._ended.add_done_callback(lambda ended: act(ended.result()))

    @property
    def progress(self) -> float:
        """How much of the way is commanded, 0 to 1; NaN for a motion without end."""
        result = self.result
        return 1.0 if result is not None and result.arrived else self._progress()

    def wait(self, timeout: float | None = None) -> Result:
        """Wait until it has ended, and return how.

        Raises MotionFailed when it ended before its target, unless this handle canceled it;
        SystemLost when the system is gone, and NotAnswered when the motion has not ended within
        `timeout` seconds: it goes on then. Without a `timeout` it waits as long as the motion
        takes; ValueError for one that is no number.
        """
        deadline = inf if timeout is None else self._clock.now() + time_out(timeout)
        while not self._ended.done():
            left = max(0.0, deadline - self._clock.now())
            try:
                self._clock.result(self._ended, min(CHECK_PERIOD, left))
            except NotInTime:
                self._check()
            if self._clock.now() >= deadline and not self._ended.done():
                raise NotAnswered(f"{self.what} has not ended within {timeout:g} s")
        return self._judged()

    def cancel(self) -> None:
        """Slow down to rest, without waiting for that; nothing if it has ended."""
        if not self._ended.done():
            self._canceled = True
            self._cancel()

    def __await__(self) -> Generator[Any, None, Result]:
        return self._wait_in_asyncio().__await__()

    async def _wait_in_asyncio(self) -> Result:
        ended, loop = asyncio.wrap_future(self._ended), asyncio.get_running_loop()
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=CHECK_PERIOD)
                if not ended.done():
                    await loop.run_in_executor(THREADS, self._check)
        finally:
            ended.cancel()  # so that nothing is given to a loop that is closed by then
        return await loop.run_in_executor(THREADS, self._judged)

    def __enter__(self) -> Motion:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Cancel it and wait for its end; how it ended before that is raised."""
        self.cancel()
        if kind is None:
            self.wait()

    async def __aenter__(self) -> Motion:
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        """As `__exit__`."""
        await asyncio.get_running_loop().run_in_executor(THREADS, self.__exit__, kind)

    def __repr__(self) -> str:
        result = self.result
        return f"<Motion {self.what}: {'under way' if result is None else result.reason.name}>"

    def _repr_html_(self) -> str:
        """Command and feedback so far: a plot, or a table without matplotlib."""
        curves = self._curves.html() if self._curves is not None else ""
        return f"<p>{escape(repr(self))}</p>{curves}"

    def _judged(self) -> Result:
        result = self._ended.result()
        if result.arrived or self._canceled:
            return result
        why = result.message or result.reason.name.lower().replace("_", " ")
        raise MotionFailed(f"{self.what}: {why}", result, remedy=self._remedy())
