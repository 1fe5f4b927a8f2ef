"""UserMemory: bytes of the engine that programs and events read and set."""

from typing import Any

from .parts import Part
from .structs import struct

_DELAY = struct(
    "UserMemoryEventInputFunctionArguments_DelayMBit",
    byteAddress=0, bitAddress=0, invert=0, delayTime=0,
)  # fmt: skip
UserMemoryEventInput = struct("UserMemoryEventInput", type=0, delayMBit=_DELAY)


class UserMemory(Part):
    """The memory of one engine; a byte that was never set is 0."""

    def SetMByte(self, addr: int, data: int) -> int:
        return self.SetMBytes(addr, 1, [data])

    def SetMBytes(self, addr: int, size: int, data: Any) -> int:
        self.runtime.user_memory.update({addr + i: int(data[i]) for i in range(size)})
        self.runtime.step()
        return 0

    def GetMByte(self, addr: int) -> tuple[int, int]:
        return 0, self.runtime.user_memory.get(addr, 0)

    def SetMBit(self, addr: int, bit: int, data: int) -> int:
        byte = self.runtime.user_memory.get(addr, 0)
        return self.SetMBytes(addr, 1, [byte | 1 << bit if data else byte & ~(1 << bit)])

    def GetMBit(self, addr: int, bit: int) -> tuple[int, int]:
        return 0, self.runtime.user_memory.get(addr, 0) >> bit & 1

    def GetMBytes(self, addr: int, size: int) -> tuple[int, list[int]]:
        return 0, [self.runtime.user_memory.get(addr + i, 0) for i in range(size)]

    def SetMByteEx(self, addr: int, data: int) -> int:
        return self.SetMByte(addr, data)

    def SetMBytesEx(self, addr: int, size: int, data: Any) -> int:
        return self.SetMBytes(addr, size, data)
