"""JointState as the bytes that go over the wire, written in place: see `axis_state_cdr`.

The names never change, so that a message costs a copy of its numbers.
"""

from collections.abc import Sequence

import numpy as np

from ..drivers.values import Floats
from .cdr import HEADER, Layout


class JointStateCdr:
    """The bytes of a JointState of the joints `names`, with an empty frame.

    `position`, `velocity` and `effort` are to be written to, (joints,); its users share one
    buffer: one thread at a time may use it.
    """

    def __init__(self, names: Sequence[str]) -> None:
        layout = Layout()
        stamp = layout.place(4, 8)
        counts: dict[int, int] = {}
        texts: dict[int, bytes] = {}

        def place_text(text: str) -> None:
            data = text.encode() + b"\0"
            counts[layout.place(4, 4)] = len(data)
            texts[layout.place(1, len(data))] = data

        place_text("")
        counts[layout.place(4, 4)] = len(names)
        for name in names:
            place_text(name)
        arrays = []
        for _ in range(3):
            counts[layout.place(4, 4)] = len(names)
            arrays.append(layout.place(8, 8 * len(names)) if names else layout.end)

        self._buffer = bytearray(layout.end)
        self._buffer[: len(HEADER)] = HEADER
        for at, data in texts.items():
            self._buffer[at : at + len(data)] = data
        for at, count in counts.items():
            self._buffer[at : at + 4] = count.to_bytes(4, "little")
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
