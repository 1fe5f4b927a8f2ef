"""How the engine, every axis and every slave are, with levels that mean something.

OK is what an operator need not look at, WARN what may soon stop the machine or has slowed it
down, ERROR what has stopped it, STALE what nobody has heard of. The levels are the numbers of
diagnostic_msgs/DiagnosticStatus.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from ..drivers.values import (
    CommandMode,
    EcState,
    EngineState,
    MotionStatus,
    NetworkState,
    OperationState,
    SlaveInfo,
)
from .device_codes import al_status_in_words, alarm_in_words
from .explanations import Situation


class Level(IntEnum):
    """How bad it is."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How one thing is."""

    name: str
    """The same for ever, so that a monitor can follow it."""
    hardware_id: str
    level: Level
    message: str
    values: Mapping[str, str] = field(default_factory=dict)


Counts = Mapping[int, tuple[int, int, int]]
"""What each master has lost, been late for and overrun, by its id."""


def engine_health(
    situation: Situation, hardware_id: str, before: Counts, last_error: str
) -> Health:
    """How the engine and its networks are; what they lost is compared to `before`."""
    state, status = situation.engine_state, situation.status
    values = {
        "state": state.name if state is not None else "none",
        "cycle": str(status.cycle) if status else "",
        "emergency_stop": _emergency_stop(status),
        "licence": "" if status is None else "invalid" if status.invalid_licence else "valid",
        "last_error": last_error,
    }
    lost = []
    for network in situation.networks:
        s, prefix = network.statistics, f"master {network.master_id}"
        values |= {
            f"{prefix} state": network.state.name,
            f"{prefix} cycle_us": str(s.comm_period),
            f"{prefix} packet_loss": str(s.packet_loss),
            f"{prefix} packet_timeout": str(s.packet_timeout),
            f"{prefix} overruns": str(s.over_cycle),
        }
        if _counts(network) > before.get(network.master_id, _counts(network)):
            lost.append(prefix)
    level, message = Level.OK, "communicating"
    if state is None or state is EngineState.IDLE:
        level, message = Level.ERROR, "no engine"
    elif status is not None and status.invalid_licence:
        level, message = Level.ERROR, "no valid licence"
    elif state is not EngineState.COMMUNICATING:
        level, message = Level.WARN, "the network does not communicate"
    elif status is not None and status.emergency_stop is not None:
        level, message = Level.ERROR, f"emergency stop: {_emergency_stop(status)}"
    elif lost:
        level, message = Level.WARN, f"{', '.join(lost)} lost packets or overran its cycle"
    return Health(
        name="wmx: engine", hardware_id=hardware_id, level=level, message=message, values=values
    )


def counts(situation: Situation) -> Counts:
    """What `engine_health` is to compare with the next time."""
    return {network.master_id: _counts(network) for network in situation.networks}


def axis_healths(
    situation: Situation, hardware_id: str, last_errors: Mapping[int, str]
) -> Iterator[Health]:
    """How every axis is, in the order of their numbers."""
    status = situation.status
    for axis in range(status.axes if status else 0):
        if status is None:
            return
        level, message = _axis_level(axis, status)
        yield Health(
            name=f"wmx: axis {axis}",
            hardware_id=f"{hardware_id} axis {axis}",
            level=level if status.communicating else Level.STALE,
            message=message if status.communicating else "the network does not communicate",
            values={
                "operation": _name(OperationState, int(status.op_state[axis])),
                "mode": _name(CommandMode, int(status.command_mode[axis])),
                "servo_on": str(bool(status.servo_on[axis])),
                "home_done": str(bool(status.home_done[axis])),
                "alarm": alarm_in_words(int(status.alarm_code[axis]))
                if status.amp_alarm[axis]
                else "",
                "position": f"{status.actual_pos[axis]:.9g}",
                "velocity": f"{status.actual_velocity[axis]:.9g}",
                "following_error": f"{status.following_error[axis]:.9g}",
                "torque": f"{status.actual_torque[axis]:.4g}",
                "owner": situation.owners.get(axis, ""),
                "last_error": last_errors.get(axis, ""),
            },
        )


def slave_healths(situation: Situation) -> Iterator[Health]:
    """How every slave is, master after master along the ring."""
    for network in situation.networks:
        for slave in network.slaves:
            yield _slave_health(network, slave)


def changed(healths: list[Health], before: Mapping[str, Level]) -> bool:
    """Whether a level is another one than `before`, so that it is to be told at once."""
    return {health.name: health.level for health in healths} != dict(before)


def _axis_level(axis: int, status: MotionStatus) -> tuple[Level, str]:
    if status.servo_offline[axis]:
        return Level.ERROR, "drive offline"
    if status.amp_alarm[axis]:
        return Level.ERROR, f"alarm {alarm_in_words(int(status.alarm_code[axis]))}"
    if status.following_error_alarm[axis]:
        return Level.ERROR, "following error too large"
    for on, name in (
        (status.positive_ls, "positive limit switch on"),
        (status.negative_ls, "negative limit switch on"),
        (status.positive_soft_limit, "positive soft limit reached"),
        (status.negative_soft_limit, "negative soft limit reached"),
    ):
        if on[axis]:
            return Level.WARN, name
    if not status.servo_on[axis]:
        return Level.OK, "servo off"
    if status.op_state[axis] == OperationState.IDLE:
        return Level.OK, "at rest"
    return Level.OK, _name(OperationState, int(status.op_state[axis])).lower()


def _slave_health(network: NetworkState, slave: SlaveInfo) -> Health:
    level, message = Level.OK, slave.state.name
    if slave.inaccessible:
        level, message = Level.ERROR, "behind a broken line"
    elif slave.offline:
        level, message = Level.ERROR, "offline"
    elif slave.state is not EcState.OP:
        running = network.state is EcState.OP
        level = Level.ERROR if running else Level.OK
        message = f"in state {slave.state.name}"
        if slave.al_status_code:
            level = Level.ERROR
            message += f": {al_status_in_words(slave.al_status_code)}"
    elif slave.new or slave.reverse:
        level = Level.WARN
        message = "new on the network" if slave.new else "its cables are the wrong way round"
    return Health(
        name=f"wmx: slave {slave.id} of master {network.master_id}",
        hardware_id=f"{slave.vendor_id:08X}:{slave.product_code:08X}:{slave.serial:08X}",
        level=level,
        message=message,
        values={
            "state": slave.state.name,
            "al_status": al_status_in_words(slave.al_status_code) if slave.al_status_code else "",
            "position": str(slave.position),
            "address": str(slave.address),
            "alias": str(slave.alias),
            "axes": str(slave.axes),
            "input_size": str(slave.input_size),
            "output_size": str(slave.output_size),
        },
    )


def _counts(network: NetworkState) -> tuple[int, int, int]:
    s = network.statistics
    return s.packet_loss, s.packet_timeout, s.over_cycle


def _emergency_stop(status: MotionStatus | None) -> str:
    if status is None or status.emergency_stop is None:
        return ""
    return status.emergency_stop.name


def _name(kind: type[IntEnum], number: int) -> str:
    try:
        return kind(number).name
    except ValueError:
        return f"unknown ({number})"
