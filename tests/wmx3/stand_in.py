"""The vendor's module, played by a simulated engine.

`StandIn.sdk` has the listed surface and the SDK's manner: codes and tuples, lists of commands,
milliseconds, numbers of its own. What is ordered is carried out by a `FakeEngine` in this process;
a listed method that nobody plays here raises NotImplementedError.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, Protocol

import numpy as np
from sdk_surface import SURFACE, SdkObject, build

from wmx_ros2_package.drivers.errors import CommandRefused, WmxError
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.options import DriverOptions
from wmx_ros2_package.drivers.parameters import read_parameters
from wmx_ros2_package.drivers.values import (
    MAX_AXES,
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    LinearMove,
    MasterMode,
    MotionStatus,
    NetworkState,
    OperationState,
    PositionMove,
    SlaveInfo,
    SplineMove,
    TorqueMove,
    VelocityMove,
)
from wmx_ros2_package.drivers.wmx3.device import driver_on


class Engine(Protocol):
    """What plays the engine: a FakeEngine, or what records its calls."""

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of engine, motion, io or ecat."""


def open_wmx3_over(engine: Engine, options: DriverOptions | None = None) -> Driver:
    """The wmx3 backend on a stand-in that `engine` plays, which is this driver's alone.

    No device is attached yet; whatever its path, `engine` is there. Times of its status are those
    of this process's steady clock, whatever clock `engine` has.
    """
    return StandIn(engine).driver(options)


class Refused(CommandRefused):
    """A refusal that comes with values."""

    def __init__(self, code: int, *values: Any) -> None:
        super().__init__(code)
        self.values = values


OUTPUTS = "Get", "Sdo", "ChangeSlaveState", "RegisterRead"
"""How the methods begin that answer a tuple."""


class StandIn:
    """One engine, and the module through which it is reached."""

    def __init__(
        self,
        engine: Engine,
        surface: Mapping[str, Any] = SURFACE,
    ) -> None:
        self.engine = engine
        self.sdk = build(surface, self._do)
        self.calls: list[tuple[Any, ...]] = []
        """Every function that was called, `Class.Method` and its arguments."""
        self.paused: set[int] = set()
        """Axes that wait in the middle of their homing."""
        self.rooms: dict[int, int] = {}
        """Points that the buffers of spline channels hold."""
        self._attached: set[Any] = set()
        self._played = dict(PLAYED)

    def play(self, name: str, act: Callable[..., Any]) -> "StandIn":
        """Let `Class.Method` do something else than what it does here, or something at all."""
        self._played[name] = act
        return self

    def driver(self, options: DriverOptions | None = None) -> Driver:
        """The backend on this module."""
        return driver_on(self.sdk, options or DriverOptions())

    def attached(self) -> Driver:
        """A driver whose device is attached; what that took is forgotten."""
        driver = self.driver()
        driver.engine.create_device("/opt/wmx3", "test")
        self.calls.clear()
        return driver

    def called(self, name: str) -> list[tuple[Any, ...]]:
        """The arguments of each call of a function."""
        return [args for called, *args in self.calls if called == name]

    def order(self, method: str, *args: Any, **kwargs: Any) -> Any:
        return self.engine.call("motion", method, *args, **kwargs)

    def code(self, name: str) -> int:
        """The number of an error."""
        classes = [getattr(self.sdk, errors) for errors in SURFACE["errors"]]
        return next(getattr(c, name) for c in classes if hasattr(c, name))

    def name_of(self, enum: str, number: int) -> str:
        """What one of the SDK's numbers is called, in our capitals."""
        members = vars(getattr(self.sdk, enum)).items()
        return next(name for name, value in members if value == number).upper()

    def refuse(self, name: str) -> NoReturn:
        raise CommandRefused(self.code(name))

    @cached_property
    def names(self) -> dict[int, str]:
        """Of every error, by its number."""
        classes = [getattr(self.sdk, errors) for errors in SURFACE["errors"]]
        return {code: name for c in classes for name, code in vars(c).items() if type(code) is int}

    def _do(self, name: str, target: SdkObject | None, *args: Any) -> Any:
        """Whatever is done with the module ends up here."""
        kind, method = name.split(".")
        if method == "__init__":
            self._connect(kind, target)
            return None
        if method == "ErrorToString":
            return f"the {kind}'s text of {self.names[args[0]]}"
        self.calls.append((name, *args))
        if name not in self._played:
            raise NotImplementedError(name)
        code, values = self._carry_out(name, target, args)
        if name == "Config.ImportAndSetAll":
            return code, code  # the known defect
        outputs = method.startswith(OUTPUTS) and method != "GetAndExportAll"
        return (code, *values) if outputs else code

    def _carry_out(
        self, name: str, target: SdkObject | None, args: tuple[Any, ...]
    ) -> tuple[int, tuple[Any, ...]]:
        device = target
        while device is not None and device.owner is not None:
            device = device.owner
        try:
            if name == "WMX3Api.CreateDevice":
                self._attached.add(device)
            elif device not in self._attached:
                self.refuse("DeviceIsNull")
            values = self._played[name](self, *args)
            if name == "WMX3Api.CloseDevice":
                self._attached.remove(device)
        except Refused as error:
            return int(error.code), error.values
        except WmxError as error:
            return int(error.code), (None,)
        return 0, values or ()

    def _connect(self, kind: str, target: Any) -> None:
        """Give CoreMotion and AdvancedMotion their parts."""
        for attribute, part in PARTS.get(kind, {}).items():
            object.__setattr__(target, attribute, getattr(self.sdk, part)(target))


PARTS = {
    "CoreMotion": {
        "axisControl": "AxisControl",
        "motion": "Motion",
        "home": "Home",
        "velocity": "Velocity",
        "torque": "Torque",
        "config": "Config",
    },
    "AdvancedMotion": {"advMotion": "AdvMotion"},
}


# What is ordered


def commands_of(args: Sequence[Any]) -> list[Any]:
    """The two forms of a start: one command, or a count and a list."""
    if len(args) == 1 and isinstance(args[0], SdkObject):
        return [*args]
    count, commands = args
    if type(commands) is not list or count != len(commands) or count < 1:
        raise TypeError(f"not a count and a list: {args}")
    return commands


def trapezoid(world: StandIn, profile: Any) -> dict[str, float]:
    if profile.type != world.sdk.ProfileType.Trapezoidal:
        world.refuse("ProfileTypeNotSupported")
    return {"velocity": profile.velocity, "acc": profile.acc, "dec": profile.dec}


def start(method: str, move: Callable[[StandIn, Any], Any]) -> Callable[..., None]:
    def play(world: StandIn, *args: Any) -> None:
        world.order(method, [move(world, command) for command in commands_of(args)])

    return play


def position_move(world: StandIn, command: Any) -> PositionMove:
    profile = trapezoid(world, command.profile)
    return PositionMove(axis=command.axis, target=command.target, **profile)


def velocity_move(world: StandIn, command: Any) -> VelocityMove:
    return VelocityMove(axis=command.axis, **trapezoid(world, command.profile))


def torque_move(_world: StandIn, command: Any) -> TorqueMove:
    return TorqueMove(axis=command.axis, torque=command.torque)


def start_linear(world: StandIn, command: Any) -> None:
    axes = range(command.axisCount)
    world.order(
        "move_linear",
        LinearMove(
            axes=tuple(command.GetAxis(i) for i in axes),
            targets=tuple(command.GetTarget(i) for i in axes),
            **trapezoid(world, command.profile),
        ),
    )


def start_spline(
    world: StandIn, channel: int, command: Any, count: int, points: Any, times: Any
) -> None:
    assert type(points) is type(times) is list
    assert len(points) == len(times) == count
    if channel not in world.rooms:
        world.refuse("ChannelBufferMemoryNotAllocated")
    if world.rooms[channel] < count:
        world.refuse("ChannelNotEnoughSpace")
    axes = range(command.dimensionCount)
    world.order(
        "move_spline",
        SplineMove(
            axes=tuple(command.GetAxis(i) for i in axes),
            times=np.array(times) / 1000.0,
            positions=np.array([[point.GetPos(i) for i in axes] for point in points]),
        ),
    )


def create_room(world: StandIn, channel: int, points: int) -> None:
    if channel in world.rooms:
        world.refuse("ChannelBufferMemoryAlreadyAllocated")
    world.rooms[channel] = points


def free_room(world: StandIn, channel: int) -> None:
    del world.rooms[channel]


def stop(method: str, mode: CommandMode, wrong_mode: str) -> Callable[..., None]:
    """An end of motion that wants its command mode and a servo, as the vendor's do."""

    def play(world: StandIn, selection: Any) -> None:
        axes = selected(selection)
        status = world.order("status")
        if any(status.command_mode[axis] != mode for axis in axes):
            world.refuse(wrong_mode)
        if not all(status.servo_on[axis] for axis in axes):
            world.refuse("ServoOff")
        world.order(method, axes)

    return play


def cancel_homing(world: StandIn, selection: Any) -> None:
    axes = selected(selection)
    if not world.paused.issuperset(axes):
        world.refuse("NotPausedDuringHoming")
    world.paused -= set(axes)
    world.order("stop", axes)


def selected(selection: Any) -> list[int]:
    return [selection.GetAxis(i) for i in range(selection.axisCount)]


def import_and_set_all(world: StandIn, path: str) -> None:
    parameters = read_parameters(path)
    axes = range(world.order("status").axes)
    world.order("apply_parameters", parameters, [parameters.axis(axis) for axis in axes])


def export(world: StandIn, path: str) -> None:
    Path(path).write_text(world.order("parameters").to_xml())


# What is answered


def engine_status(world: StandIn) -> tuple[Any]:
    status = world.sdk.EngineStatus()
    status.state = engine_state(world, world.engine.call("engine", "state"))
    return (status,)


def engine_state(world: StandIn, state: EngineState) -> int:
    return getattr(world.sdk.EngineState, state.name.title())


AXIS_STATUS = {
    "servoOn": "servo_on",
    "servoOffline": "servo_offline",
    "ampAlarm": "amp_alarm",
    "ampAlarmCode": "alarm_code",
    "followingErrorAlarm": "following_error_alarm",
    "homeDone": "home_done",
    "homeSwitch": "home_switch",
    "negativeLS": "negative_ls",
    "positiveLS": "positive_ls",
    "motionComplete": "motion_complete",
    "posCmd": "pos_cmd",
    "velocityCmd": "velocity_cmd",
    "actualPos": "actual_pos",
    "actualVelocity": "actual_velocity",
    "actualTorque": "actual_torque",
    "actualFollowingError": "following_error",
}


def core_status(world: StandIn) -> tuple[Any]:
    """All 128 axes of an engine; those that the machine lacks are offline."""
    sdk, now = world.sdk, world.order("status")
    status = sdk.CoreMotionStatus()
    status.engineState = engine_state(world, now.engine_state)
    status.emergencyStop = now.emergency_stop is not None
    if now.emergency_stop is not None:
        status.emergencyStopLevel = getattr(sdk.EStopLevel, now.emergency_stop.name.title())
    status.SetCycleCounter(0, int(now.cycle))
    for axis in range(MAX_AXES):
        axis_status = sdk.CoreMotionAxisStatus()
        axis_status.homePaused = axis in world.paused
        axis_status.servoOffline = True
        if axis < now.axes:
            fill_axis(sdk, axis_status, now, axis)
        status.SetAxesStatus(axis, axis_status)
    return (status,)


def fill_axis(sdk: Any, axis_status: Any, now: MotionStatus, axis: int) -> None:
    for theirs, ours in AXIS_STATUS.items():
        setattr(axis_status, theirs, getattr(now, ours)[axis].item())
    state = OperationState(now.op_state[axis]).name.title()
    mode = CommandMode(now.command_mode[axis]).name.title()
    axis_status.opState = getattr(sdk.OperationState, state)
    axis_status.axisCommandMode = getattr(sdk.AxisCommandMode, mode)


EC_STATES = {state: state.name.title() for state in EcState} | {EcState.NONE: "PyNone"}
MASTER_MODES = {
    MasterMode.CYCLIC: "CyclicMode",
    MasterMode.PP: "PPMode",
    MasterMode.MONITOR: "MonitorMode",
}
STATISTICS = {
    "commPeriod": "comm_period",
    "totalAxesNum": "total_axes",
    "totalInputSize": "total_input_size",
    "totalOutputSize": "total_output_size",
    "ringNum": "ring_num",
    "totalRxPdoSize": "total_rxpdo_size",
    "totalTxPdoSize": "total_txpdo_size",
    "txDelay": "tx_delay",
    "minTxDelay": "min_tx_delay",
    "maxTxDelay": "max_tx_delay",
    "packetLoss": "packet_loss",
    "packetTimeout": "packet_timeout",
    "overCycle": "over_cycle",
}
SLAVE = {
    "id": "id",
    "position": "position",
    "address": "address",
    "vendorId": "vendor_id",
    "productCode": "product_code",
    "revisionNo": "revision",
    "serialNo": "serial",
    "alias": "alias",
    "alStatusCode": "al_status_code",
    "offline": "offline",
    "inaccessible": "inaccessible",
    "newSlave": "new",
    "reverseSlave": "reverse",
    "inputAddr": "input_address",
    "inputSize": "input_size",
    "outputAddr": "output_address",
    "outputSize": "output_size",
    "numOfAxes": "axes",
    "propagaDelay": "propagation_delay",
}


def master_info(world: StandIn, master_id: int = 0) -> tuple[Any]:
    network: NetworkState = world.engine.call("ecat", "network_state", master_id)
    master = world.sdk.EcMasterInfo()
    master.id = master_id
    master.state = getattr(world.sdk.EcStateMachine, EC_STATES[network.state])
    master.mode = getattr(world.sdk.EcMasterMode, MASTER_MODES[network.mode])
    for theirs, ours in STATISTICS.items():
        setattr(master.statisticsInfo, theirs, int(getattr(network.statistics, ours)))
    master.numOfSlaves = len(network.slaves)
    axis = 0
    for i, info in enumerate(network.slaves):
        master.SetSlaves(i, slave_info(world, info, axis))
        axis += info.axes
    return (master,)


def slave_info(world: StandIn, info: SlaveInfo, first_axis: int) -> Any:
    slave = world.sdk.EcSlaveInfo()
    for theirs, ours in SLAVE.items():
        setattr(slave, theirs, int(getattr(info, ours)))
    slave.state = getattr(world.sdk.EcStateMachine, EC_STATES[info.state])
    for i in range(info.axes):
        axis = world.sdk.EcSlaveAxisInfo()
        axis.axisIndex = first_axis + i
        slave.SetAxisInfo(i, axis)
    for port, neighbor in enumerate(info.neighbors):
        slave.SetPortState(port, 0b101)
        slave.SetNeighbor(port, neighbor)
    return slave


def change_slave_state(world: StandIn, slave_id: int, state: int) -> tuple[int]:
    ours = {getattr(world.sdk.EcStateMachine, name): state for state, name in EC_STATES.items()}
    world.engine.call("ecat", "set_slave_state", 0, slave_id, ours[state])
    return (0,)


def upload(
    world: StandIn, slave_id: int, index: int, subindex: int, kind: int, size: int, _wait: int
) -> tuple[list[int], int, int]:
    """A buffer of `size` bytes, how many of them are the object's, and no abort code."""
    require_sdo_type(world, kind, size)
    data: bytes = world.engine.call("ecat", "read_sdo", 0, slave_id, index, subindex, size)
    return [*data, *(0xEE for _ in range(size - len(data)))], len(data), 0


def download(
    world: StandIn,
    slave_id: int,
    index: int,
    subindex: int,
    kind: int,
    size: int,
    data: list[int],
    _wait: int,
) -> tuple[int]:
    require_sdo_type(world, kind, size)
    assert type(data) is list
    assert len(data) == size
    world.engine.call("ecat", "write_sdo", 0, slave_id, index, subindex, bytes(data))
    return (0,)


def require_sdo_type(world: StandIn, kind: int, size: int) -> None:
    """The vendor moves 1, 2 or 4 bytes as expedited objects, and no others."""
    expedited = kind == world.sdk.EcSdoType.Expedited
    if not expedited and kind != world.sdk.EcSdoType.Normal:
        world.refuse("ArgumentOutOfRange")
    if expedited and size not in (1, 2, 4):
        world.refuse("SlaveActualSizeLargerThanBufferSize")


def set_out_bytes(world: StandIn, address: int, size: int, data: list[int]) -> None:
    assert type(data) is list
    assert len(data) == size
    world.engine.call("io", "set_output_bytes", address, bytes(data))


POSITION, VELOCITY, TORQUE = CommandMode

PLAYED: dict[str, Callable[..., Any]] = {
    "WMX3Api.CreateDevice": lambda w, path, kind, milliseconds, core=-1, affinity=0: None,
    "WMX3Api.CloseDevice": lambda w: None,
    "WMX3Api.SetDeviceName": lambda w, name: None,
    "WMX3Api.StartCommunication": lambda w, ms: w.engine.call("engine", "start_communication"),
    "WMX3Api.StopCommunication": lambda w, ms: w.engine.call("engine", "stop_communication"),
    "WMX3Api.GetEngineStatus": engine_status,
    "CoreMotion.GetStatus": core_status,
    "CoreMotion.ExecEStop": lambda w, level: w.order(
        "emergency_stop", EmergencyStop[w.name_of("EStopLevel", level)]
    ),
    "CoreMotion.ReleaseEStop": lambda w: w.order("release_emergency_stop"),
    "AxisControl.SetServoOn": lambda w, axis, on: w.order("set_servo", axis, on=bool(on)),
    "AxisControl.ClearAmpAlarm": lambda w, axis: w.order("clear_alarm", axis),
    "AxisControl.ClearAxisAlarm": lambda w, axis: None,
    "AxisControl.SetAxisCommandMode": lambda w, axis, mode: w.order(
        "set_command_mode", axis, CommandMode[w.name_of("AxisCommandMode", mode)]
    ),
    "Motion.StartPos": start("move_absolute", position_move),
    "Motion.StartMov": start("move_relative", position_move),
    "Motion.StartJog": start("jog", velocity_move),
    "Motion.StartLinearIntplPos": start_linear,
    "Motion.Stop_AxisSel": stop("stop", POSITION, "NotPosMode"),
    "Motion.ExecQuickStop_AxisSel": stop("quick_stop", POSITION, "NotPosMode"),
    "Home.StartHome": lambda w, axis: w.order("home", axis),
    "Home.Cancel_AxisSel": cancel_homing,
    "Velocity.StartVel": start("move_velocity", velocity_move),
    "Velocity.Stop_AxisSel": stop("stop", VELOCITY, "NotVelocityMode"),
    "Velocity.ExecQuickStop_AxisSel": stop("quick_stop", VELOCITY, "NotVelocityMode"),
    "Torque.StartTrq": start("move_torque", torque_move),
    "Torque.StopTrq_AxisSel": stop("stop", TORQUE, "NotTrqMode"),
    "Config.SetAxisPolarity": lambda w, axis, polarity: w.order("set_polarity", axis, polarity),
    "Config.SetGearRatio": lambda w, axis, numerator, denominator: w.order(
        "set_gear_ratio", axis, numerator, denominator
    ),
    "Config.ImportAndSetAll": import_and_set_all,
    "Config.GetAndExportAll": export,
    "AdvMotion.GetSplineBufferPoints": lambda w, channel: (w.rooms.get(channel, 0),),
    "AdvMotion.CreateSplineBuffer": create_room,
    "AdvMotion.FreeSplineBuffer": free_room,
    "AdvMotion.StartCSplinePos_PointTime": start_spline,
    "Io.GetInBit": lambda w, at, bit: (int(w.engine.call("io", "input_bit", at, bit)),),
    "Io.GetOutBit": lambda w, at, bit: (int(w.engine.call("io", "output_bit", at, bit)),),
    "Io.SetOutBit": lambda w, at, bit, on: w.engine.call(
        "io", "set_output_bit", at, bit, value=bool(on)
    ),
    "Io.GetInBytes": lambda w, at, size: ([*w.engine.call("io", "input_bytes", at, size)],),
    "Io.GetOutBytes": lambda w, at, size: ([*w.engine.call("io", "output_bytes", at, size)],),
    "Io.SetOutBytes": set_out_bytes,
    "Ecat.GetMasterInfo": master_info,
    "Ecat.ScanNetwork": lambda w: w.engine.call("ecat", "scan_network", 0),
    "Ecat.StartHotconnect": lambda w: w.engine.call("ecat", "start_hotconnect", 0),
    "Ecat.ChangeSlaveState": change_slave_state,
    "Ecat.SdoUpload_SdoType_WaitTime": upload,
    "Ecat.SdoDownload_SdoType_WaitTime": download,
}
