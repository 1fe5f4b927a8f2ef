"""Reads the state of the axes in a thread of its own and feeds it to whoever wants it.

A thread rather than a timer of the executor: no callback of a service or a motion can delay it.
It wakes as a communication cycle begins, so that the samples are equally spaced and fresh. One
sample is read for all who are due.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..drivers.errors import EngineLost
from ..drivers.values import MotionStatus
from .timer_slack import wake_on_time

if TYPE_CHECKING:
    from .context import NodeContext

COMPLAINT_PERIOD = 1.0
"""Errors of one sink are logged at most this often, s."""
PUNCTUAL = 1e-4
"""Deadlines that lie closer together than this are one, s: a tenth of a communication cycle."""

LISTENERS_PERIOD = 0.1
"""How often it is looked whether what nobody wants is wanted again, s."""

Sink = Callable[[MotionStatus], None]


@dataclass(slots=True)
class _Feed:
    """A sink and when it is due, on the steady clock."""

    name: str
    sink: Sink
    period: float
    """s; 0 for every sample that is read."""
    wanted: Callable[[], object]
    due: float = -math.inf
    complained: float = field(default=-math.inf)


class StateStream:
    """Feeds the sinks of `node` while it is attached.

    While the engine does not communicate they are fed nothing: silence rather than stale data.
    A sink that fails is logged, and hurts no other.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._feeds: list[_Feed] = []
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        node.on_attach(self._start)
        node.on_detach(self._stop)
        if node.motions is not None:
            self.feed(node.motions.see, name="motions")

    def feed(
        self,
        sink: Sink,
        rate: float | None = None,
        *,
        name: str = "state",
        wanted: Callable[[], object] = lambda: True,
    ) -> None:
        """Call `sink` with samples, `rate` times a second (Hz), or with every one that is read.

        To be called at configure. `name` is what the log calls it when it fails. While `wanted`
        says no, it is asked again ten times a second, and no more is read than for that.
        """
        feed = _Feed(name, sink, 1.0 / rate if rate else 0.0, wanted)
        at = sum(bool(other.period) for other in self._feeds)  # who is in a hurry comes first
        self._feeds.insert(at if rate else len(self._feeds), feed)

    def _start(self) -> None:
        if not any(feed.period for feed in self._feeds):
            return
        self._stopped.clear()
        for feed in self._feeds:
            feed.due = -math.inf
        self._thread = threading.Thread(
            target=self._run, name=f"{self._node.name}-state", daemon=True
        )
        self._thread.start()

    def _stop(self) -> None:
        """Feed nothing more; returns when the last sink has returned."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        wake_on_time()
        read = self._node.driver.motion.status
        timed = [feed for feed in self._feeds if feed.period]
        due = -math.inf
        while not self._stopped.wait(max(0.0, due - time.monotonic())):
            try:
                status = read()
            except EngineLost as error:
                self._node.lose_engine(error)
                return
            except Exception as error:
                # Whatever it is, the next state may be fine.
                self._node.log.error(f"Reading the state: {error!r}", throttle_duration_sec=1.0)
                due = time.monotonic() + min(feed.period for feed in timed)
                continue
            self._feed_all(status)
            due = min(feed.due for feed in timed)

    def _feed_all(self, status: MotionStatus) -> None:
        now = time.monotonic()
        for feed in self._feeds:
            if feed.due > now + PUNCTUAL:
                continue
            wanted: object = True
            try:
                wanted = feed.wanted()
                if wanted and status.communicating:
                    feed.sink(status)
            except Exception as error:
                self._complain(feed, error)
            if feed.period:
                period = feed.period if wanted else max(feed.period, LISTENERS_PERIOD)
                feed.due = self._next(feed.due, period, status.time)

    def _next(self, due: float, period: float, sampled_at: float) -> float:
        """The next of the deadlines that count from the first sample; what is over is left out.

        A sample was true when its cycle began, so all deadlines lie where a cycle begins.
        """
        first = sampled_at if due == -math.inf else due
        periods = max(0.0, (time.monotonic() - first) // period)
        return first + (periods + 1.0) * period

    def _complain(self, feed: _Feed, error: Exception) -> None:
        if isinstance(error, EngineLost):
            self._node.lose_engine(error)
        elif time.monotonic() >= feed.complained + COMPLAINT_PERIOD:
            feed.complained = time.monotonic()
            self._node.log.error(f"{feed.name}: {error!r}")
