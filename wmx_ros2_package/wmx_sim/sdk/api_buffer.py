"""ApiBuffer: commands recorded in a channel, carried out by the engine, one a cycle."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .conditions import OF_BUFFERS
from .enums import ENUMS, attribute, member
from .not_simulated import NotSimulated
from .runtime import Runtime
from .stops import Waits
from .structs import inner, struct

_ARGUMENTS = inner("ConditionArguments", {"Axis": 0}, axis=0, axisCount=0, byteAddress=0,
                    bitAddress=0, invert=0, timeMilliseconds=0.0, distance=0.0, opState=0,
                    eventID=0)  # fmt: skip


struct(
    "ApiBufferCondition",
    bufferConditionType=0,
    **{f"arg_{attribute(kind)}": _ARGUMENTS for kind in vars(ENUMS["ApiBufferConditionType"])},
)
struct("ApiBufferOptions", stopOnError=0, stopOnLastBlock=0, autoRewind=0)
ApiBufferStatus = struct("ApiBufferStatus", state=0, blockCount=0, remainingBlockCount=0)


@dataclass
class Flow:
    """A block that decides where the channel continues: `if`, `else if`, `else` or `end`."""

    kind: str
    condition: Any = None

    def __call__(self) -> None:
        """By itself it does nothing."""


@dataclass
class Channel:
    """What one channel holds and how far it is."""

    blocks: list[Callable[[], Any]] = field(default_factory=list)
    at: int = 0
    running: bool = False


class ApiBuffer(Waits):
    """The channels of one engine."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._channels: defaultdict[int, Channel] = defaultdict(Channel)

    def CreateApiBuffer(self, channel: int, *_size: int) -> int:
        """Make a channel; those that act in one cycle do so in the order in which they are made."""
        self._channels[channel]  # is made by being looked at
        return 0

    def FreeApiBuffer(self, channel: int) -> int:
        self._channels.pop(channel, None)
        return 0

    def Clear(self, channel: int) -> int:
        self._channels[channel] = Channel()
        return 0

    def SetOptions(self, _channel: int, _options: Any) -> int:
        return 0

    def StartRecordBufferChannel(self, channel: int) -> int:
        self.runtime.recording = self._channels[channel].blocks
        return 0

    def EndRecordBufferChannel(self) -> int:
        self.runtime.recording = None
        return 0

    def Execute(self, channel: int) -> int:
        self._channels[channel].running = True
        self.runtime.watch(self._look)
        self.runtime.step()
        return 0

    def Halt(self, channel: int) -> int:
        self._channels[channel].running = False
        return 0

    def Rewind(self, channel: int) -> int:
        self._channels[channel].at = 0
        return 0

    def GetStatus(self, channel: int) -> tuple[int, Any]:
        self.runtime.step()
        of = self._channels[channel]
        status = ApiBufferStatus()
        status.blockCount = len(of.blocks)
        status.remainingBlockCount = len(of.blocks) - of.at
        status.state = int(of.running)
        return 0, status

    # What is recorded

    def Wait_ApiBufferCondition(self, condition: Any) -> int:
        condition = condition.copy()
        return self.runtime.wait(lambda: self.holds(condition))

    def Sleep(self, milliseconds: int) -> int:
        until: list[float] = []

        def over() -> bool:
            if not until:
                until.append(self.runtime.time + milliseconds / 1000.0)
            if self.runtime.time < until[0] - 1e-9:
                return False
            until.clear()
            return True

        return self.runtime.wait(over)

    def FlowIf(self, *condition: Any) -> int:
        return self._flow("if", condition[-1].copy())

    def FlowElseIf(self, condition: Any) -> int:
        return self._flow("else if", condition.copy())

    def FlowElse(self) -> int:
        return self._flow("else")

    def FlowEndIf(self) -> int:
        return self._flow("end")

    def _flow(self, kind: str, condition: Any = None) -> int:
        self.runtime.records(Flow(kind, condition))
        return 0

    def _look(self) -> None:
        for channel in [*self._channels.values()]:
            if channel.running:
                self._carry_on(channel)

    def _carry_on(self, channel: Channel) -> None:
        """Carry out the next block, one a cycle; what is added behind the last, too."""
        while channel.at < len(channel.blocks):
            block = channel.blocks[channel.at]
            if not isinstance(block, Flow):
                channel.at += self._carry_out(block)
                return
            channel.at = self._next(channel, block)

    def _next(self, channel: Channel, block: Flow) -> int:
        """Return where a channel continues after a block that decides that."""
        if block.kind == "if" or (block.kind == "else if" and block.condition is None):
            at, test = channel.at, block
            while test.kind in ("if", "else if") and not self.holds(test.condition):
                at, test = _matching(channel.blocks, at)
            return at + 1
        at = channel.at
        while block.kind != "end":  # a branch has been carried out
            at, block = _matching(channel.blocks, at)
        return at + 1

    def _carry_out(self, block: Callable[[], Any]) -> bool:
        """Do one block; False while it waits."""
        answer: list[Any] = []
        self.runtime.command_now(lambda: answer.append(block()))
        return not answer or answer[0] is not False

    def holds(self, condition: Any) -> bool:
        """Return whether a condition of a buffer is true."""
        kind = member("ApiBufferConditionType", condition.bufferConditionType)
        if kind not in OF_BUFFERS:
            self.missing.note(f"ApiBufferConditionType.{kind}")
            return True
        return OF_BUFFERS[kind](self.runtime, getattr(condition, f"arg_{attribute(kind)}"))


def _matching(blocks: list[Any], at: int) -> tuple[int, Flow]:
    """Return the next block of the same decision as the one at `at`; its end, if it has none."""
    depth = 0
    for i in range(at + 1, len(blocks)):
        block = blocks[i]
        if not isinstance(block, Flow):
            continue
        if block.kind == "if":
            depth += 1
        elif depth == 0:
            return i, block
        elif block.kind == "end":
            depth -= 1
    return len(blocks), Flow("end")
