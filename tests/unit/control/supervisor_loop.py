"""A supervisor whose loop the test runs."""

from collections.abc import Callable
from queue import Empty
from typing import Any

from held_engine import HeldEngine

from wmx_core.errors import EngineLost
from wmx_core.values import MotionStatus
from wmx_ros2_package.control.supervisor import Supervisor


class Loop:
    """A supervisor in the thread of the test, on the held clock; `run` lets time pass."""

    def __init__(self, held: HeldEngine) -> None:
        self.held = held
        self.reads = self.puts = 0
        self.waits: list[float] = []
        self.until = 0.0
        self.read: Callable[[], MotionStatus] = held.status
        self.lost: list[EngineLost] = []
        self.errors: list[tuple[str, Exception]] = []
        self.woken = 0
        self.wake_error: Exception | None = None
        self._queue: list[Any]
        self.supervisor = Supervisor(
            "node",
            self._status,
            on_lost=self.lost.append,
            on_error=lambda name, error: self.errors.append((name, error)),
            on_wake=self._wake,
            clock=self,
        )

    def _status(self) -> MotionStatus:
        self.reads += 1
        return self.read()

    def _wake(self) -> None:
        self.woken += 1
        if self.wake_error is not None:
            raise self.wake_error

    # What the loop sees of its queue

    def put(self, entry: Any) -> None:
        self.puts += 1
        self._queue.append(entry)

    def get(self, timeout: float) -> Any:
        if self._queue:
            return self._queue.pop(0)
        left = self.until - self.now()
        if left <= 1e-9:
            return None
        self.waits.append(timeout)
        assert timeout > 0.0 or len(self.waits) < 10_000, "it does not turn on the spot"
        self.held.sleep(min(max(timeout, 1e-6), left))
        raise Empty

    # Its clock

    def now(self) -> float:
        return self.held.now()

    def sleep(self, seconds: float) -> None:
        self.held.sleep(seconds)

    def queue(self) -> Any:
        """What the loop waits with, which is this; it is empty."""
        self._queue = []
        return self

    def run(self, seconds: float) -> None:
        """Start the supervisor, and let it run for so long."""
        self.until = self.now() + seconds
        self.supervisor.start()


class Here:
    """A thread that is carried out where it is started."""

    def __init__(self, target: Callable[[], None], **_: Any) -> None:
        self.start = target
        self.join = lambda: None
