"""How the engine, every axis and every slave are, with the levels of `control.conditions`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from wmx_core.device_codes import al_status_in_words, alarm_in_words
from wmx_core.values import (
    CommandMode,
    EcState,
    EngineState,
    MotionStatus,
    NetworkState,
    OperationState,
    SlaveInfo,
)

from ..control.conditions import AMP_ALARM, Level, conditions_of, does
from ..control.settings.kept import WORDS
from .explanations import OUT_OF_POSITION
from .snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticEntry:
    """How one thing is."""

    name: str
    """The same for ever, so that a monitor can follow it."""
    hardware_id: str
    level: Level
    message: str
    values: Mapping[str, str] = field(default_factory=dict)


Counts = Mapping[int, tuple[int, int, int]]
"""What each master has lost, been late for and overrun, by its id."""


def engine_entry(
    snapshot: Snapshot, hardware_id: str, before: Counts, last_error: str
) -> DiagnosticEntry:
    """How the engine and its networks are; what they lost is compared to `before`."""
    state, status = snapshot.engine_state, snapshot.status
    values = {
        "state": state.name if state is not None else "none",
        "cycle": str(status.cycle) if status else "",
        "emergency_stop": _emergency_stop(status),
        "licence": "" if status is None else "invalid" if status.invalid_licence else "valid",
        "last_error": last_error,
    }
    lost = []
    for network in snapshot.networks:
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
    if state in (None, EngineState.IDLE, EngineState.SHUTDOWN):
        level, message = Level.ERROR, "no engine"
    elif status is not None and status.invalid_licence:
        level, message = Level.ERROR, "no valid licence"
    elif state is not EngineState.COMMUNICATING:
        level, message = Level.WARN, "the network does not communicate"
    elif status is not None and status.emergency_stop is not None:
        level, message = Level.ERROR, f"emergency stop: {_emergency_stop(status)}"
    elif lost:
        level, message = Level.WARN, f"{', '.join(lost)} lost packets or overran its cycle"
    return DiagnosticEntry(
        name="wmx: engine", hardware_id=hardware_id, level=level, message=message, values=values
    )


def counts(snapshot: Snapshot) -> Counts:
    """What `engine_entry` is to compare with the next time."""
    return {network.master_id: _counts(network) for network in snapshot.networks}


def axis_entries(
    snapshot: Snapshot, hardware_id: str, last_errors: Mapping[int, str]
) -> Iterator[DiagnosticEntry]:
    """How every axis is, in the order of their numbers."""
    if (status := snapshot.status) is None:
        return
    for axis in range(status.axes):
        level, message = _axis_level(axis, status, snapshot)
        yield DiagnosticEntry(
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
                "owner": snapshot.owners.get(axis, ""),
                "last_error": last_errors.get(axis, ""),
            },
        )


def slave_entries(snapshot: Snapshot) -> Iterator[DiagnosticEntry]:
    """How every slave is, master after master along the ring."""
    for network in snapshot.networks:
        for slave in network.slaves:
            yield _slave_entry(network, slave)


def changed(entries: list[DiagnosticEntry], before: Mapping[str, Level]) -> bool:
    """Whether a level is another one than `before`, so that it is to be published at once."""
    return {entry.name: entry.level for entry in entries} != dict(before)


def _axis_level(axis: int, status: MotionStatus, snapshot: Snapshot) -> tuple[Level, str]:
    found = list(conditions_of(status, axis))
    lost = snapshot.lost.get(axis)
    if lost and all(condition.level is not Level.ERROR for condition in found):
        return Level.ERROR, WORDS[lost[0]]
    if not found:
        if (off := snapshot.out_of_position.get(axis)) is not None:
            return Level.WARN, OUT_OF_POSITION.format(f"{off:.6g}")
        idle = status.op_state[axis] == OperationState.IDLE
        return Level.OK, "at rest" if idle else does(status, axis)
    worst = max(found, key=lambda condition: condition.level)
    return worst.level, worst.describe(status, axis) if worst is AMP_ALARM else worst.words


def _slave_entry(network: NetworkState, slave: SlaveInfo) -> DiagnosticEntry:
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
    return DiagnosticEntry(
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
