"""A dead man inside the engine: events that stop axes which nothing feeds any more.

Each axis has a byte of the engine's user memory. The device that moves the axis sets one of two
bits in it, in turn, and events of the engine act when one of them has been 1 for too long
(DelayMBit): so they do when the process has died, or hangs, and for the next one that moves the
axis they are the same.

Bits 0 and 1 stop an axis in position mode by StopSingleAxis, which is Motion.Stop. No event stops
a velocity, a torque or an axis that follows another: for these, bits 2 and 3 make an emergency stop
of level 1.
"""

from collections.abc import Iterator, Sequence
from math import inf

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.options import require_dead_man
from wmx_core.values import MAX_AXES

from . import commands
from .numbered_events import put_event
from .sdk import user_memory
from .session import SdkSession

STOP_EVENTS, EMERGENCY_EVENTS = 511, 255
"""The events of axis 0; those of the others have lower numbers (maxEvents is 512)."""
BITS = 0, 1
SHORTEST = 0.005
"""How long a bit lasts at least, s: some communication cycles."""


class DeadMan:
    """The axes that one device feeds."""

    def __init__(self, session: SdkSession) -> None:
        self._session = session
        self._first_byte = user_memory(session.sdk) - MAX_AXES
        """Of the last bytes of the user memory, one for each axis."""
        self._bits: dict[int, int] = {}
        """Which of BITS each axis has that is watched."""
        self._changed = -inf
        """When they were changed last, s."""
        self._timeouts: dict[int, float] = {}
        """Of the events that this device has set, by their numbers."""

    def feed(self, axes: Sequence[int], timeout: float) -> None:
        """See `interface.Engine`."""
        require_dead_man(timeout)
        session = self._session
        commands.require_axes(axes, session.axes)
        values = dict.fromkeys(axes, 0)
        if not timeout:
            for axis in axes:
                self._bits.pop(axis, None)
        else:
            self._change_bits(axes)
            status = session.look()
            position, sync = session.sdk.AxisCommandMode.Position, session.sdk.OperationState.Sync
            for axis in axes:
                found = status.GetAxesStatus(axis)
                stops = found.axisCommandMode == position and found.opState != sync
                for bit in BITS:
                    self._have_event(axis, bit, timeout, stops=stops)
                values[axis] = 1 << (self._bits[axis] if stops else 2 + self._bits[axis])
        for first, block in _blocks(values):
            self._write(self._first_byte + first, block)

    def _change_bits(self, axes: Sequence[int]) -> None:
        """Choose the other bit of each axis; of a new one, other than what was left there.

        Each has to last for some cycles, so that the engine finds it changed.
        """
        now = self._session.time.now()
        change = now - self._changed >= SHORTEST
        if change:
            self._changed = now
        for axis in axes:
            if axis not in self._bits:
                left = self._session.user_memory.GetMByte(self._first_byte + axis)
                self._bits[axis] = 0 if left & 0b1010 else 1
            elif change:
                self._bits[axis] ^= 1

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


def _blocks(values: dict[int, int]) -> Iterator[tuple[int, list[int]]]:
    """Return the values of axes that follow one another, each block with its first axis."""
    block: list[int] = []
    first = 0
    for axis in sorted(values):
        if block and axis != first + len(block):
            yield first, block
            block = []
        if not block:
            first = axis
        block.append(values[axis])
    if block:
        yield first, block
