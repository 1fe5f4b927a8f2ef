"""Holds the time of this process: it goes on only while the thread of the test waits.

The clock is that of `wmx_ros2_package.testing`. Whoever was handed none is on it, too, and so is
what tests and the programs that they run ask of Python: `time`, every wait of `threading` and what
rests on it, loops of asyncio.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from selectors import EpollSelector
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from wmx_core.clock import SteadyClock
from wmx_ros2_package.node_base.clock import RosClock
from wmx_ros2_package.node_base.tuning import wake_on_time
from wmx_ros2_package.testing.held_clock import HeldClock
from wmx_ros2_package.testing.threads_at_rest import Sleeper

REAL = SimpleNamespace(
    monotonic=time.monotonic,
    sleep=time.sleep,
    wait=threading.Condition.wait,
    select=EpollSelector.select,
)


class HeldTime(HeldClock):
    """The time of this process, which the thread that makes this lets go on."""

    def time(self) -> float:
        return self.time_ns() * 1e-9

    def wait(self, condition: Any, timeout: float | None = None) -> bool:
        """What `Condition.wait` does; see its source for the steps."""
        if isinstance(threading.current_thread(), threading.Timer):
            return bool(REAL.wait(condition, timeout))  # it is that of a test's time-out
        sleeper = Sleeper()
        condition._waiters.append(sleeper)
        saved = condition._release_save()
        notified = False
        try:
            notified = self.is_released(sleeper, inf if timeout is None else timeout)
        finally:
            condition._acquire_restore(saved)
            if not notified:
                with suppress(ValueError):
                    condition._waiters.remove(sleeper)
        return notified

    def select(self, selector: EpollSelector, timeout: float | None = None) -> list[Any]:
        """What a loop of asyncio waits with for its files."""
        if threading.get_ident() != self.test:
            return list(REAL.select(selector, timeout))
        found: list[Any] = []

        def look() -> bool:
            found.extend(REAL.select(selector, 0.0))
            return bool(found)

        self.until(look, inf if timeout is None else timeout)
        return found


@contextmanager
def held_time() -> Iterator[HeldTime]:
    """Hold the time of this process from now on; threads that begin inside have to end there."""
    held = HeldTime()

    def method(of_held: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **named: of_held(*given, **named)

    replaced: list[tuple[Any, str, Any]] = [
        (time, "monotonic", held.now),
        (time, "monotonic_ns", held.now_ns),
        (time, "time", held.time),
        (time, "time_ns", held.time_ns),
        (time, "sleep", held.sleep),
        (threading, "_time", held.now),
        (threading.Condition, "wait", method(held.wait)),
        (EpollSelector, "select", method(held.select)),
        *((SteadyClock, name, getattr(held, name)) for name in _public(SteadyClock)),
        *((RosClock, name, getattr(held, name)) for name in _public(RosClock)),
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


def _public(kind: type) -> list[str]:
    return [name for name in vars(kind) if not name.startswith("_")]
