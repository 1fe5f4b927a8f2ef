"""JointState as the bytes that go over the wire, written in place: see `axis_state_cdr`.

The names never change, so that a message costs a copy of its numbers.
"""

from collections.abc import Sequence

import numpy as np

from wmx_core.values import Floats

from .cdr import Layout


class JointStateCdr:
    """The bytes of a JointState of the joints `names`, with an empty frame.

    `position`, `velocity` and `effort` are to be written to, (joints,); its users share one
    buffer: one thread at a time may use it.
    """

    def __init__(self, names: Sequence[str]) -> None:
        layout = Layout()
        stamp = layout.place(4, 8)
        layout.text("")
        layout.length(len(names))
        for name in names:
            layout.text(name)
        arrays = []
        for _ in range(3):
            layout.length(len(names))
            arrays.append(layout.place(8, 8 * len(names)))

        self._buffer = layout.buffer()
        self._stamp = np.ndarray(2, "<u4", self._buffer, stamp)
        self.position, self.velocity, self.effort = (
            self._array(len(names), place) for place in arrays
        )

    def at(self, stamp: int) -> bytes:
        """The message with what was written, sampled at `stamp` (ns)."""
        self._stamp[:] = divmod(stamp, 1_000_000_000)
        return bytes(self._buffer)

    def _array(self, count: int, place: int) -> Floats:
        return np.ndarray(count, "<f8", self._buffer, place)
