"""Makes the status of a cycle out of a shared state, or says that the engine has work due first.

All readers in one cycle get one sample, in which what stays the same is read once. What is only
written, such as a servo that is on, is shared by all samples until the next writing. While nothing
moves, a sample differs from the last one in its time alone. All of it is true to the last bit, so
that whether something was computed or used again does not depend on reads.
"""

from math import inf
from typing import Any

from wmx_core.values import MotionStatus

from .clock import ROUNDING, Instant
from .motion.shared_state import SharedState
from .motion.status_reading import Reading

_NO_VERSION = -1


class StatusCache:
    """Computes and keeps the newest status of a shared state; for one thread at a time."""

    def __init__(self, shared_state: SharedState) -> None:
        self._shared_state = shared_state
        self._version = _NO_VERSION
        self._first_due = -inf
        self._still_from = inf
        self._reading: Reading
        self._still: dict[str, Any] | None = None
        self._newest: MotionStatus | None = None

    def take(self, now: Instant) -> MotionStatus | None:
        """Return every axis at `now`, or None where the engine has something to do first."""
        if self._shared_state.version.item() != self._version:
            self._look()
        if self._first_due <= now.time + ROUNDING:
            return None
        newest = self._newest  # while time is held, a cycle is as new as its reading
        if newest is not None and newest.cycle == now.cycle and newest.time == now.steady:
            return newest
        values = self._still
        if values is None:
            values = self._reading.at(now.time)
            if now.time >= self._still_from:
                self._still = values
        self._newest = MotionStatus(time=now.steady, cycle=now.cycle, clock_rate=now.rate, **values)
        return self._newest

    def _look(self) -> None:
        """The shared state is another one."""
        self._version = self._shared_state.version.item()
        self._first_due = self._shared_state.first_due()
        self._still_from = self._shared_state.still_from()
        self._reading = Reading(self._shared_state)
        self._still = self._newest = None
