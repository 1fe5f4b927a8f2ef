"""The statuses of the last minutes, in arrays that do not grow."""

from __future__ import annotations

from threading import Lock

import numpy as np

from ..client import Status
from ..drivers.values import Floats

LENGTH = 600.0
"""How far back it goes, s."""
RATE = 100.0
"""Statuses a second that it has room for."""
QUANTITIES = ("command", "position", "velocity", "torque")
"""What is kept of each axis, as `Status` names it."""


class History:
    """Command, position, velocity and torque of every axis; 16 bytes for an axis and status.

    Any thread may add and read. Memory is used as it fills: 6 MB for 6 axes, 123 MB for 128.
    """

    def __init__(self, axes: int, length: float = LENGTH) -> None:
        size = int(length * RATE)
        self._times = np.zeros(size)
        self._values = np.zeros((size, len(QUANTITIES), axes), dtype=np.float32)
        self._count = 0
        self._lock = Lock()

    def add(self, status: Status) -> None:
        """Keep a status; the oldest one goes. Where time goes back, all before is dropped."""
        with self._lock:
            size = len(self._times)
            if self._count and status.time < self._times[(self._count - 1) % size]:
                self._count = 0
            place = self._count % size
            self._times[place] = status.time
            for i, quantity in enumerate(QUANTITIES):
                self._values[place, i] = getattr(status, quantity)
            self._count += 1

    def last(self, axis: int, seconds: float) -> tuple[Floats, Floats]:
        """Times (samples,), s, and values (quantities, samples) of the last `seconds`."""
        with self._lock:
            size, count = len(self._times), self._count
            places = np.arange(max(count - size, 0), count) % size
            times = self._times[places]
            if not len(times):
                return times, np.zeros((len(QUANTITIES), 0))
            first = int(np.searchsorted(times, times[-1] - seconds))
            values = self._values[places[first:], :, axis].T.astype(np.float64)
        return times[first:], values


def thinned(times: Floats, values: Floats, points: int) -> tuple[Floats, Floats]:
    """At most `points` of the samples, with the lowest and the highest of each stretch.

    So no peak is lost. `values` has the shape (quantities, samples), as the result.
    """
    stretches = points // 2
    size = -(-len(times) // stretches)
    if size <= 2:
        return times, values
    count = len(times) // size
    kept = len(times) - count * size
    blocks = values[:, kept:].reshape(len(values), count, size)
    pairs = np.stack([blocks.min(axis=2), blocks.max(axis=2)], axis=2)
    falling = blocks.argmax(axis=2) < blocks.argmin(axis=2)
    pairs[falling] = pairs[falling][:, ::-1]
    starts = times[kept:].reshape(count, size)
    return starts[:, [0, size // 2]].reshape(-1), pairs.reshape(len(values), -1)
