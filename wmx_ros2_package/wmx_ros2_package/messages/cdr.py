"""Places in a message of a fixed layout, as the bytes that go over the wire.

CDR version 1 in little-endian order (DDSI-RTPS 2.5, section 10): 4 bytes of header, then the
fields in their order, each value aligned to its own size, counted from behind the header.
"""

HEADER = bytes((0, 1, 0, 0))
"""CDR version 1, little endian, no options."""


class Layout:
    """Gives out places in the bytes, one after the other."""

    def __init__(self) -> None:
        self.end = len(HEADER)

    def place(self, alignment: int, size: int) -> int:
        """Where the next `size` bytes begin."""
        begin = self.end + (len(HEADER) - self.end) % alignment
        self.end = begin + size
        return begin
