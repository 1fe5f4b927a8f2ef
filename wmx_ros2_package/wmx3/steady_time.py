"""Time as the backend measures it and waits for it; a test may hold it in its hand."""

import time
from typing import Protocol


class Time(Protocol):
    """A steady clock, s."""

    def now(self) -> float:
        """Seconds since any beginning."""

    def sleep(self, seconds: float) -> None:
        """Return when `seconds` have passed."""


class SteadyTime:
    """That of this machine."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
