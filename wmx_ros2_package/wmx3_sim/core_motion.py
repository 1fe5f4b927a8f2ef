"""WMX3Api and CoreMotion: the device, servos, homing, parameters and the status."""

from typing import Any

from wmx_ros2_package.drivers.values import CommandMode, EmergencyStop, OperationState

from .config import Config, Home
from .endless import Torque, Velocity
from .enums import ENUMS
from .motion import Motion
from .parts import NotSimulated, Part
from .progress import Progress
from .runtime import Runtime
from .structs import Struct, struct

_FIELDS = (
    "servoOn servoOffline ampAlarm ampAlarmCode followingErrorAlarm homeDone homeSwitch homePaused "
    "negativeLS positiveLS negativeSoftLimit positiveSoftLimit opState axisCommandMode "
    "motionComplete inPos posSet delayedPosSet cmdDistributionEnd waitingForTrigger "
    "posCmd velocityCmd actualPos actualVelocity actualTorque actualFollowingError "
    "profileTargetPos profileRemainingMilliseconds profileCompletedMilliseconds "
    "profileRemainingDistance profileCompletedDistance"
)
_ZEROS: dict[str, Any] = dict.fromkeys(_FIELDS.split(), 0)
CoreMotionAxisStatus = struct("CoreMotionAxisStatus", None, **_ZEROS)
_ABSENT = CoreMotionAxisStatus()
_ABSENT.servoOffline = True
"""An axis that the machine does not have."""


class WMX3Api(Part):
    """The device: it is there, whatever its path."""

    def CreateDevice(self, *_args: Any) -> int:
        self.runtime.attached = True
        return 0

    def CloseDevice(self) -> int:
        self.runtime.attached = False
        return 0

    def SetDeviceName(self, _name: str) -> int:
        return 0

    def StartCommunication(self, *_milliseconds: int) -> int:
        self.runtime.step()
        return self.runtime.give(self.runtime.device.start_communication)

    def StopCommunication(self, *_milliseconds: int) -> int:
        return self.runtime.give(self.runtime.device.stop_communication)

    def SetWatchdog(self, milliseconds: int) -> int:
        """Kept: a program that has died has no engine any more."""
        self.runtime.watchdog = milliseconds
        return 0

    def GetEngineStatus(self) -> tuple[int, Any]:
        status = struct("EngineStatus")()
        status.state = int(self.runtime.device.state())
        return 0, status

    def GetLibVersion(self) -> tuple[int, int, int, int, int]:
        return 0, 3, 5, 0, 0


class AxisControl(Part):
    """CoreMotion.axisControl."""

    def SetServoOn(self, axis: int, on: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.set_servo(axis, on=bool(on)))

    def SetAxisCommandMode(self, axis: int, mode: int) -> int:
        return self.runtime.order(
            lambda: self.runtime.motion.set_command_mode(axis, CommandMode(mode))
        )

    def ClearAmpAlarm(self, axis: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.clear_alarm(axis))

    def ClearAxisAlarm(self, _axis: int) -> int:
        return 0

    def GetPosCommand(self, axis: int) -> tuple[int, float]:
        return 0, self.runtime.position(axis)

    def GetPosFeedback(self, axis: int) -> tuple[int, float]:
        return 0, float(self.runtime.status.actual_pos[axis])

    def GetVelCommand(self, axis: int) -> tuple[int, float]:
        return 0, float(self.runtime.status.velocity_cmd[axis])


class CoreMotionStatus(Struct):
    """The status of the engine and of its axes, at one cycle."""

    def fill(self, runtime: Runtime) -> None:
        status = runtime.status
        self.engineState = int(status.engine_state)
        self.emergencyStop = status.emergency_stop is not None
        levels = ENUMS["EStopLevel"]
        final = status.emergency_stop is EmergencyStop.FINAL
        self.emergencyStopLevel = levels.Final if final else levels.Level1
        self.invalidLicenseError = status.invalid_licence
        self.axes = [axis_status(runtime, axis) for axis in range(runtime.axes)]

    def GetAxesStatus(self, axis: int) -> Any:
        return self.axes[axis] if 0 <= axis < len(self.axes) else _ABSENT

    def GetCycleCounter(self, _master: int = 0) -> int:
        return int(self.cycle)


def axis_status(runtime: Runtime, axis: int) -> Any:
    """The status of one axis."""
    now, of = runtime.status, Progress(runtime, axis)
    idle = now.op_state[axis] == OperationState.IDLE
    made = CoreMotionAxisStatus()
    made.servoOn = bool(now.servo_on[axis])
    made.servoOffline = bool(now.servo_offline[axis])
    made.ampAlarm = bool(now.amp_alarm[axis])
    made.ampAlarmCode = int(now.alarm_code[axis])
    made.followingErrorAlarm = bool(now.following_error_alarm[axis])
    made.homeSwitch = bool(now.home_switch[axis])
    made.negativeLS, made.positiveLS = bool(now.negative_ls[axis]), bool(now.positive_ls[axis])
    made.negativeSoftLimit = bool(now.negative_soft_limit[axis])
    made.positiveSoftLimit = bool(now.positive_soft_limit[axis])
    made.homePaused = False
    made.axisCommandMode = int(now.command_mode[axis])
    made.profileTargetPos = float(now.target[axis])
    made.homeDone = bool(now.home_done[axis])
    made.opState = int(now.op_state[axis])
    made.posCmd = runtime.shown(axis, float(now.pos_cmd[axis]))
    made.velocityCmd = float(now.velocity_cmd[axis])
    made.actualPos = runtime.shown(axis, float(now.actual_pos[axis]))
    made.actualVelocity = float(now.actual_velocity[axis])
    made.actualTorque = float(now.actual_torque[axis])
    made.actualFollowingError = float(now.pos_cmd[axis] - now.actual_pos[axis])
    made.motionComplete = made.inPos = made.posSet = made.delayedPosSet = bool(idle)
    made.cmdDistributionEnd = bool(idle)
    made.waitingForTrigger = axis in runtime.waiting
    made.profileRemainingMilliseconds = of.remaining_time
    made.profileCompletedMilliseconds = of.completed_time
    made.profileRemainingDistance = of.remaining_distance
    made.profileCompletedDistance = of.completed_distance
    return made


class CoreMotion(Part):
    """The axes."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.motion = Motion(runtime, missing)
        self.axisControl = AxisControl(runtime, missing)
        self.home = Home(runtime, missing)
        self.config = Config(runtime, missing)
        self.velocity = Velocity(runtime, missing, self.motion.overrides)
        self.torque = Torque(runtime, missing)
        self.sync = Sync(runtime, missing)

    def GetStatus(self, *_status: Any) -> tuple[int, Any]:
        self.runtime.step()
        status = CoreMotionStatus()
        status.fill(self.runtime)
        status.cycle = self.runtime.cycle
        return 0, status

    def ExecEStop(self, level: int) -> int:
        final = level == self.enums["EStopLevel"].Final
        stop = EmergencyStop.FINAL if final else EmergencyStop.LEVEL1
        return self.runtime.order(lambda: self.runtime.motion.emergency_stop(stop))

    def ReleaseEStop(self) -> int:
        return self.runtime.order(self.runtime.motion.release_emergency_stop)


class Sync(Part):
    """CoreMotion.sync: a slave goes as far as its master, in the same cycle."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._pairs: dict[int, tuple[int, float]] = {}
        """The master of a slave, and how far the slave is from it."""

    def SetSyncMasterSlave(self, master: int, slave: int, *_options: Any) -> int:
        apart = self.runtime.position(slave) - self.runtime.position(master)
        self._pairs[slave] = master, apart
        self.runtime.watch(self._follow)
        self.runtime.step()
        return 0

    def ResolveSync(self, slave: int) -> int:
        self._pairs.pop(slave, None)
        self.runtime.step()
        return 0

    def _follow(self) -> None:
        for slave, (master, apart) in self._pairs.items():
            place = self.runtime.position(master) + apart
            if place != self.runtime.position(slave):
                self.runtime.put(slave, place)
