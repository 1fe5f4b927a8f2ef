"""WMX3Api and CoreMotion: the device, servos, homing, parameters and the status."""

from pathlib import Path
from typing import Any

from wmx_ros2_package.drivers.errors import WmxError
from wmx_ros2_package.drivers.values import OperationState

from .motion import Motion
from .orders import axes_of
from .parts import NotSimulated, Part
from .progress import Progress
from .runtime import AXES, Runtime
from .structs import CLASSES, Kept, Struct, struct

COUNTS = 1000.0
"""Encoder counts of a user unit, of the axes that the real engine's logs show."""
CoreMotionAxisStatus = struct("CoreMotionAxisStatus")


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


class Home(Part):
    """CoreMotion.home: by the type CurrentPos the command becomes zero."""

    def StartHome(self, axis: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.home(axis))

    def StartHome_AxisSel(self, selection: Any) -> int:
        axes = axes_of(selection)
        return self.runtime.order(lambda: [self.runtime.motion.home(axis) for axis in axes])


class Config(Part):
    """CoreMotion.config: what is set is kept and read back; few of it changes the engine."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._kept: dict[tuple[str, int], Any] = {}

    def ImportAndSetAll(self, path: str) -> int:
        """Load a file of this machine; that of another machine is none of ours."""
        if not Path(path).is_file():
            return 0
        try:
            self.runtime.motion.load_parameters(path)
        except WmxError as error:
            return int(error.code)
        return 0

    def __getattr__(self, name: str) -> Any:
        if name[:3] not in ("Get", "Set") or not name.endswith("Param"):
            return super().__getattr__(name)

        def keep(*args: Any) -> tuple[int, Any]:
            axis = args[0] if args and isinstance(args[0], int) else -1
            if name.startswith("Set"):
                self._kept[name[3:], axis] = args[-1]
                return 0, Struct()
            return 0, self._kept.setdefault((name[3:], axis), Kept())

        return keep

    def SetSingleTurn(self, axis: int, enable: int, counts: int) -> int:
        """Positions are those of one turn from now on."""
        self.runtime.single_turns[axis] = counts / COUNTS if enable else 0.0
        self.runtime.step()
        return 0

    def SetMotionParam(self, axis: int, parameters: Any) -> tuple[int, Any]:
        self._kept["MotionParam", axis] = parameters
        enabled = getattr(parameters, "enableGlobalStartingVelocity", 0)
        velocity = float(getattr(parameters, "globalStartingVelocity", 0.0))
        self.runtime.starting_velocities[axis] = velocity if enabled else 0.0
        return 0, Struct()

    def GetHomeParam(self, axis: int) -> tuple[int, Any]:
        made = CLASSES["Config_HomeParam"]
        return 0, self._kept.setdefault(("HomeParam", axis), made())

    def SetHomeParam(self, axis: int, parameters: Any) -> tuple[int, Any]:
        self._kept["HomeParam", axis] = parameters
        self.runtime.configure(axis, home_position=float(parameters.homePosition))
        if parameters.homeType != self.enums["Config_HomeType"].CurrentPos:
            self.missing.note("Config_HomeType other than CurrentPos")
        return 0, Struct()


PARAMETERS: dict[str, Any] = {
    name: type(name, (Kept,), {})
    for name in [
        "Config_AxisParam",
        "Config_FeedbackParam",
        "Config_MotionParam",
        "Config_LimitParam",
        "Config_EmergencyStopParam",
        "Config_AlarmParam",
        "Config_SyncParam",
        "Config_FlightRecorderParam",
        "Config_SystemParam",
    ]
}


class CoreMotionStatus(Struct):
    """The status of the engine and of its axes, at one cycle."""

    def fill(self, runtime: Runtime) -> None:
        status = runtime.status
        self.engineState = int(status.engine_state)
        self.emergencyStop = status.emergency_stop is not None
        self.axes = [axis_status(runtime, axis) for axis in range(AXES)]

    def GetAxesStatus(self, axis: int) -> Any:
        return self.axes[axis]

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
        self.velocity = Velocity(runtime, missing)
        self.torque = Torque(runtime, missing)
        self.sync = Sync(runtime, missing)

    def GetStatus(self, *_status: Any) -> tuple[int, Any]:
        self.runtime.step()
        status = CoreMotionStatus()
        status.fill(self.runtime)
        status.cycle = self.runtime.cycle
        return 0, status


class Velocity(Part):
    """CoreMotion.velocity."""


class Torque(Part):
    """CoreMotion.torque."""


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
