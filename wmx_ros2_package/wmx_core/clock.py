"""The clock: who asks for the time, or waits for it to pass, is handed one.

`STEADY` is that of this machine; a test hands over one that it holds in its hand. Who only asks for
the time is handed its `now`.
"""

import threading
import time
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """A steady clock, s: nobody sets it, and all processes of a machine have the same one."""

    def now(self) -> float:
        """Seconds since any beginning."""

    def sleep(self, seconds: float) -> None:
        """Return when `seconds` have passed."""


class ProcessClock(Clock, Protocol):
    """The clock of a process, whose threads wait for each other by it.

    The time-outs of what it makes are of this clock.
    """

    def now_ns(self) -> int:
        """As `now`, ns."""

    def time_ns(self) -> int:
        """The time of the system clock, ns since the epoch."""

    def queue(self) -> "SimpleQueue[Any]":
        """A new queue, which is empty."""

    def event(self) -> threading.Event:
        """A new event, which has not come."""

    def condition(self) -> threading.Condition:
        """A new condition."""

    def result(self, future: "Future[T]", timeout: float | None) -> T:
        """The result of `future`; TimeoutError (of futures) where it does not come in time."""


class SteadyClock:
    """The clock of this machine; its functions are those of the system, at no cost of a call."""

    now = staticmethod(time.monotonic)
    sleep = staticmethod(time.sleep)
    now_ns = staticmethod(time.monotonic_ns)
    time_ns = staticmethod(time.time_ns)
    queue = staticmethod(SimpleQueue[Any])
    event = staticmethod(threading.Event)
    condition = staticmethod(threading.Condition)
    result = staticmethod(Future.result)


STEADY = SteadyClock()
