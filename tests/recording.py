"""What is said on a topic, kept for tests to look at."""

from collections.abc import Callable
from typing import Any

from waits import WAIT_TIMEOUT

from wmx_core.clock import STEADY, ProcessClock

_SIMULATED = 10**18
"""Stamps before this, ns, are no time of this machine (2001): simulated, or none."""


class Recording:
    """The messages of a topic since it was subscribed to, each with its time of arrival."""

    def __init__(self, clock: ProcessClock = STEADY) -> None:
        self._clock = clock
        self._arrived: list[tuple[float, Any]] = []
        self._news = clock.condition()

    def __call__(self, message: Any) -> None:
        with self._news:
            self._arrived.append((self._clock.now(), message))
            self._news.notify_all()

    def forget(self) -> None:
        """Keep but the newest message."""
        with self._news:
            del self._arrived[:-1]

    def since(self, start: float) -> list[Any]:
        """The messages that came at or after `start` on the clock."""
        with self._news:
            return [message for at, message in self._arrived if at >= start]

    def next(
        self, wanted: Callable[[Any], bool] = lambda _: True, timeout: float = WAIT_TIMEOUT
    ) -> Any:
        """The first message from now on that is `wanted`.

        On a busy machine messages wait to be read: those with a stamp of before now do not count.
        """
        now = self._clock.time_ns()
        return self._wait(len(self._arrived), lambda m: _is_of(m, now) and wanted(m), timeout)

    def first(
        self, start: float, wanted: Callable[[Any], bool], timeout: float = WAIT_TIMEOUT
    ) -> Any:
        """The first message that came at or after `start`, or is to come, and is `wanted`."""
        return self._wait(len(self._arrived) - len(self.since(start)), wanted, timeout)

    def latest(
        self, wanted: Callable[[Any], bool] = lambda _: True, timeout: float = WAIT_TIMEOUT
    ) -> Any:
        """The newest message if it is `wanted`, else the first one to come that is."""
        return self._wait(max(0, len(self._arrived) - 1), wanted, timeout)

    def silent_for(self, seconds: float) -> bool:
        """Whether nothing is said from now on for `seconds`, by the stamps of what comes."""
        begin, now = self._clock.now(), self._clock.time_ns()
        self._clock.sleep(seconds)
        return not [message for message in self.since(begin) if _is_of(message, now)]

    def _wait(self, start: int, wanted: Callable[[Any], bool], timeout: float) -> Any:
        found: list[Any] = []

        def look() -> bool:
            nonlocal start
            found.extend(m for _, m in self._arrived[start:] if wanted(m))
            start = len(self._arrived)
            return bool(found)

        with self._news:
            assert self._news.wait_for(look, timeout), (
                f"no such message within {timeout} s; the last was {self._arrived[-1:]}"
            )
        return found[0]


def stamp_of(message: Any) -> int:
    """The time in the header of a message, ns."""
    return int(message.header.stamp.sec * 10**9 + message.header.stamp.nanosec)


def _is_of(message: Any, now: int) -> bool:
    """Whether a message is not of before `now`, ns, as far as it says a time of this machine."""
    stamp = stamp_of(message) if hasattr(message, "header") else 0
    return stamp < _SIMULATED or stamp >= now


def of_topic(recording: Any, topic: str) -> list[Any]:
    """The messages of a topic in the file of a recorder."""
    return [message for message in recording.messages() if message.topic == topic]
