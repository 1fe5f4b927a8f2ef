"""Io: bits and bytes of the image."""

import struct
from typing import Any

from .arguments import judged
from .enums import SURFACE
from .parts import Part

ANALOG = {"Char": "b", "UChar": "B", "Short": "h", "UShort": "H", "Int": "i", "UInt": "I"}
"""The kinds of analog data, with their formats: bytes of the image, the least significant first."""


class Io(Part):
    """Inputs and outputs."""

    def SetOutBit(self, address: int, bit: int, on: int) -> int:
        io = self.runtime.io
        return self.runtime.output(lambda: io.set_output_bit(address, bit, value=bool(on)))

    def SetOutBits(self, addresses: Any, bits: Any, values: Any, count: int) -> int:
        outputs = [(addresses[i], bits[i], bool(values[i])) for i in range(count)]
        return self.runtime.output(lambda: self.runtime.io.set_output_bits(outputs))

    def SetOutByte(self, address: int, data: int) -> int:
        return self.SetOutBytes(address, 1, [data])

    def SetOutBytes(self, address: int, size: int, data: Any) -> int:
        if any(not 0 <= byte <= 0xFF for byte in data[:size]):
            raise OverflowError("unsigned char")  # as a binding's
        block = bytes(data[:size])
        return self.runtime.output(lambda: self.runtime.io.set_output_bytes(address, block))

    def GetOutBit(self, address: int, bit: int) -> tuple[int, int]:
        return 0, int(self.runtime.io.output_bit(address, bit))

    def GetInBit(self, address: int, bit: int) -> tuple[int, int]:
        return 0, int(self.runtime.io.input_bit(address, bit))

    def GetInByte(self, address: int) -> tuple[int, int]:
        return 0, self.runtime.io.input_bytes(address, 1)[0]

    def GetOutByte(self, address: int) -> tuple[int, int]:
        return 0, self.runtime.io.output_bytes(address, 1)[0]

    def GetInBytes(self, address: int, size: int) -> tuple[int, list[int]]:
        return 0, [*self.runtime.io.input_bytes(address, size)]

    def GetOutBytes(self, address: int, size: int) -> tuple[int, list[int]]:
        return 0, [*self.runtime.io.output_bytes(address, size)]

    # Forms that do not wait for the engine. Without communication they answer old inputs: no public
    # source has it that they are refused then.

    def SetOutBitEx(self, address: int, bit: int, on: int) -> int:
        return self.SetOutBit(address, bit, on)

    def SetOutBitsEx(self, addresses: Any, bits: Any, values: Any, count: int) -> int:
        return self.SetOutBits(addresses, bits, values, count)

    def SetOutByteEx(self, address: int, data: int) -> int:
        return self.SetOutByte(address, data)

    def SetOutBytesEx(self, address: int, size: int, data: Any) -> int:
        return self.SetOutBytes(address, size, data)

    def GetOutBitEx(self, address: int, bit: int) -> tuple[int, int]:
        return self.GetOutBit(address, bit) if self._communicates() else (0, 0)

    def GetInBitEx(self, address: int, bit: int) -> tuple[int, int]:
        return self.GetInBit(address, bit) if self._communicates() else (0, 0)

    def GetOutByteEx(self, address: int) -> tuple[int, int]:
        return self.GetOutByte(address) if self._communicates() else (0, 0)

    def GetInByteEx(self, address: int) -> tuple[int, int]:
        return self.GetInByte(address) if self._communicates() else (0, 0)

    def GetInBytesEx(self, address: int, size: int) -> tuple[int, list[int]]:
        return self.GetInBytes(address, size) if self._communicates() else (0, [0] * size)

    def GetOutBytesEx(self, address: int, size: int) -> tuple[int, list[int]]:
        return self.GetOutBytes(address, size) if self._communicates() else (0, [0] * size)

    def _communicates(self) -> bool:
        self.runtime.step()
        return self.runtime.status.communicating

    def analog(self, address: int, kind: str, *, output: bool) -> int:
        """Return a number that lies in the image."""
        form = f"<{ANALOG[kind]}"
        read = self.runtime.io.output_bytes if output else self.runtime.io.input_bytes
        (number,) = struct.unpack(form, read(address, struct.calcsize(form)))
        return int(number)

    def set_analog(self, address: int, kind: str, number: int) -> int:
        """Set a number in the outputs; one that does not fit overflows, as a binding's does."""
        try:
            data = struct.pack(f"<{ANALOG[kind]}", number)
        except struct.error as error:
            raise OverflowError(str(error)) from None
        return self.runtime.output(lambda: self.runtime.io.set_output_bytes(address, data))


def _analog_functions(kind: str) -> None:
    """Give Io the functions of a kind of analog data, in both forms."""

    def set_output(part: Io, address: int, number: int) -> int:
        return part.set_analog(address, kind, number)

    def output(part: Io, address: int) -> tuple[int, int]:
        return 0, part.analog(address, kind, output=True)

    def input_(part: Io, address: int) -> tuple[int, int]:
        return 0, part.analog(address, kind, output=False)

    for start, function in (("SetOut", set_output), ("GetOut", output), ("GetIn", input_)):
        for name in (f"{start}AnalogData{kind}", f"{start}AnalogData{kind}Ex"):
            if name in SURFACE["classes"]["Io"]["methods"]:
                setattr(Io, name, judged(function))


for _kind in ANALOG:
    _analog_functions(_kind)
