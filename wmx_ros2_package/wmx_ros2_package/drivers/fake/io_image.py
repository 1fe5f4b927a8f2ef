"""The image of digital inputs and outputs, as the engine exchanges it with the I/O slaves.

Modelled: 8000 bytes each way, bit 0 the lowest of its byte; an output is in force as soon as it
is set. Not modelled: the cycle that a real output takes to its terminal, and any wiring from
outputs to inputs: inputs are what `force_input_bit` and `force_input_bytes` make them.
"""

from ..errors import CommandRefused, ErrorCode
from ..values import IO_BYTES


class IoImage:
    """Input and output bytes 0..7999; answers the `Io` Protocol of the driver seam.

    Raises CommandRefused: IOAddressOutOfRange for a byte outside the image, IOSizeOutOfRange for
    a block that is empty or ends outside it, ArgumentOutOfRange for a bit outside 0..7.
    """

    def __init__(self) -> None:
        self._inputs = bytearray(IO_BYTES)
        self._outputs = bytearray(IO_BYTES)

    def input_bytes(self, address: int, length: int) -> bytes:
        """`length` input bytes from `address` on."""
        return bytes(self._inputs[_block(address, length)])

    def output_bytes(self, address: int, length: int) -> bytes:
        """`length` output bytes from `address` on, as last set."""
        return bytes(self._outputs[_block(address, length)])

    def set_output_bytes(self, address: int, data: bytes) -> None:
        """Set output bytes from `address` on, in one cycle."""
        self._outputs[_block(address, len(data))] = data

    def input_bit(self, address: int, bit: int) -> bool:
        """One input."""
        return bool(self._inputs[_byte(address)] & _mask(bit))

    def output_bit(self, address: int, bit: int) -> bool:
        """One output, as last set."""
        return bool(self._outputs[_byte(address)] & _mask(bit))

    def set_output_bit(self, address: int, bit: int, *, value: bool) -> None:
        """Set one output; its neighbours in the byte keep their values."""
        _put(self._outputs, address, bit, value=value)

    def force_input_bytes(self, address: int, data: bytes) -> None:
        """Play input bytes from `address` on."""
        self._inputs[_block(address, len(data))] = data

    def force_input_bit(self, address: int, bit: int, *, value: bool) -> None:
        """Play one input; its neighbours in the byte keep their values."""
        _put(self._inputs, address, bit, value=value)


def _put(image: bytearray, address: int, bit: int, *, value: bool) -> None:
    byte, mask = _byte(address), _mask(bit)
    image[byte] = image[byte] | mask if value else image[byte] & ~mask


def _byte(address: int) -> int:
    if not 0 <= address < IO_BYTES:
        rule = f"byte {address}: must be 0 to {IO_BYTES - 1}"
        raise CommandRefused(ErrorCode.IOAddressOutOfRange, rule)
    return address


def _block(address: int, length: int) -> slice:
    start = _byte(address)
    if not 1 <= length <= IO_BYTES - start:
        rule = f"{length} bytes from byte {start} on: must be 1 to {IO_BYTES - start}"
        raise CommandRefused(ErrorCode.IOSizeOutOfRange, rule)
    return slice(start, start + length)


def _mask(bit: int) -> int:
    if not 0 <= bit <= 7:
        raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"bit {bit}: must be 0 to 7")
    return 1 << bit
