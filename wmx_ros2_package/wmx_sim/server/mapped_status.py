"""Copies the state of an engine in another process from mapped memory; `status_cache` evaluates it.

The status is read far more often than anything else is done. `MappedStatus` evaluates the engine's
shared state here, at the time of the clock that both processes share. The engine has to be called
only when an event has come due that it has to carry out, or while it writes the state.

The sequence number of the state is odd while it is written: a copy is good if the number was even
before it was made, and the same afterwards; and so is its status if the number is the same after
the clock was read, so that it shows each command that was answered before its time. That rests on a
processor that shows what another one writes, and what is read here, in the order of the program, as
x86-64 does (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, 8.2.2). Python
has no fences for others: on any other processor nothing is read here, and the engine is called each
time.
"""

import mmap
import os
import platform
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmx_core.values import MotionStatus

from ..engine.clock import RunningClock, newest_cycle
from ..engine.motion.shared_state import SharedState, layout
from ..engine.status_cache import StatusCache

_ATTEMPTS = 3
_NONE = -1
"""The sequence of no state."""
IN_ORDER = platform.machine() in ("x86_64", "AMD64")
"""Whether this processor shows memory in the order in which it is written."""


class MappedStatus:
    """The status of an engine, from the shared state in the memory of `fd`, which it closes."""

    def __init__(self, fd: int, axes: int, clock: RunningClock) -> None:
        kind = layout(axes)
        try:
            self._memory = mmap.mmap(fd, kind.itemsize, prot=mmap.PROT_READ)
        finally:
            os.close(fd)
        self._clock = clock
        self._lock = threading.Lock()
        self._sequence: NDArray[Any] = np.ndarray((), kind, self._memory)["sequence"]
        self.written = np.frombuffer(self._memory, np.uint8)
        self._copied_bytes = np.empty(kind.itemsize, np.uint8)
        self._copied_sequence = _NONE
        self._copied = SharedState(np.ndarray((), kind, self._copied_bytes.data))
        self._status_cache = StatusCache(self._copied)
        self._open = IN_ORDER

    def read(self) -> MotionStatus | None:
        """Return every axis at the newest cycle, or None where the engine has to be called."""
        with self._lock:  # of the copy, which all threads share
            for _ in range(_ATTEMPTS if self._open else 0):
                if self._copy():
                    now = newest_cycle(self._clock)
                    # A command may have been carried out between the copy and this time.
                    if int(self._sequence) == self._copied_sequence:
                        return self._status_cache.take(now)
        return None

    def close(self) -> None:
        """Unmap the memory; `read` returns None from now on."""
        with self._lock:
            self._open = False
            if not self._memory.closed:
                del self._sequence, self.written  # which are views of the memory
                self._memory.close()

    def _copy(self) -> bool:
        """Make the copy equal to the state; false where that was written at the same time."""
        before = int(self._sequence)
        if before == self._copied_sequence:
            return True
        if before % 2:
            return False
        self._copied_sequence = _NONE
        self._copied_bytes[:] = self.written
        if int(self._sequence) != before:
            return False
        self._copied_sequence = before
        self._clock.start_ns = self._copied.start_ns.item()
        self._clock.held_at = self._copied.held_at.item()
        return True
