"""WMX3Api and CoreMotion: the device, servos, homing, parameters and the status."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from wmx_core.errors import UNNUMBERED, CommandRefused
from wmx_core.values import CommandMode, EmergencyStop, Gearing, MotionStatus, OperationState

from ..engine.clock import CYCLE
from .config import COUNTS, Config, Home
from .endless import Torque, Velocity
from .enums import ENUMS, ERRORS
from .motion import Motion
from .not_simulated import NotSimulated
from .parts import NO_ERROR, Part, command
from .progress import Progress
from .runtime import Runtime
from .sdk_commands import axes_of, emergency_stop
from .structs import CLASSES, inner, same_fields, struct

CoreMotionAxisStatus = struct("CoreMotionAxisStatus")


class EngineStatus(inner("EngineStatus")):  # type: ignore[misc]
    """The state of the engine."""


CLASSES["EngineStatus"] = EngineStatus
DeviceInfo = struct("DeviceInfo")
DevicesInfo = struct("DevicesInfo", {"Devices": DeviceInfo})
ModuleInfo = struct("ModuleInfo")
WITH_MASTER = 4
"""Arguments of SetSyncGearRatio that engages a gear."""
_IDLE = int(OperationState.IDLE)
_ABSENT = CoreMotionAxisStatus()
_ABSENT.servoOffline = True
"""An axis that the machine does not have."""


class WMX3Api(Part):
    """The engine, whatever the path of a device."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._name = ""
        """What the program calls its device."""

    def CreateDevice(self, *args: Any) -> int:
        self.runtime.device.state()  # raises where the engine has ended
        return self.StartEngine()

    def CloseDevice(self) -> int:
        return NO_ERROR

    def SetDeviceName(self, name: str) -> int:
        self._name = name
        return NO_ERROR

    def GetDeviceName(self) -> tuple[int, str]:
        return NO_ERROR, self._name

    def GetDeviceID(self) -> tuple[int, int]:
        return NO_ERROR, 0

    def StartEngine(self, *_args: Any) -> int:
        """There is an engine as soon as there is a module, unless a program has ended it."""
        self.runtime.engine_ended = False
        return NO_ERROR

    def StopEngine(self, *_milliseconds: int) -> int:
        """It ends for all: no device that was attached is so any more."""
        if self.runtime.status.communicating:
            self.runtime.command_now(self.runtime.device.stop_communication)
        if not self.runtime.engine_ended:
            self.runtime.engine_ended = True
            self.runtime.engine_number += 1
        return NO_ERROR

    def StartCommunication(self, *milliseconds: int) -> int:
        self.runtime.step()
        return self._change(self.runtime.start_communication, *milliseconds)

    def StopCommunication(self, *milliseconds: int) -> int:
        return self._change(self.runtime.device.stop_communication, *milliseconds)

    def _change(self, change: Callable[[], None], milliseconds: int = 0) -> int:
        """Change the network before the call returns; with 0 ms it is only signalled.

        The time of a program of its own passes with its calls: there the change is made at once.
        """
        if milliseconds or not self.runtime.elsewhere:
            return self.runtime.command_now(change)
        self.runtime.signal(change)
        return NO_ERROR

    def SetWatchdog(self, _milliseconds: int) -> int:
        """A program that has died has no engine any more: there is nothing to watch."""
        self.runtime.device.state()
        return NO_ERROR

    def GetAllDevices(self) -> tuple[int, Any]:
        devices, names = DevicesInfo(), self.runtime.device.devices() or (self._name,)
        devices.count = len(names)
        for index, name in enumerate(names):
            device = DeviceInfo()
            device.id, device.name = index, name
            devices.SetDevices(index, device)
        return NO_ERROR, devices

    def GetModuleInfo(self, number: int) -> tuple[int, Any]:
        """What is simulated has no other platform than the simulated one."""
        if number != ENUMS["ModuleId"].SimuPlatform:
            raise CommandRefused(UNNUMBERED, "", "ModuleIsNotLoaded")
        module = ModuleInfo()
        module.id = number
        return NO_ERROR, module

    def GetEngineStatus(self) -> tuple[int, EngineStatus]:
        if self.runtime.elsewhere:
            self.runtime.step()
        status, ended = EngineStatus(), self.runtime.engine_ended
        status.state = ENUMS["EngineState"].Shutdown if ended else int(self.runtime.device.state())
        return NO_ERROR, status


class AxisControl(Part):
    """CoreMotion.axisControl."""

    @command
    def SetServoOn(self, axis: int, on: int) -> None:
        self.runtime.motion.set_servo(axis, on=bool(on))

    @command
    def SetAxisCommandMode(self, axis: int, mode: int) -> None:
        self.runtime.motion.set_command_mode(axis, CommandMode(mode))

    @command
    def ClearAmpAlarm(self, axis: int) -> None:
        self.runtime.motion.clear_alarm(axis)

    @command
    def SetServoOn_AxisSel(self, selection: Any, on: int) -> None:
        for axis in axes_of(selection):
            self.runtime.motion.set_servo(axis, on=bool(on))

    @command
    def SetAxisCommandMode_AxisSel(self, selection: Any, mode: int) -> None:
        for axis in axes_of(selection):
            self.runtime.motion.set_command_mode(axis, CommandMode(mode))

    @command
    def ClearAmpAlarm_AxisSel(self, selection: Any) -> None:
        for axis in axes_of(selection):
            self.runtime.motion.clear_alarm(axis)

    def ClearAxisAlarm_AxisSel(self, _selection: Any) -> int:
        return NO_ERROR

    def GetAxisCommandMode(self, axis: int) -> tuple[int, int]:
        return NO_ERROR, int(self.runtime.status.command_mode[axis])

    def ClearAxisAlarm(self, _axis: int) -> int:
        return NO_ERROR

    def GetPosCommand(self, axis: int) -> tuple[int, float]:
        return NO_ERROR, self.runtime.position(axis)

    def GetPosFeedback(self, axis: int) -> tuple[int, float]:
        return NO_ERROR, float(self.runtime.status.actual_pos[axis])

    def GetVelCommand(self, axis: int) -> tuple[int, float]:
        return NO_ERROR, float(self.runtime.status.velocity_cmd[axis])

    def GetVelFeedback(self, axis: int) -> tuple[int, float]:
        return NO_ERROR, float(self.runtime.status.actual_velocity[axis])


class CoreMotionStatus(inner("CoreMotionStatus")):  # type: ignore[misc]
    """The status of the engine and of its axes, at one cycle."""

    def fill(self, runtime: Runtime) -> None:
        """Take all from the present status of `runtime`."""
        status = runtime.status
        self.engineState = int(status.engine_state)
        self.emergencyStop = status.emergency_stop is not None
        levels = ENUMS["EStopLevel"]
        final = status.emergency_stop is EmergencyStop.FINAL
        self.emergencyStopLevel = levels.Final if final else levels.Level1
        self.invalidLicenseError = status.invalid_licence
        self.SetCycleCounter(0, runtime.count_cycles())
        self.SetCycleTimeMilliseconds(0, 1000.0 * CYCLE)
        # As plain lists: one number of an array at a time takes ten times as long.
        columns = {name: getattr(status, ours).tolist() for name, ours in _COLUMNS.items()}
        self.axes = [axis_status(runtime, axis, columns) for axis in range(runtime.axes)]

    def GetAxesStatus(self, axis: int) -> Any:
        return self.axes[axis] if 0 <= axis < len(self.axes) else _ABSENT


CLASSES["CoreMotionStatus"] = CoreMotionStatus
_COLUMNS = same_fields("CoreMotionAxisStatus", MotionStatus) | {
    "ampAlarmCode": "alarm_code",
    "axisCommandMode": "command_mode",
    "actualFollowingError": "following_error",
    "profileTargetPos": "target",
    "profileRemainingMilliseconds": "remaining",
}
"""The fields of the status of an axis: where `MotionStatus` has them."""


def axis_status(runtime: Runtime, axis: int, columns: Mapping[str, list[Any]]) -> Any:
    """Return the status of one axis, of whose fields most are in `columns`."""
    made = CoreMotionAxisStatus()
    fields = vars(made)
    fields |= {name: column[axis] for name, column in columns.items()}
    if runtime.single_turns:
        fields["posCmd"] = runtime.shown(axis, made.posCmd)
        fields["actualPos"] = runtime.shown(axis, made.actualPos)
    fields["actualFollowingError"] *= COUNTS
    # A motion without end has no profile to show.
    endless = not isfinite(made.profileRemainingMilliseconds)
    remaining = 0.0 if endless else made.profileRemainingMilliseconds * 1000.0
    fields["profileRemainingMilliseconds"] = remaining
    if not isfinite(made.profileTargetPos):
        fields["profileTargetPos"] = 0.0
    complete = made.motionComplete
    fields |= {"inPos": complete, "posSet": complete, "delayedPosSet": complete}
    at_rest = made.opState == _IDLE
    fields["cmdDistributionEnd"] = at_rest
    fields["waitingForTrigger"] = runtime.waits(axis)
    fields["homePaused"] = False
    fields["masterAxis"] = runtime.masters.get(axis, 0)
    if not at_rest:
        of = Progress(runtime, axis)
        fields["profileCompletedMilliseconds"] = of.completed_time
        fields["profileRemainingDistance"] = of.remaining_distance
        fields["profileCompletedDistance"] = of.completed_distance
    return made


class CoreMotion(Part):
    """The axes."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.motion = Motion(runtime, missing)
        self.axisControl = AxisControl(runtime, missing)
        self.home = Home(runtime, missing)
        self.config = Config(runtime, missing)
        self.velocity = Velocity(runtime, missing)
        self.torque = Torque(runtime, missing)
        self.sync = Sync(runtime, missing)

    def GetStatus(self) -> tuple[int, Any]:
        self.runtime.step()
        status = CoreMotionStatus()
        status.fill(self.runtime)
        return NO_ERROR, status

    @command
    def ExecEStop(self, level: int) -> None:
        self.runtime.motion.emergency_stop(emergency_stop(level))

    @command
    def ReleaseEStop(self) -> None:
        self.runtime.motion.release_emergency_stop()


class Sync(Part):
    """CoreMotion.sync: a slave goes as far as its master, or a ratio of it, in the same cycle."""

    def SetSyncMasterSlave(self, master: int, slave: int, *_options: Any) -> int:
        return self._engage(master, slave, 1.0)

    def SetSyncGearRatio(self, *args: Any) -> int:
        if len(args) != WITH_MASTER:
            return self.missing.note("SetSyncGearRatio of an axis that follows already")
        master, slave, ratio, _profile = args
        return self._engage(master, slave, ratio)

    def SyncToJog(self, slave: int, *profile: Any) -> int:
        known = self.runtime.motion.parameters().axis(slave).quick_stop_dec
        if not profile or profile[0].velocity or profile[0].dec != known:
            return self.missing.note("SyncToJog at a velocity, or with a deceleration of its own")
        return self.ResolveSync(slave)

    def ResolveSync(self, slave: int) -> int:
        if self.runtime.status.op_state[slave] != OperationState.SYNC:
            return int(ERRORS["CoreMotionErrorCode"].NotSyncSlave)
        return self.runtime.command(lambda: self.runtime.motion.quick_stop([slave]))

    @command
    def _engage(self, master: int, slave: int, ratio: float) -> None:
        self.runtime.motion.start_gearing([Gearing(slave=slave, master=master, ratio=ratio)])
        self.runtime.masters[slave] = master
