"""What the stand-in's functions answer: our values, turned into the SDK's objects."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from wmx_ros2_package.drivers.values import (
    MAX_AXES,
    CommandMode,
    EcState,
    EngineState,
    MasterMode,
    MotionStatus,
    NetworkState,
    OperationState,
    SlaveInfo,
)

if TYPE_CHECKING:
    from stand_in import StandIn


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
    "negativeSoftLimit": "negative_soft_limit",
    "positiveSoftLimit": "positive_soft_limit",
    "motionComplete": "motion_complete",
    "posCmd": "pos_cmd",
    "velocityCmd": "velocity_cmd",
    "actualPos": "actual_pos",
    "actualVelocity": "actual_velocity",
    "actualTorque": "actual_torque",
}
COUNTS_PER_UNIT = 1000.0
"""Of the following error that the drives report, which is in encoder counts."""


def core_status(world: StandIn) -> tuple[Any]:
    """All 128 axes of an engine; those that the machine lacks are offline."""
    sdk, now = world.sdk, world.order("status")
    status = sdk.CoreMotionStatus()
    status.engineState = engine_state(world, now.engine_state)
    status.emergencyStop = now.emergency_stop is not None
    if now.emergency_stop is not None:
        status.emergencyStopLevel = getattr(sdk.EStopLevel, now.emergency_stop.name.title())
    status.invalidLicenseError = now.invalid_licence
    status.SetCycleCounter(0, world.count(int(now.cycle), communicating=now.communicating))
    absent = sdk.CoreMotionAxisStatus()
    absent.servoOffline = True
    # One by one, as a program would set them, they take two thirds of the time of all tests here.
    status.arrays["axesStatus"] = dict.fromkeys(range(MAX_AXES), absent)
    for axis in range(now.axes):
        axis_status = sdk.CoreMotionAxisStatus()
        axis_status.homePaused = axis in world.paused
        fill_axis(sdk, axis_status, now, axis)
        status.SetAxesStatus(axis, axis_status)
    return (status,)


def fill_axis(sdk: Any, axis_status: Any, now: MotionStatus, axis: int) -> None:
    for theirs, ours in AXIS_STATUS.items():
        setattr(axis_status, theirs, getattr(now, ours)[axis].item())
    axis_status.actualFollowingError = now.following_error[axis].item() * COUNTS_PER_UNIT
    # What has no end shows no profile: zeros, as far as is known.
    target, remaining = now.target[axis].item(), now.remaining[axis].item()
    axis_status.profileTargetPos = target if isfinite(target) else 0.0
    axis_status.profileRemainingMilliseconds = remaining * 1000.0 if isfinite(remaining) else 0.0
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
