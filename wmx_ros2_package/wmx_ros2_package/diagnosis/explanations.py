"""Why an axis does not move: everything that blocks it now, and the command that clears it.

"Nothing moves" is the first question of every user. The answer is reckoned from what the engine,
the network, the node and the other nodes say; a command is ready to be pasted into a terminal.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..drivers.parameters.axis_parameters import AxisParameters
from ..drivers.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    LimitType,
    MotionStatus,
    NetworkState,
    OperationState,
    SlaveInfo,
)
from .device_codes import al_status_in_words, alarm_in_words


class Block(NamedTuple):
    """One thing that blocks motion; `clear` is a command, or says in words what helps."""

    reason: str
    clear: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that is known when somebody asks; what is not known is left out."""

    node: str
    """Who moves the axes, by its full name."""
    lifecycle: str = "active"
    engine_state: EngineState | None = None
    """None without an engine."""
    status: MotionStatus | None = None
    networks: Sequence[NetworkState] = ()
    """In the order of their master ids."""
    parameters: Mapping[int, AxisParameters] = field(default_factory=dict)
    owners: Mapping[int, str] = field(default_factory=dict)
    """Who owns which axis."""

    @property
    def namespace(self) -> str:
        """Where the node's services are: "" or "/robot"."""
        return self.node.rpartition("/")[0]


def explanation(axis: int, situation: Situation) -> str:
    """All that blocks `axis`, in the order in which it is to be cleared."""
    found = blocks(axis, situation)
    if not found:
        return f"axis {axis}: nothing blocks motion"
    lines = [f"axis {axis}:"]
    for reason, clear in found:
        lines += [f"- {reason}", f"    {clear}"]
    return "\n".join(lines)


def blocks(axis: int, situation: Situation) -> list[Block]:
    """All that blocks `axis`; what hides everything behind it comes alone."""
    if general := list(_general(situation)):
        return general
    status = situation.status
    if status is None or not 0 <= axis < status.axes:
        count = status.axes if status else 0
        return [Block(f"the engine has no axis {axis}", f"it has the axes 0 to {count - 1}")]
    return [
        *_by_emergency_stop(situation, status),
        *_by_slave(axis, situation, status),
        *_by_drive(axis, situation, status),
        *_by_mode(axis, situation, status),
        *_by_limits(axis, situation, status),
        *_by_others(axis, situation, status),
    ]


def slaves_by_axis(networks: Sequence[NetworkState]) -> list[tuple[NetworkState, SlaveInfo]]:
    """Which slave moves which axis: axes are numbered along the ring, master after master."""
    return [
        (network, slave)
        for network in networks
        for slave in network.slaves
        for _ in range(slave.axes)
    ]


def _general(situation: Situation) -> Iterator[Block]:
    """What blocks every axis, so that nothing else is known."""
    if situation.lifecycle != "active":
        yield Block(
            f"{situation.node} is {situation.lifecycle}",
            f"ros2 lifecycle set {situation.node} "
            + ("configure" if situation.lifecycle == "unconfigured" else "activate"),
        )
    elif situation.engine_state in (None, EngineState.IDLE, EngineState.SHUTDOWN):
        yield Block("there is no engine", _set_device(situation))
    elif situation.engine_state is not EngineState.COMMUNICATING:
        if situation.status is not None and situation.status.invalid_licence:
            yield Block("the engine has no valid licence", "install one, then start communication")
        yield Block("the network does not communicate", _set_communication(situation))


def _by_emergency_stop(situation: Situation, status: MotionStatus) -> Iterator[Block]:
    if status.emergency_stop is not None:
        level = "final" if status.emergency_stop is EmergencyStop.FINAL else "level 1"
        yield Block(
            f"an emergency stop ({level}) is active",
            _call(situation, "wmx/engine/estop", "std_srvs/srv/SetBool", "{data: false}"),
        )


def _by_slave(axis: int, situation: Situation, status: MotionStatus) -> Iterator[Block]:
    slaves = slaves_by_axis(situation.networks)
    network, slave = slaves[axis] if axis < len(slaves) else (None, None)
    if network is None or slave is None:
        if status.servo_offline[axis]:
            yield Block("its drive is offline", _start_hotconnect(situation, 0))
        return
    name = f"its drive, slave {slave.id} of master {network.master_id},"
    if slave.offline or slave.inaccessible:
        where = "is behind a broken line" if slave.inaccessible else "is offline"
        yield Block(f"{name} {where}", _start_hotconnect(situation, network.master_id))
    elif slave.state is not EcState.OP:
        why = f": {al_status_in_words(slave.al_status_code)}" if slave.al_status_code else ""
        yield Block(
            f"{name} is in state {slave.state.name}, not OP{why}",
            _start_hotconnect(situation, network.master_id),
        )
    elif status.servo_offline[axis]:
        yield Block(f"{name} is not reached", _start_hotconnect(situation, network.master_id))


def _by_drive(axis: int, situation: Situation, status: MotionStatus) -> Iterator[Block]:
    if status.amp_alarm[axis]:
        code = int(status.alarm_code[axis])
        yield Block(
            f"its drive has alarm {alarm_in_words(code)}", _set_axis(situation, "clear_alarm", axis)
        )
    elif status.following_error_alarm[axis]:
        yield Block(
            "it has an alarm: its following error was too large",
            _set_axis(situation, "clear_alarm", axis),
        )
    if not status.servo_on[axis]:
        yield Block("its servo is off", _set_axis(situation, "set_on", axis, 1))


def _by_mode(axis: int, situation: Situation, status: MotionStatus) -> Iterator[Block]:
    mode = int(status.command_mode[axis])
    if mode == CommandMode.POSITION:
        return
    known = mode in list(CommandMode)
    name = CommandMode(mode).name.lower() if known else f"unknown ({mode})"
    yield Block(
        f"it is in {name} mode: positions, jogs and homing are refused",
        _set_axis(situation, "set_mode", axis, CommandMode.POSITION),
    )


def _by_limits(axis: int, situation: Situation, status: MotionStatus) -> Iterator[Block]:
    hard = {+1: status.positive_ls[axis], -1: status.negative_ls[axis]}
    on = {direction: ["limit switch"] if is_on else [] for direction, is_on in hard.items()}
    parameters = situation.parameters.get(axis)
    if parameters is not None and status.home_done[axis]:
        for direction in _soft_limits_reached(parameters, float(status.pos_cmd[axis])):
            on[direction].append("soft limit")
    for direction, limits in on.items():
        side, free = ("positive", "negative") if direction > 0 else ("negative", "positive")
        for limit in limits:
            yield Block(
                f"its {side} {limit} is on: only the {free} way is free",
                _move_by(situation, axis, -0.1 * direction),
            )


def _soft_limits_reached(p: AxisParameters, position: float) -> Iterator[int]:
    """The directions in which `position` is at the soft limit; one that is 0 is none."""
    separate = p.soft_limit_type is LimitType.SEPARATE
    types = (
        (p.positive_soft_limit_type, p.negative_soft_limit_type)
        if separate
        else (p.soft_limit_type, p.soft_limit_type)
    )
    levels = p.soft_limit_positive, p.soft_limit_negative
    for direction, kind, level in zip((+1, -1), types, levels, strict=True):
        if kind is not LimitType.NONE and level and direction * (position - level) >= 0.0:
            yield direction


def _by_others(axis: int, situation: Situation, status: MotionStatus) -> Iterator[Block]:
    stop = _set_axis(situation, "stop", axis, 0)
    if owner := situation.owners.get(axis):
        yield Block(f"it is owned by {owner}", f"{stop}    # or wait until it rests")
    elif (state := int(status.op_state[axis])) in _BUSY:
        yield Block(f"it is {_BUSY[OperationState(state)]}", f"{stop}    # or wait until it rests")


_BUSY = {
    OperationState.HOME: "homing",
    OperationState.STOP: "slowing down",
    OperationState.INTPL: "on a line or spline together with other axes",
    OperationState.VELOCITY: "in an endless velocity motion",
    OperationState.TRQ: "turning with a constant torque",
}
"""What takes no position command, whoever gives it."""


# Commands, ready to be pasted


def _call(situation: Situation, service: str, kind: str, request: str) -> str:
    return f"ros2 service call {situation.namespace}/{service} {kind} '{request}'"


def _set_axis(situation: Situation, verb: str, axis: int, value: int | None = None) -> str:
    data = "" if value is None else f", data: [{int(value)}]"
    return _call(
        situation,
        f"wmx/axis/{verb}",
        "wmx_ros2_message/srv/SetAxis",
        f"{{index: [{axis}]{data}}}",
    )


def _move_by(situation: Situation, axis: int, distance: float) -> str:
    return (
        f"ros2 topic pub --once {situation.namespace}/wmx/axis/position/relative "
        "wmx_ros2_message/msg/AxisPose "
        f"'{{index: [{axis}], target: [{distance}], velocity: [0.1], acc: [1.0], dec: [1.0]}}'"
    )


def _set_device(situation: Situation) -> str:
    return _call(
        situation, "wmx/engine/set_device", "wmx_ros2_message/srv/SetEngine", "{data: true}"
    )


def _set_communication(situation: Situation) -> str:
    return _call(situation, "wmx/engine/set_comm", "std_srvs/srv/SetBool", "{data: true}")


def _start_hotconnect(situation: Situation, master: int) -> str:
    return _call(
        situation,
        "wmx/ecat/start_hotconnect",
        "wmx_ros2_message/srv/EcatStartHotconnect",
        f"{{master_id: {master}}}",
    )
