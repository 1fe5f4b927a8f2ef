"""The image of digital inputs and outputs, by the SDK's Io.

Where the vendor's engine differs from what `interface.Io` says: a block of outputs is not set in
one step, so a cycle that begins meanwhile sends the first of them without the last.

What lies outside the image is refused here: the SDK makes a buffer before it asks the engine.
"""

from collections.abc import Callable, Sequence

from ..errors import CommandRefused, ErrorCode
from ..io_range import require_bits, require_block
from .bits import read_bits
from .session import Session


class WmxIo:
    """Carries out `interface.Io` on the device that `session` returns."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def input_bytes(self, address: int, length: int) -> bytes:
        require_block(address, length)
        return bytes(self._session().io.GetInBytes(address, length))

    def output_bytes(self, address: int, length: int) -> bytes:
        require_block(address, length)
        return bytes(self._session().io.GetOutBytes(address, length))

    def set_output_bytes(self, address: int, data: bytes) -> None:
        require_block(address, len(data))
        self._session().io.SetOutBytes(address, len(data), list(data))

    def input_bit(self, address: int, bit: int) -> bool:
        require_bits([(address, bit)])
        return bool(self._session().io.GetInBit(address, bit))

    def output_bit(self, address: int, bit: int) -> bool:
        require_bits([(address, bit)])
        return bool(self._session().io.GetOutBit(address, bit))

    def set_output_bit(self, address: int, bit: int, *, value: bool) -> None:
        require_bits([(address, bit)])
        self._session().io.SetOutBit(address, bit, int(value))

    def input_bits(self, bits: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
        return read_bits(bits, self.input_bytes)

    def output_bits(self, bits: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
        return read_bits(bits, self.output_bytes)

    def set_output_bits(self, bits: Sequence[tuple[int, int, bool]]) -> None:
        require_bits([(address, bit) for address, bit, _ in bits])
        addresses = [address for address, _, _ in bits]
        numbers = [bit for _, bit, _ in bits]
        values = [int(value) for _, _, value in bits]
        io = self._session().io
        try:
            if bits:
                io.SetOutBits(addresses, numbers, values, len(bits))
        except CommandRefused as refused:
            if refused.code != ErrorCode.NoSupportedFunction:
                raise
            # Whether the binding takes lists for its arrays of int is not documented.
            for address, bit, value in bits:
                io.SetOutBit(address, bit, int(value))
