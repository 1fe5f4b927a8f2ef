"""Reads the axes of an engine in another process without asking it.

Status is read far more often than anything else is done. A `SharedStateReader` maps the
engine's shared state and evaluates it here, at the time of the clock both processes share. Only
when something has come due that the engine itself must carry out, or while the state is being
written, the engine has to be asked.
"""

import mmap
import os
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...values import MotionStatus
from ..clock import RunningClock, newest_cycle
from ..motion.shared_state import BODY, SharedState, checksum_of, layout
from ..status_cache import StatusCache

_ATTEMPTS = 3
_NONE = -1
"""The sequence of no state."""


class SharedStateReader:
    """A view of the shared state in the memory of `fd`, which it closes."""

    def __init__(self, fd: int, axes: int, clock: RunningClock) -> None:
        kind = layout(axes)
        try:
            self._memory = mmap.mmap(fd, kind.itemsize, prot=mmap.PROT_READ)
        finally:
            os.close(fd)
        self._clock = clock
        self._lock = threading.Lock()
        self._sequence: NDArray[Any] = np.ndarray((), kind, self._memory)["sequence"]
        self._bytes = np.frombuffer(self._memory, np.uint8)
        self._copied_bytes = np.empty(kind.itemsize, np.uint8)
        self._copied_sequence = _NONE
        copied = SharedState(np.ndarray((), kind, self._copied_bytes.data))
        self._body, self._checksum = self._copied_bytes[BODY:], copied.checksum
        self._status_cache = StatusCache(copied)
        self._open = True

    def read(self) -> MotionStatus | None:
        """Every axis at the newest cycle, or None where the engine has to be asked."""
        with self._lock:  # of the copy, which all threads share
            seen = self._open and self._take_copy()
            return self._status_cache.take(newest_cycle(self._clock)) if seen else None

    def close(self) -> None:
        """Let the memory go; nothing is read any more."""
        with self._lock:
            if self._open:
                self._open = False
                del self._sequence, self._bytes  # whose memory it is
                self._memory.close()

    def _take_copy(self) -> bool:
        """Make the copy what the state is; false where that is being written all the time."""
        for _ in range(_ATTEMPTS):
            before = int(self._sequence)
            if before == self._copied_sequence:
                return True
            if before % 2:
                continue
            self._copied_sequence = _NONE
            self._copied_bytes[:] = self._bytes
            if checksum_of(self._body, before) == int(self._checksum):
                self._copied_sequence = before
                return True
        return False
