"""Samples of a shared state, in which what stays the same is read once.

While nothing changes a sample differs from the last one in its time alone, to the last bit; so
whether it was computed or used again depends on nobody's looking.
"""

from math import inf
from typing import Any

from ..values import MotionStatus
from .clock import ROUNDING, Instant
from .motion.shared_state import SharedState

_NO_VERSION = -1


class StatusCache:
    """StatusCache of `shared state`; one thread at a time may take them."""

    def __init__(self, shared_state: SharedState) -> None:
        self._shared_state = shared_state
        self._version = _NO_VERSION
        self._first_due = -inf
        self._still_from = inf
        self._still: dict[str, Any] | None = None

    def take(self, now: Instant) -> MotionStatus | None:
        """Every axis at `now`, or None where the engine has something to do first."""
        if self._shared_state.version.item() != self._version:
            self._look()
        if self._first_due <= now.time + ROUNDING:
            return None
        if now.time < self._still_from:
            return self._shared_state.read(now)
        if self._still is None:
            self._still = self._shared_state.values(now.time)
        return MotionStatus(time=now.steady, cycle=now.cycle, **self._still)

    def _look(self) -> None:
        """The shared state is another one."""
        self._version = self._shared_state.version.item()
        self._first_due = self._shared_state.first_due()
        self._still_from = self._shared_state.still_from()
        self._still = None
