"""Places in a message of a fixed layout, as the bytes that go over the wire.

CDR version 1 in little-endian order (DDSI-RTPS 2.5, section 10): 4 bytes of header, then the
fields in their order, each value aligned to its own size, counted from behind the header.
"""

HEADER = bytes((0, 1, 0, 0))
"""CDR version 1, little endian, no options."""


class Layout:
    """Gives out places in the bytes, one after the other, and knows what is always the same."""

    def __init__(self) -> None:
        self.end = len(HEADER)
        self._fixed: dict[int, bytes] = {0: HEADER}

    def place(self, alignment: int, size: int) -> int:
        """Where the next `size` bytes begin."""
        begin = self.end + (len(HEADER) - self.end) % alignment
        self.end = begin + size
        return begin

    def length(self, length: int) -> int:
        """Have the length of a sequence next, and return its place."""
        at = self.place(4, 4)
        self._fixed[at] = length.to_bytes(4, "little")
        return at

    def text(self, text: str) -> None:
        """Have a text next."""
        data = text.encode() + b"\0"
        self.length(len(data))
        self._fixed[self.place(1, len(data))] = data

    def buffer(self) -> bytearray:
        """The bytes, with all that is always the same."""
        made = bytearray(self.end)
        for at, data in self._fixed.items():
            made[at : at + len(data)] = data
        return made
