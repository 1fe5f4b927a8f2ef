"""Which bytes hold a handful of bits."""

from collections.abc import Callable, Sequence

from ..errors import CommandRefused, ErrorCode
from ..values import IO_BYTES

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


def require_bits(bits: Bits) -> None:
    """Refuse a bit that is none."""
    for address, bit in bits:
        if not 0 <= address < IO_BYTES:
            rule = f"byte {address}: must be 0 to {IO_BYTES - 1}"
            raise CommandRefused(ErrorCode.IOAddressOutOfRange, rule)
        if not 0 <= bit <= 7:
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"bit {bit}: must be 0 to 7")
