"""Publishes the state of the axes from a thread of its own, at a steady rate.

A thread rather than a timer of the executor: no callback of a service or a motion can delay it.
It wakes as a communication cycle begins, so that the samples are equally spaced and fresh.
"""

import math
import threading
import time
from collections.abc import Callable

from ..drivers.errors import EngineLost
from ..drivers.values import MotionStatus
from .timer_slack import wake_on_time


class AxisStateThread:
    """Calls `publish` with a status from `read`, `rate` times a second, until `stop`.

    While the engine does not communicate nothing is published: silence rather than stale data.
    `failed` is told of errors; after EngineLost the thread ends.
    """

    def __init__(
        self,
        rate: int,
        read: Callable[[], MotionStatus],
        publish: Callable[[MotionStatus], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._period = 1.0 / rate
        self._read = read
        self._publish = publish
        self._failed = failed
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="axis-state", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Publish nothing more; returns when the last message is out."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        wake_on_time()
        deadline = -math.inf
        while not self._stopped.wait(max(0.0, deadline - time.monotonic())):
            try:
                status = self._read()
                if status.communicating:
                    self._publish(status)
                deadline = self._next(deadline, status.time)
            except EngineLost as error:
                self._failed(error)
                return
            except Exception as error:
                # Whatever it is, the next state may be fine.
                self._failed(error)
                deadline = time.monotonic() + self._period

    def _next(self, deadline: float, sampled_at: float) -> float:
        """The next of the deadlines that count from the first sample; what is over is left out.

        A sample was true when its cycle began, so all deadlines lie where a cycle begins.
        """
        if deadline == -math.inf:
            deadline = sampled_at
        periods = max(0.0, (time.monotonic() - deadline) // self._period)
        return deadline + (periods + 1.0) * self._period
