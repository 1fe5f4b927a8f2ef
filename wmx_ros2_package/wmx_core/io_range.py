"""Which bytes and bits the image of inputs and outputs has, whatever engine exchanges it."""

from collections.abc import Iterable

from .errors import CommandRefused, ErrorCode
from .values import IO_BYTES


def bit_of(image: bytes | bytearray, address: int, bit: int) -> bool:
    """Return whether a bit of `image` is on; bit 0 is the lowest of its byte."""
    return bool(image[address] >> bit & 1)


def require_block(address: int, length: int) -> None:
    """Refuse a block that is empty, or not within the image."""
    if not 0 <= address < IO_BYTES:
        rule = f"byte {address}: must be 0 to {IO_BYTES - 1}"
        raise CommandRefused(ErrorCode.IOAddressOutOfRange, rule)
    if not 1 <= length <= IO_BYTES - address:
        rule = f"{length} bytes from byte {address} on: must be 1 to {IO_BYTES - address}"
        raise CommandRefused(ErrorCode.IOSizeOutOfRange, rule)


def require_bits(bits: Iterable[tuple[int, int]]) -> None:
    """Refuse what is no bit of the image, each an (address, bit)."""
    for address, bit in bits:
        require_block(address, 1)
        if not 0 <= bit <= 7:
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"bit {bit}: must be 0 to 7")
