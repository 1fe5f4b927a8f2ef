"""The statuses of the last minutes, in arrays that do not grow."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import inf
from threading import Lock

import numpy as np

from wmx_core.values import Floats

from ..client import Status

LENGTH = 600.0
"""How far back it goes, s."""
RATE = 100.0
"""Statuses a second that are kept at most; of more some are left out."""
QUANTITIES = ("command", "position", "velocity", "torque")
"""What is kept of each axis, as `Status` names it."""
FOLLOWING_ERROR = "following_error"
"""The command less the position, which is not kept."""
MOST_POINTS = 2000


class History:
    """Command, position, velocity and torque of every axis; 32 bytes for an axis and status.

    Any thread may add and read. Memory is used as it fills: 12 MB for 6 axes, 246 MB for 128.
    Fewer digits are not enough: of an axis that turns on, the following error is less than what
    they lose of its places.
    """

    def __init__(self, axes: int, length: float = LENGTH) -> None:
        size = int(length * RATE)
        self._times = np.zeros(size)
        self._values = np.zeros((size, len(QUANTITIES), axes))
        self._count = 0
        self._due = -inf
        """When the next status is due that is kept, s; it may come a little sooner."""
        self._lock = Lock()

    def add(self, status: Status) -> None:
        """Keep a status, unless it comes too soon; the oldest one goes.

        Where time goes back, all before is dropped.
        """
        with self._lock:
            size = len(self._times)
            if self._count and status.time < self._times[(self._count - 1) % size]:
                self._count, self._due = 0, -inf
            if status.time < self._due - 0.25 / RATE:
                return
            # What comes late delays what is due, but for a share, by which others come early.
            self._due = max(self._due, status.time - 0.75 / RATE) + 1.0 / RATE
            place = self._count % size
            self._times[place] = status.time
            for i, quantity in enumerate(QUANTITIES):
                self._values[place, i] = getattr(status, quantity)
            self._count += 1

    def select(
        self, wanted: Sequence[tuple[int, int]], seconds: float, until: float = inf
    ) -> tuple[Floats, Floats]:
        """Times (samples,), s, and values (wanted, samples) of `seconds` before `until`.

        Each of `wanted` is the place of a quantity in QUANTITIES, and an axis. `until` is a time
        of the statuses, the newest one at most.
        """
        with self._lock:
            size, count = len(self._times), self._count
            places = np.arange(max(count - size, 0), count) % size
            times = self._times[places]
            if not len(times):
                return times, np.zeros((len(wanted), 0))
            end = int(np.searchsorted(times, until, side="right"))
            first = int(np.searchsorted(times[:end], times[max(end - 1, 0)] - seconds))
            kept = places[first:end]
            values = np.zeros((len(wanted), len(kept)))
            for row, (quantity, axis) in enumerate(wanted):
                values[row] = self._values[kept, quantity, axis]
        return times[first:end], values


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


def as_csv(times: Floats, values: Floats, names: Sequence[str]) -> str:
    """All samples as a file: a row each, after a row of names."""
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(["time_s", *names])
    for time, row in zip(times, values.T, strict=True):
        rows.writerow([f"{time:.3f}", *(f"{x:.6f}" for x in row)])
    return file.getvalue()
