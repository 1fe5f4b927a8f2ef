"""CyclicBuffer: where an axis is to be after how many cycles, evenly in between."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from wmx_core.errors import ErrorCode

from .enums import ENUMS
from .not_simulated import NotSimulated
from .parts import Part
from .runtime import Runtime
from .structs import struct

_KINDS = ENUMS["CyclicBufferCommandType"]
_STATES = ENUMS["CyclicBufferState"]
struct("CyclicBufferSingleAxisCommand", type=_KINDS.AbsolutePos, intervalCycles=1, command=0.0)
CyclicBufferSingleAxisStatus = struct(
    "CyclicBufferSingleAxisStatus", state=0, remainCount=0, availableCount=0
)


@dataclass
class Buffer:
    """What an axis has still to do."""

    commands: deque[Any] = field(default_factory=deque)
    running: bool = False
    start: float = 0.0
    gone: int = 0
    """Cycles of the first command that are over."""


class CyclicBuffer(Part):
    """The buffers of one engine, one for each axis."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._buffers: dict[int, Buffer] = {}

    def OpenCyclicBuffer(self, axis: int, _size: int) -> int:
        self._buffers[axis] = Buffer()
        self.runtime.watch(self._advance)
        return 0

    def CloseCyclicBuffer(self, axis: int) -> int:
        self._buffers.pop(axis, None)
        return 0

    def Execute(self, axis: int) -> int:
        return self._with(axis, running=True)

    def Abort(self, axis: int) -> int:
        return self._with(axis, running=False)

    def AddCommand(self, axis: int, command: Any) -> int:
        if axis not in self._buffers or not command.intervalCycles > 0:
            return int(ErrorCode.ArgumentOutOfRange)
        self._buffers[axis].commands.append(command.copy())
        self.runtime.step()
        return 0

    def GetStatus(self, axis: int) -> tuple[int, Any]:
        self.runtime.step()
        status, buffer = CyclicBufferSingleAxisStatus(), self._buffers.get(axis, Buffer())
        executes = _STATES.ExecutingCommand if buffer.commands else _STATES.WaitingForCommand
        status.state = executes if buffer.running else _STATES.Stopped
        status.remainCount = len(buffer.commands)
        return 0, status

    def _with(self, axis: int, *, running: bool) -> int:
        if axis not in self._buffers:
            return int(ErrorCode.ArgumentOutOfRange)
        self._buffers[axis].running = running
        self.runtime.step()
        return 0

    def _advance(self) -> None:
        for axis, buffer in self._buffers.items():
            if not buffer.running or not buffer.commands:
                continue
            command = buffer.commands[0]
            if not buffer.gone:
                buffer.start = self.runtime.position(axis)
            way = float(command.command)
            if command.type == _KINDS.AbsolutePos:
                way -= buffer.start
            buffer.gone += 1
            self.runtime.put(axis, buffer.start + way * buffer.gone / command.intervalCycles)
            if buffer.gone >= command.intervalCycles:
                buffer.commands.popleft()
                buffer.gone = 0
