"""A device that is attached to the engine: the SDK's objects that act on it.

The SDK makes one API object per device. They are not guarded by a lock here, so that looking at
the status never waits for another thread's command; the vendor allows several threads on one
device, at the price of delays (only its Wait does not stand that, and is not used).
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import MAX_AXES, EngineState

from .sdk import SUCCESS, Enums, Part, Sdk

T = TypeVar("T")
SOME_CYCLES = 0.02
"""How long an engine that lives takes to count some cycles, s."""
READINGS = 3
"""How often its cycles are read: two show that it counts, and one may be refused itself."""
STANDSTILL = 1.0
"""An engine that communicates and has counted no cycle for so long is lost, s: a thousand cycles
of the usual length, far more than a busy machine may hold up the reader between two readings."""
DECIDED = 3
"""So many single bytes in a row have to agree, for a byte may change between two calls."""
TRIES = 20
"""How often a block of bytes is read until they do."""


class SdkSession:
    """The parts of the SDK on one new device, made when they are first used."""

    def __init__(self, sdk: Sdk, time: Clock) -> None:
        self.sdk = sdk
        self.enums = Enums(sdk)
        self.time = time
        self.cycle_watch = CycleWatch(time)
        self.byte_arrays = ByteArrays()
        self.axes = MAX_AXES
        """How many axes the status has, see `count_axes`."""
        self.device = sdk.WMX3Api()
        self._own: dict[Any, Any] = {}

    def own(self, kind: "Callable[[SdkSession], T]") -> T:
        """The `kind` of this device, which is made when it is first asked for."""
        if kind not in self._own:
            self._own[kind] = kind(self)
        made: T = self._own[kind]
        return made

    @cached_property
    def api(self) -> Part:
        return self._part(self.device)

    @cached_property
    def core(self) -> Part:
        return self._part(self._core_motion)

    @cached_property
    def axis_control(self) -> Part:
        return self._part(self._core_motion.axisControl, self._core_motion)

    @cached_property
    def motion(self) -> Part:
        return self._part(self._core_motion.motion, self._core_motion)

    @cached_property
    def home(self) -> Part:
        return self._part(self._core_motion.home, self._core_motion)

    @cached_property
    def velocity(self) -> Part:
        return self._part(self._core_motion.velocity, self._core_motion)

    @cached_property
    def torque(self) -> Part:
        return self._part(self._core_motion.torque, self._core_motion)

    @cached_property
    def sync(self) -> Part:
        return self._part(self._core_motion.sync, self._core_motion)

    @cached_property
    def config(self) -> Part:
        return self._part(self._core_motion.config, self._core_motion)

    @cached_property
    def adv_motion(self) -> Part:
        advanced_motion = self.sdk.AdvancedMotion(self.device)
        return self._part(advanced_motion.advMotion, advanced_motion)

    @cached_property
    def io(self) -> Part:
        return self._part(self.sdk.Io(self.device))

    @cached_property
    def user_memory(self) -> Part:
        return self._part(self.sdk.UserMemory(self.device))

    @cached_property
    def events(self) -> Part:
        return self._part(self.sdk.EventControl(self.device))

    @cached_property
    def ecat(self) -> Part:
        return self._part(self.sdk.Ecat(self.device))

    def state(self) -> EngineState:
        """The state that the engine reports; EngineLost if it communicates and counts no cycles."""
        number = self.api.GetEngineStatus().state
        state = self.enums.engine_states.ours.get(number, EngineState.UNKNOWN)
        if state is EngineState.COMMUNICATING:
            self.look()
        return state

    def require_communication(self) -> None:
        """Refuse with CommNotStarted what has no effect, or answers old values, without it."""
        if self.look().engineState != self.sdk.EngineState.Communicating:
            raise CommandRefused(ErrorCode.CommNotStarted)

    def look(self) -> Any:
        """The newest CoreMotionStatus of an engine that lives."""
        asked = self.time.now()
        status = self.core.GetStatus()
        if status.engineState == self.sdk.EngineState.Communicating:
            self.cycle_watch.seen(status.GetCycleCounter(0), asked)
        else:
            self.cycle_watch.forget()
        return status

    def count_axes(self) -> None:
        """Let the status reach to the last axis of a slave, or that is online; else to the last.

        The engine itself always has 128 axes, most of them without a drive, and reading them all
        would cost every reader of the status its time.
        """
        self.axes = 1 + max([*self._axes_of_slaves(), *self._axes_online()], default=MAX_AXES - 1)

    def lives(self) -> bool:
        """Whether the engine counts cycles, whatever it has answered to a call."""
        counted = {self._counted()}
        for _ in range(READINGS - 1):
            self.time.sleep(SOME_CYCLES)
            counted.add(self._counted())
            if len(counted - {None}) > 1:
                return True
        return False

    def _counted(self) -> int | None:
        """The cycle counter, or None where the engine does not communicate, or refuses it."""
        code, status = self._core_motion.GetStatus()
        if code != SUCCESS or status.engineState != self.sdk.EngineState.Communicating:
            return None
        cycles: int = status.GetCycleCounter(0)
        return cycles

    def _part(self, target: Any, texts: Any = None) -> Part:
        return Part(self.sdk, target, texts, self.lives)

    @cached_property
    def _core_motion(self) -> Any:
        return self.sdk.CoreMotion(self.device)

    def _axes_of_slaves(self) -> list[int]:
        try:
            master = self.ecat.GetMasterInfo()
        except CommandRefused:  # another kind of network, or none yet
            return []
        slaves = [master.GetSlaves(i) for i in range(master.numOfSlaves)]
        return [slave.GetAxisInfo(i).axisIndex for slave in slaves for i in range(slave.numOfAxes)]

    def _axes_online(self) -> list[int]:
        status = self.core.GetStatus()
        return [axis for axis in range(MAX_AXES) if not status.GetAxesStatus(axis).servoOffline]


class CycleWatch:
    """The cycle counter, and since when it shows the same.

    The status is read from memory that outlives the engine: after a crash that may show for ever
    that it communicates. What a dead engine does not do any more is count its cycles.
    """

    def __init__(self, time: Clock) -> None:
        self._time = time
        self._beat: tuple[int, float] | None = None

    def seen(self, cycle: int, asked: float) -> None:
        """Note that the engine reports to communicate, at `cycle`; EngineLost if that stays.

        `asked` is when the reading began, s. The reader may be held up between two readings and
        within each: an engine is lost that shows the same cycle in a reading that begins
        STANDSTILL after the end of another.
        """
        beat = self._beat
        if beat is None or beat[0] != cycle:
            self._beat = cycle, self._time.now()
        elif asked - beat[1] >= STANDSTILL:
            raise EngineLost(
                ErrorCode.StatusChannelError,
                f"the engine reports that it communicates, but its cycle counter stands at {cycle} "
                f"since {asked - beat[1]:.1f} s",
            )

    def forget(self) -> None:
        """The engine does not communicate, so it counts no cycles."""
        self._beat = None


class ByteArrays:
    """What the elements are of the blocks of bytes that a binding returns as lists of int.

    The wrapper passes an array of int for the C function to fill with bytes (GetInBytesEx,
    SdoUpload of the Linux and the Windows module). Whether each element is a byte then, or four of
    them as they stand in memory, low byte first, is not documented. An element above 255 is four.
    Where a list may be either, and both do not mean the same, a function that reads a single byte
    decides.
    """

    def __init__(self) -> None:
        self._are_words: bool | None = None
        """Whether each element is four bytes; None while that is not known."""

    def read(
        self, block: Callable[[], Sequence[int]], length: int, single: Callable[[int], int]
    ) -> bytes:
        """Return `length` bytes of what `block` reads; `single` reads one, by its place in them."""
        votes: list[bool] = []
        for _ in range(TRIES):
            as_bytes, as_words = _both(block(), length)
            if (known := self._known(as_bytes, as_words)) is not None:
                return known
            assert as_bytes is not None
            place = next(i for i in range(length) if as_bytes[i] != as_words[i])
            byte = single(place) & 0xFF
            if byte not in (as_bytes[place], as_words[place]):
                votes.clear()
                continue
            are_words = byte == as_words[place]
            votes.append(are_words)
            if votes[-DECIDED:] == [are_words] * DECIDED:
                self._are_words = are_words
        detail = "the bytes change too quickly to find out what the SDK's arrays hold"
        raise CommandRefused(ErrorCode.NoSupportedFunction, detail)

    def decode(self, data: Sequence[int], length: int) -> bytes:
        """Return `length` bytes of `data`; each element is one unless it is known to be four."""
        as_bytes, as_words = _both(data, length)
        known = self._known(as_bytes, as_words)
        return known if known is not None else as_bytes or b""

    def _known(self, as_bytes: bytes | None, as_words: bytes) -> bytes | None:
        """Return the bytes where it is known which they are, or both are the same."""
        if as_bytes is None:
            self._are_words = True
        if self._are_words or as_bytes == as_words:
            return as_words
        return None if self._are_words is None else as_bytes


def _both(data: Sequence[int], length: int) -> tuple[bytes | None, bytes]:
    """Return `data` with a byte and with four bytes an element; None where it fits no bytes."""
    fits = all(0 <= element <= 0xFF for element in data[:length])
    words = data[: -(-length // 4)]
    as_words = b"".join((int(word) & 0xFFFF_FFFF).to_bytes(4, "little") for word in words)
    return bytes(data[:length]) if fits else None, as_words[:length]
