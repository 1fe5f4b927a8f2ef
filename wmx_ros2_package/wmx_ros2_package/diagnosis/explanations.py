"""Why an axis does not move: everything that blocks it now, and the command that clears it.

"Nothing moves" is the first question of every user. The answer is computed from what the engine,
the network and the owners of the axes show; a command is ready to be pasted into a terminal.
"""

from collections.abc import Iterable, Iterator

from wmx_core.device_codes import al_status_in_words
from wmx_core.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    MotionStatus,
    OperationState,
    SlaveInfo,
)

from ..control.conditions import (
    AMP_ALARM,
    FOLLOWING_ERROR,
    LIMITS,
    SERVO_OFF,
    conditions_of,
)
from ..control.settings.document import Loss
from ..control.settings.kept import WORDS
from ..control.speed import PAUSED
from .blockers import ALL_AXES, Blocker
from .blockers import BlockerCode as Code
from .snapshot import FULL, Snapshot, slaves_by_axis

ONE_SYSTEM = "OK"
SEVERAL_SYSTEMS = (
    "another system has the same names in this ROS domain and namespace, or was killed within the "
    "last 20 s"
)
"""What the machine answers beside the explanations."""
EMERGENCY_STOPS = {
    EmergencyStop.FINAL: (Code.EMERGENCY_STOP_FINAL, "an emergency stop (final) is active"),
    EmergencyStop.LEVEL1: (Code.EMERGENCY_STOP, "an emergency stop (level 1) is active"),
}
OUT_OF_POSITION = "its motor stands {} u from its command, which rests"


def explanation(axis: int, found: Iterable[Blocker], snapshot: Snapshot | None = None) -> str:
    """What is `found` to block `axis`, in the order in which it is to be cleared.

    Where nothing does, it is why it moves slower than it is asked to.
    """
    own = [blocker for blocker in found if blocker.concerns(axis)]
    if not own:
        words = f"axis {axis}: nothing blocks motion"
        if snapshot is None or snapshot.speed == FULL:
            return words
        full = _wmx(snapshot, "speed", FULL.percent)
        return f"{words}; all axes move at {snapshot.speed.percent} % of their speed: {full}"
    lines = [f"axis {axis}:"]
    for blocker in own:
        lines += [f"- {blocker.reason}", f"    {blocker.remedy}"]
    return "\n".join(lines)


def blockers(axes: Iterable[int], snapshot: Snapshot) -> list[Blocker]:
    """All that blocks `axes`; what hides everything behind it comes alone.

    What concerns the whole machine comes once, and first.
    """
    if general := list(_general(snapshot)):
        return general
    assert snapshot.status is not None, "an engine that communicates has a status"
    status = snapshot.status
    found = [
        *_by_lost_file(snapshot),
        *_by_held_time(snapshot),
        *_by_emergency_stop(snapshot, status),
        *_by_pause(snapshot),
        *_by_shared_names(snapshot),
    ]
    for axis in axes:
        found += _of_axis(axis, snapshot, status)
    return found


def _of_axis(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    if not 0 <= axis < status.axes:
        yield Blocker(
            axis=axis,
            code=Code.NO_SUCH_AXIS,
            reason=f"the engine has no axis {axis}",
            remedy=f"it has the axes 0 to {status.axes - 1}",
        )
        return
    yield from _by_stop_input(axis, snapshot)
    yield from _by_loss(axis, snapshot)
    yield from _by_slave(axis, snapshot, status)
    yield from _by_place(axis, snapshot)  # first: a servo that is off pulls no motor that is freed
    yield from _by_drive(axis, snapshot, status)
    yield from _by_mode(axis, snapshot, status)
    yield from _by_limits(axis, snapshot, status)
    yield from _by_others(axis, snapshot, status)


def _general(snapshot: Snapshot) -> Iterator[Blocker]:
    """What blocks every axis, so that nothing else is known."""
    if not snapshot.active:
        yield Blocker(
            axis=ALL_AXES,
            code=Code.NODE_INACTIVE,
            reason=f"{snapshot.node} is inactive",
            remedy=_wmx(snapshot, "node", "activate", snapshot.node.rpartition("/")[2]),
            node=snapshot.node,
        )
    elif snapshot.engine_state in (None, EngineState.IDLE, EngineState.SHUTDOWN):
        yield Blocker(
            axis=ALL_AXES,
            code=Code.NO_ENGINE,
            reason="there is no engine",
            remedy=_wmx(snapshot, "engine", "start"),
        )
    elif snapshot.status is None or snapshot.engine_state is not EngineState.COMMUNICATING:
        if snapshot.status is not None and snapshot.status.invalid_licence:
            yield Blocker(
                axis=ALL_AXES,
                code=Code.NO_LICENCE,
                reason="the engine has no valid licence",
                remedy="install one, then start communication",
            )
        yield Blocker(
            axis=ALL_AXES,
            code=Code.NOT_COMMUNICATING,
            reason="the network does not communicate",
            remedy=_wmx(snapshot, "engine", "start"),
        )


def _by_lost_file(snapshot: Snapshot) -> Iterator[Blocker]:
    if snapshot.file_problem:
        yield Blocker(
            axis=ALL_AXES,
            code=Code.SHARED_FILE_LOST,
            reason=f"the file of owners and stops is lost: {snapshot.file_problem}",
            remedy="let its folder be there and writable: the nodes put it back by themselves",
        )


def _by_held_time(snapshot: Snapshot) -> Iterator[Blocker]:
    if snapshot.time_is_held:
        yield Blocker(
            axis=ALL_AXES,
            code=Code.TIME_HELD,
            reason="the time of the simulated engine is held",
            remedy=_wmx(snapshot, "faults", "play", "run_time"),
        )


def _by_emergency_stop(snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    if status.emergency_stop is not None:
        code, words = EMERGENCY_STOPS[status.emergency_stop]
        yield Blocker(axis=ALL_AXES, code=code, reason=words, remedy=_wmx(snapshot, "release"))


def _by_pause(snapshot: Snapshot) -> Iterator[Blocker]:
    if snapshot.speed.paused:
        remedy = _wmx(snapshot, "resume")
        yield Blocker(axis=ALL_AXES, code=Code.PAUSED, reason=PAUSED, remedy=remedy)


def _by_shared_names(snapshot: Snapshot) -> Iterator[Blocker]:
    if any(name.startswith(f"{node}/") for name, node in snapshot.shared_names.items()):
        yield Blocker(  # a service of the node's own: all names are shared, not just absolute ones
            axis=ALL_AXES,
            code=Code.SHARED_NAME,
            reason=SEVERAL_SYSTEMS,
            remedy="give one of the two another ROS_DOMAIN_ID or namespace; "
            "one that has ended is forgotten after 20 s",
        )
        return
    for name, node in snapshot.shared_names.items():
        yield Blocker(
            axis=ALL_AXES,
            code=Code.SHARED_NAME,
            reason=f"{name} of {node} is served by another node, too, or was within the last "
            "20 s: its commands are refused",
            remedy="start one of the two with absolute_names:=move, or end it",
            node=node,
        )


def _by_stop_input(axis: int, snapshot: Snapshot) -> Iterator[Blocker]:
    if place := snapshot.stopped_by.get(axis):
        yield Blocker(
            axis=axis,
            code=Code.STOP_INPUT,
            reason=f"its stop input {place} is on",
            remedy=f"let the input go off, or: {_wmx(snapshot, 'stop-input', axis, 'none')}",
        )


def _by_loss(axis: int, snapshot: Snapshot) -> Iterator[Blocker]:
    as_it_is = _wmx(snapshot, "confirm", axis)
    for loss in snapshot.lost.get(axis, ()):
        code, again = _LOST[loss]
        instead = _wmx(snapshot, again.format(axis=axis))
        yield Blocker(
            axis=axis,
            code=code,
            reason=WORDS[loss],
            remedy=f"{as_it_is}    # lets it be as it is now; or: {instead}",
        )


_LOST = {
    Loss.PARAMETERS: (Code.PARAMETERS_LOST, "params load FILE"),
    Loss.MODE: (Code.MODE_LOST, "mode {axis} MODE"),
    Loss.REFERENCE: (Code.REFERENCE_LOST, "home {axis}"),
    Loss.POSITION_OUTPUT: (Code.POSITION_OUTPUT_LOST, "position-output {axis} ..."),
}
"""Each with what sets it again."""


def _by_slave(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    slaves = slaves_by_axis(snapshot.networks)
    if axis >= len(slaves):
        if status.servo_offline[axis]:
            yield Blocker(
                axis=axis,
                code=Code.DRIVE_OFFLINE,
                reason="its drive is offline",
                remedy=_rejoin(snapshot, 0),
            )
        return
    network, slave = slaves[axis]
    if (found := _of_slave(slave, status, axis)) is not None:
        code, words = found
        master = network.master_id
        yield Blocker(
            axis=axis,
            code=code,
            reason=f"its drive, slave {slave.id} of master {master}, {words}",
            remedy=_to_op(snapshot, master, slave)
            if code is Code.SLAVE_NOT_OP
            else _rejoin(snapshot, master),
            master=master,
            slave=slave.id,
        )


def _of_slave(slave: SlaveInfo, status: MotionStatus, axis: int) -> tuple[Code, str] | None:
    if slave.inaccessible:
        return Code.SLAVE_BEHIND_BREAK, "is behind a broken line"
    if slave.offline:
        return Code.SLAVE_OFFLINE, "is offline"
    if slave.state is not EcState.OP:
        why = f": {al_status_in_words(slave.al_status_code)}" if slave.al_status_code else ""
        return Code.SLAVE_NOT_OP, f"is in state {slave.state.name}, not OP{why}"
    if status.servo_offline[axis]:
        return Code.DRIVE_OFFLINE, "is not reached"
    return None


def _by_drive(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    for condition in conditions_of(status, axis):
        if condition in _OF_DRIVE:
            code, words, verb = _OF_DRIVE[condition]
            yield Blocker(
                axis=axis,
                code=code,
                reason=words.format(condition.describe(status, axis)),
                remedy=_wmx(snapshot, verb, axis),
            )


_OF_DRIVE = {
    AMP_ALARM: (Code.DRIVE_ALARM, "its drive has {}", "clear"),
    FOLLOWING_ERROR: (
        Code.FOLLOWING_ERROR,
        "it has an alarm: its following error was too large",
        "clear",
    ),
    SERVO_OFF: (Code.SERVO_OFF, "its servo is off", "on"),
}


def _by_place(axis: int, snapshot: Snapshot) -> Iterator[Blocker]:
    if (off := snapshot.out_of_position.get(axis)) is not None:
        way_out = "then look at its brake, its encoder and its way"
        yield Blocker(
            axis=axis,
            code=Code.OUT_OF_POSITION,
            reason=OUT_OF_POSITION.format(f"{off:.6g}"),
            remedy=f"{_wmx(snapshot, 'off', axis)}    # {way_out}",
        )


def _by_mode(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    mode = int(status.command_mode[axis])
    if mode == CommandMode.POSITION:
        return
    known = mode in list(CommandMode)
    name = CommandMode(mode).name.lower() if known else f"unknown ({mode})"
    yield Blocker(
        axis=axis,
        code=Code.MODE,
        reason=f"it is in {name} mode: homing, and positions and jogs by wmx/axis, are refused; "
        "a move by wmx/actuator switches it",
        remedy=_wmx(snapshot, "mode", axis, "position"),
    )


def _by_limits(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    for limit in conditions_of(status, axis):
        if limit in LIMITS:
            direction = limit.direction
            side, free = ("positive", "negative") if direction > 0 else ("negative", "positive")
            soft = "soft" in limit.flag
            way = _wmx(snapshot, "move", axis, -0.1 * direction, "--by")
            yield Blocker(
                axis=axis,
                code=Code.SOFT_LIMIT if soft else Code.LIMIT_SWITCH,
                reason=f"its {side} {'soft limit' if soft else 'limit switch'} is on: "
                f"only the {free} way is free",
                remedy=f"{way}    # again until it is off",
                direction=direction,
            )


def _by_others(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    state = int(status.op_state[axis])
    remedy = f"{_wmx(snapshot, 'stop', axis)}    # or wait until it rests"
    owner = snapshot.owners.get(axis, "")
    node = owner.partition(" ")[0]
    if state == OperationState.STOP:
        words = f"it is slowing down, owned by {owner}" if owner else "it is slowing down"
        yield Blocker(
            axis=axis,
            code=Code.SLOWING_DOWN,
            reason=words,
            remedy="wait until it rests",
            node=node,
        )
    elif owner:
        reason = f"it is owned by {owner}"
        yield Blocker(axis=axis, code=Code.OWNED, reason=reason, remedy=remedy, node=node)
    elif state in _BUSY:
        code, words = _BUSY[OperationState(state)]
        yield Blocker(axis=axis, code=code, reason=f"it is {words}", remedy=remedy)


_BUSY = {
    OperationState.HOME: (Code.BUSY, "homing"),
    OperationState.SYNC: (Code.FOLLOWING, "following another axis"),
    OperationState.INTPL: (Code.BUSY, "on a line or spline together with other axes"),
    OperationState.VELOCITY: (Code.BUSY, "in an endless velocity motion"),
    OperationState.TRQ: (Code.BUSY, "turning with a constant torque"),
}
"""States in which an axis takes no position command."""


# Commands of `wmx`, ready to be pasted


def _wmx(snapshot: Snapshot, *words: object) -> str:
    namespace = ["-n", snapshot.namespace] if snapshot.namespace else []
    return " ".join(map(str, (snapshot.program, *words, *namespace)))


def _rejoin(snapshot: Snapshot, master: int) -> str:
    command = _wmx(snapshot, "ecat", "hot-connect", *_of_master(master))
    return f"{command}    # once it has power and its cables are plugged in"


def _to_op(snapshot: Snapshot, master: int, slave: SlaveInfo) -> str:
    return _wmx(snapshot, "ecat", "states", "OP", "--slave", slave.id, *_of_master(master))


def _of_master(master: int) -> tuple[object, ...]:
    return ("--master", master) if master else ()
