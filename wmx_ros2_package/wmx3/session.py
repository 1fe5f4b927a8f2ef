"""A device that is attached to the engine: the SDK's objects that act on it.

The SDK makes one API object per device. They are not guarded by a lock here, so that looking at
the status never waits for another thread's command; the vendor allows several threads on one
device, at the price of delays (only its Wait does not stand that, and is not used).
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import MAX_AXES, EngineState

from .byte_arrays import ByteArrays
from .cycle_watch import CycleWatch
from .sdk import SUCCESS, Enums, Part, Sdk

T = TypeVar("T")
SOME_CYCLES = 0.02
"""How long an engine that lives takes to count some cycles, s."""


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
        self._device = sdk.WMX3Api()
        self._own: dict[Any, Any] = {}

    def own(self, kind: "Callable[[SdkSession], T]") -> T:
        """The `kind` of this device, which is made when it is first asked for."""
        if kind not in self._own:
            self._own[kind] = kind(self)
        made: T = self._own[kind]
        return made

    @cached_property
    def api(self) -> Part:
        return self._part(self._device)

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
        advanced_motion = self.sdk.AdvancedMotion(self._device)
        return self._part(advanced_motion.advMotion, advanced_motion)

    @cached_property
    def io(self) -> Part:
        return self._part(self.sdk.Io(self._device))

    @cached_property
    def user_memory(self) -> Part:
        return self._part(self.sdk.UserMemory(self._device))

    @cached_property
    def events(self) -> Part:
        return self._part(self.sdk.EventControl(self._device))

    @cached_property
    def ecat(self) -> Part:
        return self._part(self.sdk.Ecat(self._device))

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
        status = self.core.GetStatus()
        if status.engineState == self.sdk.EngineState.Communicating:
            self.cycle_watch.seen(status.GetCycleCounter(0))
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
        first = self._counted()
        self.time.sleep(SOME_CYCLES)
        return first is not None and self._counted() not in (None, first)

    def _counted(self) -> int | None:
        """The cycle counter, or None where the engine does not communicate."""
        code, status = self._core_motion.GetStatus()
        if code != SUCCESS or status.engineState != self.sdk.EngineState.Communicating:
            return None
        cycles: int = status.GetCycleCounter(0)
        return cycles

    def _part(self, target: Any, texts: Any = None) -> Part:
        return Part(self.sdk, target, texts, self.lives)

    @cached_property
    def _core_motion(self) -> Any:
        return self.sdk.CoreMotion(self._device)

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
