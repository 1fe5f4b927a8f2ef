"""EventControl: what the engine does by itself in the cycle in which something comes true."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from wmx_core.errors import UNNUMBERED, CommandRefused
from wmx_core.reactions import TouchProbe, require_touch_probes
from wmx_core.values import IO_BYTES, CommandMode, OperationState

from ..engine.clock import CYCLE
from ..engine.reactions.touch_probes import TouchProbes
from .conditions import OF_EVENTS
from .enums import ENUMS, ERRORS, attribute, member
from .motion import Motion
from .not_simulated import NotSimulated
from .position_outputs import PositionOutputs
from .runtime import Runtime
from .sdk_commands import emergency_stop
from .structs import PosCommand, Profile, inner, struct
from .user_memory import UserMemoryEventInput

_INPUT = inner("EventInputArguments", axis=0, invert=0, pos=0.0, velocity=0.0, distance=0.0,
                timeMilliseconds=0.0, useFeedback=0, tolerance=0.0, enableTolerance=0,
                byteAddress=0, bitAddress=0,
                ioSourceType=ENUMS["IOSourceType"].Input, disableIdleAxisTrigger=0,
                disablePositiveDirection=0, disableNegativeDirection=0)  # fmt: skip
_POINT = {"Axis": 0, "Target": 0.0, "Type": 0, "Velocity": 0.0, "Acc": 0.0, "Dec": 0.0}
_OUTPUT = inner("EventOutputArguments", _POINT | {"JerkAcc": 0.0, "JerkDec": 0.0},
                 axis=0, target=0.0, velocity=0.0, acc=0.0, dec=0.0, type=0, axisCount=0,
                 byteAddress=0, bitAddress=0, invert=0, eStopLevel=0,
                 **{name: 0.0 for name in vars(Profile()) if name not in
                    ("type", "velocity", "acc", "dec", "elements")})  # fmt: skip


struct(
    "CoreMotionEventInput",
    inputFunction=0,
    **dict.fromkeys(map(attribute, vars(ENUMS["CoreMotionEventInputType"])), _INPUT),
)
struct(
    "CoreMotionEventOutput",
    type=0,
    **dict.fromkeys(map(attribute, vars(ENUMS["CoreMotionEventOutputType"])), _OUTPUT),
)
MAX_EVENTS = 512
_CODES = ERRORS["EventErrorCode"]
EventOption = struct("EventOption", singleShot=False, disableAfterActivate=False, enable=True)
IoEventInput = struct("IoEventInput", type=0, ioBit=_INPUT, notIOBit=_INPUT)
IoEventOutput = struct("IoEventOutput", type=0, setIOOutBit=_OUTPUT)


@dataclass
class Event:
    """One event: acts in each cycle in which its input comes true while it is enabled."""

    true: Callable[[], bool]
    act: Callable[[], None]
    modules: tuple[int, int]
    """Of its input and its output."""
    option: Any
    """An EventOption: whether it is disabled, or cleared, when it has acted."""
    enabled: bool = False
    was_true: bool = False


class EventControl(PositionOutputs):
    """The events of one engine."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._events: dict[int, Event] = {}
        self._motion = Motion(runtime, missing)
        self._probes = TouchProbes(lambda axis: float(runtime.status.actual_pos[axis]))

    def SetEvent_ID_Option(self, when: Any, then: Any, number: int, option: Any) -> tuple[int, int]:
        code, set_one = self._define(when, then, number, option.copy())
        if option.enable and not code:
            code = self.EnableEvent(number, 1)
        return code, set_one

    def SetEvent_ID(self, when: Any, then: Any, number: int) -> tuple[int, int]:
        return self._define(when, then, number, EventOption())

    def SetEvent_Option(self, when: Any, then: Any, option: Any) -> tuple[int, int]:
        return self.SetEvent_ID_Option(when, then, self._free(), option)

    def SetEvent(self, when: Any, then: Any) -> tuple[int, int]:
        return self.SetEvent_ID(when, then, self._free())

    def GetEventOption(self, number: int) -> tuple[int, Any]:
        if number not in self._events:
            return int(_CODES.IDNotDefined), EventOption()
        return 0, self._events[number].option.copy()

    def _free(self) -> int:
        return next(i for i in count() if i not in self._events)

    def _define(self, when: Any, then: Any, number: int, option: Any) -> tuple[int, int]:
        if not 0 <= number < MAX_EVENTS:
            return int(_CODES.IDOutOfRange), 0
        if number in self._events:
            raise CommandRefused(UNNUMBERED, "", "IDInUse")
        modules = self._module(when), self._module(then)
        acts = self._input(when.copy()), self._output(then.copy())
        self._events[number] = Event(*acts, modules, option)
        return 0, number

    def GetEventModuleId(self, number: int) -> tuple[int, int, int]:
        if number not in self._events:
            return int(_CODES.IDNotDefined), 0, 0
        return 0, *self._events[number].modules

    def EnableEvent(self, number: int, enable: int) -> int:
        if number not in self._events:
            return int(_CODES.IDNotDefined)
        self.runtime.watch(self._look)
        self.runtime.step()
        event = self._events[number]
        event.enabled = bool(enable)
        event.was_true = False
        return 0

    def RemoveEvent(self, number: int) -> int:
        return 0 if self._events.pop(number, None) else int(_CODES.IDNotDefined)

    def ClearAllEvent(self) -> int:
        self._events.clear()
        return 0

    def _look(self) -> None:
        if self._probes:
            self._probes.follow(self._inputs())
        for number, event in [*self._events.items()]:
            if not event.enabled:
                continue
            true = event.true()
            if true and not event.was_true:
                self.runtime.command_now(event.act)
                event.enabled = not event.option.disableAfterActivate
                if event.option.singleShot:
                    self._events.pop(number, None)
            event.was_true = true

    def _module(self, arguments: Any) -> int:
        name = type(arguments).__name__.partition("Event")[0]
        return int(getattr(ENUMS["ModuleId"], {"Io": "IO"}.get(name, name)))

    def _stop(self, axis: int, stop: Callable[[list[int]], None]) -> None:
        """Stop `axis` in this very cycle, as CoreMotion.motion does: in position mode, no slave."""
        status = self.runtime.status
        follows = status.op_state[axis] == OperationState.SYNC
        if status.command_mode[axis] == CommandMode.POSITION and not follows:
            self.runtime.wait_no_longer([axis])
            stop([axis])

    def _input(self, when: Any) -> Callable[[], bool]:
        if isinstance(when, IoEventInput):
            return self._bit(when)
        if isinstance(when, UserMemoryEventInput):
            return self._memory_bit(when)
        kind = member("CoreMotionEventInputType", when.inputFunction)
        if kind not in OF_EVENTS:
            self.missing.note(f"CoreMotionEventInputType.{kind}")
            return lambda: False
        return partial(OF_EVENTS[kind], self.runtime, getattr(when, attribute(kind)))

    def _bit(self, when: Any) -> Callable[[], bool]:
        kinds = ENUMS["IoEventInputType"]
        inverted = bool(when.type == kinds.NotIOBit)
        at = when.notIOBit if inverted else when.ioBit
        io, sources = self.runtime.io, ENUMS["IOSourceType"]

        def true() -> bool:
            read = io.output_bit if at.ioSourceType == sources.Output else io.input_bit
            wanted = inverted == bool(at.invert)
            return read(at.byteAddress, at.bitAddress) is wanted

        return true

    def _memory_bit(self, when: Any) -> Callable[[], bool]:
        """Whether a bit of the user memory was 1 all along for a time, ms."""
        if when.type != ENUMS["UserMemoryEventInputType"].DelayMBit:
            self.missing.note(f"UserMemoryEventInputType {when.type}")
            return lambda: False
        at, runtime = when.delayMBit, self.runtime
        low = runtime.cycle

        def true() -> bool:
            nonlocal low
            bit = runtime.user_memory.get(at.byteAddress, 0) >> at.bitAddress & 1
            if bit == bool(at.invert):
                low = runtime.cycle
            return bool(1000.0 * CYCLE * (runtime.cycle - low) >= at.delayTime)

        return true

    def _output(self, then: Any) -> Callable[[], None]:
        if isinstance(then, IoEventOutput):
            at, io = then.setIOOutBit, self.runtime.io
            return lambda: io.set_output_bit(at.byteAddress, at.bitAddress, value=not at.invert)
        kind, motion = member("CoreMotionEventOutputType", then.type), self.runtime.motion
        of: Any = getattr(then, attribute(kind), None)
        outputs: dict[str, Callable[[], None]] = {
            "StopSingleAxis": lambda: self._stop(of.axis, motion.stop),
            "ExecQuickStopSingleAxis": lambda: self._stop(of.axis, motion.quick_stop),
            "ExecEStop": lambda: motion.emergency_stop(emergency_stop(of.eStopLevel)),
            "StartSinglePos": lambda: self._motion.absolute([single(of)]),
            "StartSingleMov": lambda: self._motion.relative([single(of)]),
            "StartMultiplePos": lambda: self._motion.absolute(several(of)),
            "StartMultipleMov": lambda: self._motion.relative(several(of)),
        }
        if kind not in outputs:
            self.missing.note(f"CoreMotionEventOutputType {then.type}")
            return lambda: None
        return outputs[kind]

    # Software touch probes

    def SetSoftwareTouchProbe(
        self, channel: int, enable: int, axis: int, byte: int, bit: int, logic: int, latching: int
    ) -> int:
        if latching != ENUMS["EventControl_TouchProbeMode"].LatchFirst:
            return self.missing.note("EventControl_TouchProbeMode.LatchLast")
        probe = TouchProbe(axis=axis, address=byte, bit=bit, value=bool(logic))
        require_touch_probes([], [probe], self.runtime.axes)
        self._probes.remove(channel)
        if enable:
            self.runtime.watch(self._look)
            self._probes.follow(self._inputs())
            self._probes.put(channel, probe)
        self.runtime.step()
        return 0

    def EnableSoftwareTouchProbe(self, channel: int, enable: int) -> int:
        if enable:
            return self.missing.note("EnableSoftwareTouchProbe of one that is to latch again")
        self._probes.remove(channel)
        self.runtime.step()
        return 0

    def GetSoftwareTouchProbeCounterValue(self, channel: int) -> tuple[int, int, float]:
        position = self._probes.latched(channel) if self._probes.has(channel) else None
        return 0, int(position is not None), position or 0.0

    def _inputs(self) -> bytes:
        return self.runtime.io.input_bytes(0, IO_BYTES)


def single(arguments: Any) -> Any:
    """Return a command of the arguments of an event that starts one axis."""
    command = PosCommand()
    command.axis, command.target = arguments.axis, arguments.target
    for name in vars(Profile()):
        if name != "elements":
            setattr(command.profile, name, getattr(arguments, name))
    return command


def several(arguments: Any) -> list[Any]:
    """Return the commands of an event that starts several axes."""
    commands = []
    for i in range(arguments.axisCount):
        command = PosCommand()
        command.axis = arguments.element("Axis", i)
        command.target = arguments.element("Target", i)
        for name in ("Type", "Velocity", "Acc", "Dec"):
            setattr(command.profile, name.lower(), arguments.element(name, i))
        commands.append(command)
    return commands
