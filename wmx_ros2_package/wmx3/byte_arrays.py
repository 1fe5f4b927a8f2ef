"""Blocks of bytes as the binding returns them: lists of int.

The wrapper passes an array of int for the C function to fill with bytes (GetInBytesEx, SdoUpload of
the Linux and the Windows module). Whether each element is a byte then, or four of them as they
stand in memory, low byte first, is not documented. An element above 255 is four. Where a list may
be either, and both do not mean the same, a function that reads a single byte decides.
"""

from collections.abc import Callable, Sequence

from wmx_core.errors import CommandRefused, ErrorCode

DECIDED = 3
"""So many single bytes in a row have to agree, for a byte may change between two calls."""
TRIES = 20


class ByteArrays:
    """What the elements are of the arrays of one installed module."""

    def __init__(self) -> None:
        self._are_words: bool | None = None
        """Whether each element is four bytes; None while that is not known."""

    def read(
        self, block: Callable[[], Sequence[int]], length: int, single: Callable[[int], int]
    ) -> bytes:
        """Return `length` bytes of what `block` reads; `single` reads one, by its place in them."""
        votes: list[bool] = []
        for _ in range(TRIES):
            as_bytes, as_words = _both(block(), length)
            if (known := self._known(as_bytes, as_words)) is not None:
                return known
            assert as_bytes is not None
            place = next(i for i in range(length) if as_bytes[i] != as_words[i])
            byte = single(place) & 0xFF
            if byte not in (as_bytes[place], as_words[place]):
                votes.clear()
                continue
            votes.append(byte == as_words[place])
            if votes[-DECIDED:] in ([True] * DECIDED, [False] * DECIDED):
                self._are_words = votes[-1]
        detail = "the bytes change too quickly to find out what the SDK's arrays hold"
        raise CommandRefused(ErrorCode.NoSupportedFunction, detail)

    def decode(self, data: Sequence[int], length: int) -> bytes:
        """Return `length` bytes of `data`; each element is one unless it is known to be four."""
        as_bytes, as_words = _both(data, length)
        known = self._known(as_bytes, as_words)
        return known if known is not None else as_bytes or b""

    def _known(self, as_bytes: bytes | None, as_words: bytes) -> bytes | None:
        """Return the bytes where it is known which they are, or both are the same."""
        if as_bytes is None:
            self._are_words = True
        if self._are_words or as_bytes == as_words:
            return as_words
        return None if self._are_words is None else as_bytes


def _both(data: Sequence[int], length: int) -> tuple[bytes | None, bytes]:
    """Return `data` with a byte and with four bytes an element; None where it fits no bytes."""
    fits = all(0 <= element <= 0xFF for element in data[:length])
    words = data[: -(-length // 4)]
    as_words = b"".join((int(word) & 0xFFFF_FFFF).to_bytes(4, "little") for word in words)
    return bytes(data[:length]) if fits else None, as_words[:length]
