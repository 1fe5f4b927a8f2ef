"""Events of the engine that stop axes, whatever becomes of processes: stop inputs, and a dead man.

An event acts in the cycle in which its input comes true, and again when it is enabled (API
reference, SetEvent). StopSingleAxis and ExecQuickStopSingleAxis are Motion.Stop and
ExecQuickStop, for axes in position mode; what stops a velocity, a torque or an axis that follows
another is an emergency stop alone.

Events have fixed numbers, so that every process finds what another one has set:

| numbers      | what                                                 |
|--------------|------------------------------------------------------|
| 255 and less | dead man by emergency stop: axis 0 has the last two  |
| 256 to 287   | stop inputs                                          |
| 511 and less | dead man by stop, as those by emergency stop         |

Programs that let the engine choose a number most likely get low ones.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_axes
from wmx_core.options import require_dead_man
from wmx_core.reactions import MOST_STOP_INPUTS, StopInput, StopKind, require_stop_inputs
from wmx_core.values import MAX_AXES

from .sdk import TIMED_OUT, user_memory
from .session import SdkSession

TRIES = 10
"""How often an event is set or removed, where another with its number is just being removed."""
RETRY_DELAY = 0.005
"""s."""
NOT_THERE = "IDNotDefined", "EventNotDefined"
"""What an engine answers of an event that it does not have, by the names of its errors."""
FIRST_STOP_INPUT = 256
MOST_AXES = 112
"""With stop inputs: the dead men of further axes have the same numbers."""
STOP_EVENTS, EMERGENCY_EVENTS = 511, 255
"""The events of axis 0; those of the others have lower numbers (maxEvents is 512)."""
BITS = 0, 1
SHORTEST = 0.005
"""How long a bit lasts at least, s: some communication cycles."""


class DeadMan:
    """The axes that one device feeds: events stop those which nothing feeds any more.

    Each axis has a byte of the engine's user memory. The device that moves the axis sets one of two
    bits in it, in turn, and events of the engine act when one of them has been 1 for too long
    (DelayMBit): so they do when the process has died, or hangs, and for the next one that moves the
    axis they are the same.

    Bits 0 and 1 stop an axis in position mode by StopSingleAxis. For axes that it does not stop,
    bits 2 and 3 make an emergency stop of level 1.
    """

    def __init__(self, session: SdkSession) -> None:
        self._session = session
        self._first_byte = user_memory(session.sdk) - MAX_AXES
        """Of the last bytes of the user memory, one for each axis."""
        self._bits: dict[int, int] = {}
        """Which of BITS each axis has that is watched."""
        self._changed: dict[int, float] = {}
        """When each was changed last, s."""
        self._timeouts: dict[int, float] = {}
        """Of the events that this device has set, by their numbers; all devices have to use one."""

    def feed(self, axes: Sequence[int], timeout: float) -> None:
        """See `interface.Engine`."""
        require_dead_man(timeout)
        session = self._session
        require_axes(axes, session.axes)
        values = dict.fromkeys(axes, 0)
        bits: dict[int, int] = {}
        now = session.time.now()
        if not timeout:
            for axis in axes:
                self._bits.pop(axis, None)
        else:
            bits = {axis: self._next_bit(axis, now) for axis in values}
            status = session.look()
            position, sync = session.sdk.AxisCommandMode.Position, session.sdk.OperationState.Sync
            for axis in axes:
                found = status.GetAxesStatus(axis)
                stops = found.axisCommandMode == position and found.opState != sync
                for bit in BITS:
                    self._have_event(axis, bit, timeout, stops=stops)
                values[axis] = 1 << (bits[axis] if stops else 2 + bits[axis])
        for first, block in _blocks(values):
            self._write(self._first_byte + first, block)
        for axis, bit in bits.items():  # only now: one that was refused has changed nothing
            if self._bits.get(axis) != bit:
                self._bits[axis], self._changed[axis] = bit, now

    def _next_bit(self, axis: int, now: float) -> int:
        """Return the other bit of an axis; of a new one, other than what was left there.

        Each has to last for some cycles, so that the engine finds it changed.
        """
        if axis not in self._bits:
            left = self._session.user_memory.GetMByte(self._first_byte + axis)
            return 0 if left & 0b1010 else 1
        return self._bits[axis] ^ (now - self._changed[axis] >= SHORTEST)

    def _write(self, address: int, block: list[int]) -> None:
        memory = self._session.user_memory
        try:
            memory.SetMBytesEx(address, len(block), block)
        except CommandRefused as refused:
            if refused.code != ErrorCode.NoSupportedFunction:
                raise
            for place, value in enumerate(block, address):
                memory.SetMByte(place, value)

    def _have_event(self, axis: int, bit: int, timeout: float, *, stops: bool) -> None:
        """Set the event of one bit, unless that is done."""
        number = (STOP_EVENTS if stops else EMERGENCY_EVENTS) - 2 * axis - bit
        if self._timeouts.get(number) == timeout:
            return
        sdk = self._session.sdk
        when = sdk.UserMemoryEventInput()
        when.type = sdk.UserMemoryEventInputType.DelayMBit
        when.delayMBit.byteAddress = self._first_byte + axis
        when.delayMBit.bitAddress = bit if stops else 2 + bit
        when.delayMBit.delayTime = round(1000.0 * timeout)
        then = sdk.CoreMotionEventOutput()
        kinds = sdk.CoreMotionEventOutputType
        if stops:
            then.type, then.stopSingleAxis.axis = kinds.StopSingleAxis, axis
        else:
            then.type, then.execEStop.eStopLevel = kinds.ExecEStop, sdk.EStopLevel.Level1
        put_event(self._session, when, then, number)
        self._timeouts[number] = timeout


def set_stop_inputs(session: SdkSession, inputs: Sequence[StopInput]) -> None:
    """See `reactions.Reactions`."""
    require_stop_inputs(inputs, session.axes)
    if session.axes > MOST_AXES:
        if not inputs:
            return  # the events of these numbers are dead men
        detail = f"the engine has {session.axes} axes: must be {MOST_AXES} for stop inputs"
        raise CommandRefused(ErrorCode.IDOutOfRange, detail)
    made = [(_when(session, each), _then(session, each)) for each in inputs]
    for number, (when, then) in enumerate(made, FIRST_STOP_INPUT):
        put_event(session, when, then, number)
    for number in range(FIRST_STOP_INPUT + len(made), FIRST_STOP_INPUT + MOST_STOP_INPUTS):
        remove_event(session, number)


def put_event(session: SdkSession, when: Any, then: Any, number: int) -> None:
    """Have the event, enabled, in place of the one that is left there, if there is one."""
    for attempt in range(TRIES):
        try:
            session.events.SetEvent_ID(when, then, number)
            break
        except CommandRefused as refused:
            if refused.code == ErrorCode.NoSupportedFunction or attempt == TRIES - 1:
                raise
        if attempt == 0:
            remove_event(session, number)
        session.time.sleep(RETRY_DELAY)
    session.events.EnableEvent(number, 1)


def remove_event(session: SdkSession, number: int) -> None:
    """Have no event of this number; refused where it stays."""
    for attempt in range(TRIES):
        try:
            session.events.EnableEvent(number, 0)
            session.events.RemoveEvent(number)
            return
        except CommandRefused as refused:
            # So is one that is not there; that it is refused so is what the names say.
            if refused.name in NOT_THERE:
                return
            if refused.name not in TIMED_OUT and not _is_there(session, number):
                return
            if attempt == TRIES - 1:
                raise
        session.time.sleep(RETRY_DELAY)


def _when(session: SdkSession, stop_input: StopInput) -> Any:
    sdk = session.sdk
    when = sdk.IoEventInput()
    if stop_input.value:
        when.type = sdk.IoEventInputType.IOBit
        when.ioBit.byteAddress, when.ioBit.bitAddress = stop_input.address, stop_input.bit
        when.ioBit.ioSourceType = sdk.IOSourceType.Input
    else:
        when.type = sdk.IoEventInputType.NotIOBit
        when.notIOBit.byteAddress, when.notIOBit.bitAddress = stop_input.address, stop_input.bit
        when.notIOBit.ioSourceType = sdk.IOSourceType.Input
    return when


def _then(session: SdkSession, stop_input: StopInput) -> Any:
    sdk = session.sdk
    then = sdk.CoreMotionEventOutput()
    if stop_input.kind is StopKind.EMERGENCY_STOP:
        then.type = sdk.CoreMotionEventOutputType.ExecEStop
        then.execEStop.eStopLevel = sdk.EStopLevel.Level1
    elif stop_input.kind is StopKind.QUICK_STOP:
        then.type = sdk.CoreMotionEventOutputType.ExecQuickStopSingleAxis
        then.execQuickStopSingleAxis.axis = stop_input.axis
    else:
        then.type = sdk.CoreMotionEventOutputType.StopSingleAxis
        then.stopSingleAxis.axis = stop_input.axis
    return then


def _blocks(values: dict[int, int]) -> Iterator[tuple[int, list[int]]]:
    """Return the values of axes that follow one another, each block with its first axis."""
    for _, numbered in groupby(enumerate(sorted(values)), lambda each: each[1] - each[0]):
        axes = [axis for _, axis in numbered]
        yield axes[0], [values[axis] for axis in axes]


def _is_there(session: SdkSession, number: int) -> bool:
    """Whether the engine has an event of this number, or does not answer in time."""
    try:
        session.events.GetEventModuleId(number)
    except CommandRefused as refused:
        return refused.name in TIMED_OUT
    return True
