"""Which bytes hold a handful of bits."""

from collections.abc import Callable, Sequence

from ..io_range import require_bits

Bits = Sequence[tuple[int, int]]


def read_bits(bits: Bits, read: Callable[[int, int], bytes]) -> tuple[bool, ...]:
    """`bits`, each an (address, bit), by one call of `read`, so that they are of one cycle."""
    require_bits(bits)
    if not bits:
        return ()
    first = min(address for address, _ in bits)
    last = max(address for address, _ in bits)
    block = read(first, last - first + 1)
    return tuple(bool(block[address - first] >> bit & 1) for address, bit in bits)
