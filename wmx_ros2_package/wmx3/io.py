"""The image of digital inputs and outputs, by the SDK's Io.

Where the vendor's engine differs from `interface.Io`: a block of outputs is not set in
one step, so a cycle that begins in between sends the first of them without the last.

What lies outside the image is refused here: the SDK makes a buffer before it calls the engine.

The functions whose names end in Ex do not wait for the next interrupt of the engine (user manual,
I/O), and the nodes of the vendor use no others. Whether they refuse without communication is
not documented, so that the state of the engine is read first: no old inputs are answered.
"""

from collections.abc import Callable, Sequence
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.io_range import bit_of, require_bits, require_block

from .sdk import once, twice_at_most
from .session import SdkSession


class WmxIo:
    """Carries out `interface.Io` on the device that `session` returns."""

    def __init__(self, session: Callable[[], SdkSession]) -> None:
        self._session = session

    def input_bytes(self, address: int, length: int) -> bytes:
        return self._block("GetInBytes", "GetInByte", address, length)

    def output_bytes(self, address: int, length: int) -> bytes:
        return self._block("GetOutBytes", "GetOutByte", address, length)

    def set_output_bytes(self, address: int, data: bytes) -> None:
        require_block(address, len(data))
        try:
            self._call("SetOutBytes", address, len(data), list(data))
        except CommandRefused as refused:
            if refused.code != ErrorCode.NoSupportedFunction:
                raise
            # Whether the binding takes a list for its array of bytes is not documented either.
            for place, byte in enumerate(data, address):
                self._call("SetOutByte", place, byte)

    def input_bit(self, address: int, bit: int) -> bool:
        require_bits([(address, bit)])
        return bool(self._call("GetInBit", address, bit))

    def output_bit(self, address: int, bit: int) -> bool:
        require_bits([(address, bit)])
        return bool(self._call("GetOutBit", address, bit))

    def set_output_bit(self, address: int, bit: int, *, value: bool) -> None:
        require_bits([(address, bit)])
        self._call("SetOutBit", address, bit, int(value))

    def input_bits(self, bits: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
        require_bits(bits)
        if not bits:
            return ()
        addresses = [address for address, _ in bits]
        first = min(addresses)
        block = self.input_bytes(first, max(addresses) - first + 1)  # one call: of the same cycle
        return tuple(bit_of(block, address - first, bit) for address, bit in bits)

    def set_output_bits(self, bits: Sequence[tuple[int, int, bool]]) -> None:
        require_bits([(address, bit) for address, bit, _ in bits])
        addresses = [address for address, _, _ in bits]
        numbers = [bit for _, bit, _ in bits]
        values = [int(value) for _, _, value in bits]
        try:
            if bits:
                self._call("SetOutBits", addresses, numbers, values, len(bits))
        except CommandRefused as refused:
            if refused.code != ErrorCode.NoSupportedFunction:
                raise
            # Whether the binding takes lists for its arrays of int is not documented.
            for address, bit, value in bits:
                self._call("SetOutBit", address, bit, int(value))

    def _block(self, name: str, single: str, address: int, length: int) -> bytes:
        require_block(address, length)
        return self._session().byte_arrays.read(
            lambda: self._call(name, address, length),
            length,
            lambda place: int(self._call(single, address + place)),
        )

    def _call(self, name: str, *args: Any) -> Any:
        """Call the form of `name` that does not wait, or the other where there is none.

        What only reads is asked for once more where it is not answered in time. What sets is not: a
        second call could put an older value over that of another client.
        """
        session = self._session()
        session.require_communication()
        ask = twice_at_most if name.startswith("Get") else once
        try:
            return ask(getattr(session.io, f"{name}Ex"), *args)
        except CommandRefused as refused:
            if refused.code != ErrorCode.NoSupportedFunction:
                raise
        return ask(getattr(session.io, name), *args)
