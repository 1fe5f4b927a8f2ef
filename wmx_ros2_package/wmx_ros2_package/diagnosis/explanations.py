"""Why an axis does not move: everything that blocks it now, and the command that clears it.

"Nothing moves" is the first question of every user. The answer is computed from what the engine,
the network and the owners of the axes show; a command is ready to be pasted into a terminal.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..control.conditions import (
    AMP_ALARM,
    FOLLOWING_ERROR,
    LIMITS,
    OFFLINE,
    SERVO_OFF,
    conditions_of,
)
from ..control.kept_settings import WORDS
from ..control.settings_document import Loss
from ..drivers.device_codes import al_status_in_words
from ..drivers.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    MotionStatus,
    NetworkState,
    OperationState,
    SlaveInfo,
)

ONE_SYSTEM = "OK"
SEVERAL_SYSTEMS = (
    "another system has the same names in this ROS domain and namespace, or was killed within the "
    "last 20 s"
)
"""What the machine answers beside the explanations."""
EMERGENCY_STOPS = {
    EmergencyStop.FINAL: "an emergency stop (final) is active",
    EmergencyStop.LEVEL1: "an emergency stop (level 1) is active",
}
HELD_TIME = "the time of the simulated engine is held"
OF_ALL_AXES = HELD_TIME, *EMERGENCY_STOPS.values()
OUT_OF_POSITION = "its motor stands {} u from its command, which rests"
STOP_INPUT = "its stop input {} is on"
"""What blocks by order of people, for clients that show it apart from the rest."""


def wmx_program() -> str:
    """Return what runs `wmx` on this installation: a colcon workspace has it below `ros2` only."""
    return "wmx" if shutil.which("wmx") or not shutil.which("ros2") else "ros2 wmx"


def start_system() -> str:
    """Return what starts a simulated system here: who has `wmx` has the Makefile, too."""
    if wmx_program() == "wmx":
        return "make run"
    return "ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py"


class Blocker(NamedTuple):
    """One thing that blocks motion; `clear` is a command, or what helps in words."""

    reason: str
    clear: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that is known at the time of a question; what is not known is left out."""

    node: str
    """Who moves the axes, by its full name."""
    program: str = "wmx"
    """What a person types to run `wmx` here, see `wmx_program`."""
    lifecycle: str = "active"
    engine_state: EngineState | None = None
    """None without an engine."""
    status: MotionStatus | None = None
    networks: Sequence[NetworkState] = ()
    """In the order of their master ids."""
    owners: Mapping[int, str] = field(default_factory=dict)
    """Who owns which axis."""
    stopped_by: Mapping[int, str] = field(default_factory=dict)
    """The stop inputs that are on, by their axes, as people write inputs."""
    lost: Mapping[int, Sequence[Loss]] = field(default_factory=dict)
    """What was lost with an engine of what clients have set."""
    time_is_held: bool = False
    """That of a simulated engine, by a script of faults."""
    out_of_position: Mapping[int, float] = field(default_factory=dict)
    """How far motors are off that stand elsewhere than their command rests, u, by their axes."""
    file_problem: str = ""
    """Why the file of owners and stops cannot be used, where it cannot."""

    @property
    def namespace(self) -> str:
        """Where the node's services are: "" or "/robot"."""
        return self.node.rpartition("/")[0]


def explanation(axis: int, snapshot: Snapshot) -> str:
    """All that blocks `axis`, in the order in which it is to be cleared."""
    found = blockers(axis, snapshot)
    if not found:
        return f"axis {axis}: nothing blocks motion"
    lines = [f"axis {axis}:"]
    for reason, clear in found:
        lines += [f"- {reason}", f"    {clear}"]
    return "\n".join(lines)


def blockers(axis: int, snapshot: Snapshot) -> list[Blocker]:
    """All that blocks `axis`; what hides everything behind it comes alone."""
    if general := list(_general(snapshot)):
        return general
    status = snapshot.status
    if status is None or not 0 <= axis < status.axes:
        count = status.axes if status else 0
        return [Blocker(f"the engine has no axis {axis}", f"it has the axes 0 to {count - 1}")]
    return [
        *_by_lost_file(snapshot),
        *_by_held_time(snapshot),
        *_by_emergency_stop(snapshot, status),
        *_by_stop_input(axis, snapshot),
        *_by_loss(axis, snapshot),
        *_by_slave(axis, snapshot, status),
        *_by_drive(axis, snapshot, status),
        *_by_place(axis, snapshot),
        *_by_mode(axis, snapshot, status),
        *_by_limits(axis, snapshot, status),
        *_by_others(axis, snapshot, status),
    ]


def slaves_by_axis(networks: Sequence[NetworkState]) -> list[tuple[NetworkState, SlaveInfo]]:
    """Which slave moves which axis: axes are numbered along the ring, master after master."""
    return [
        (network, slave)
        for network in networks
        for slave in network.slaves
        for _ in range(slave.axes)
    ]


def _general(snapshot: Snapshot) -> Iterator[Blocker]:
    """What blocks every axis, so that nothing else is known."""
    if snapshot.lifecycle != "active":
        yield Blocker(
            f"{snapshot.node} is {snapshot.lifecycle}",
            _wmx(
                snapshot,
                "node",
                "configure" if snapshot.lifecycle == "unconfigured" else "activate",
                snapshot.node.rpartition("/")[2],
            ),
        )
    elif snapshot.engine_state in (None, EngineState.IDLE, EngineState.SHUTDOWN):
        yield Blocker("there is no engine", _wmx(snapshot, "engine", "start"))
    elif snapshot.engine_state is not EngineState.COMMUNICATING:
        if snapshot.status is not None and snapshot.status.invalid_licence:
            yield Blocker(
                "the engine has no valid licence", "install one, then start communication"
            )
        yield Blocker("the network does not communicate", _wmx(snapshot, "engine", "start"))


def _by_lost_file(snapshot: Snapshot) -> Iterator[Blocker]:
    if snapshot.file_problem:
        yield Blocker(
            f"the file of owners and stops is lost: {snapshot.file_problem}",
            "let its folder be there and writable: the nodes put it back by themselves",
        )


def _by_held_time(snapshot: Snapshot) -> Iterator[Blocker]:
    if snapshot.time_is_held:
        clear = _wmx(snapshot, "faults", "play", "run_time")
        yield Blocker(HELD_TIME, clear)


def _by_emergency_stop(snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    if status.emergency_stop is not None:
        yield Blocker(EMERGENCY_STOPS[status.emergency_stop], _wmx(snapshot, "release"))


def _by_stop_input(axis: int, snapshot: Snapshot) -> Iterator[Blocker]:
    if place := snapshot.stopped_by.get(axis):
        yield Blocker(
            STOP_INPUT.format(place),
            f"let the input go off, or: {_wmx(snapshot, 'stop-input', axis, 'none')}",
        )


def _by_loss(axis: int, snapshot: Snapshot) -> Iterator[Blocker]:
    as_it_is = _wmx(snapshot, "confirm", axis)
    for loss in snapshot.lost.get(axis, ()):
        verb = {
            Loss.PARAMETERS: "params load FILE",
            Loss.MODE: f"mode {axis} MODE",
            Loss.REFERENCE: f"home {axis}",
            Loss.POSITION_OUTPUT: f"position-output {axis} ...",
        }[loss]
        instead = _wmx(snapshot, verb)
        yield Blocker(WORDS[loss], f"{as_it_is}    # lets it be as it is now; or: {instead}")


def _by_slave(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    slaves = slaves_by_axis(snapshot.networks)
    if axis >= len(slaves):
        if status.servo_offline[axis]:
            yield Blocker("its drive is offline", _start_hotconnect(snapshot, 0))
        return
    network, slave = slaves[axis]
    name = f"its drive, slave {slave.id} of master {network.master_id},"
    if slave.offline or slave.inaccessible:
        where = "is behind a broken line" if slave.inaccessible else "is offline"
        yield Blocker(f"{name} {where}", _start_hotconnect(snapshot, network.master_id))
    elif slave.state is not EcState.OP:
        why = f": {al_status_in_words(slave.al_status_code)}" if slave.al_status_code else ""
        yield Blocker(
            f"{name} is in state {slave.state.name}, not OP{why}",
            _start_hotconnect(snapshot, network.master_id),
        )
    elif status.servo_offline[axis]:
        yield Blocker(f"{name} is not reached", _start_hotconnect(snapshot, network.master_id))


def _by_drive(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    for condition in conditions_of(status, axis):
        if condition.refusal and condition is not OFFLINE:  # which `_by_slave` explains
            words = _OF_DRIVE.get(condition, "it has {}").format(condition.describe(status, axis))
            verb = "on" if condition is SERVO_OFF else "clear"
            yield Blocker(words, _wmx(snapshot, verb, axis))


_OF_DRIVE = {
    AMP_ALARM: "its drive has {}",
    FOLLOWING_ERROR: "it has an alarm: its following error was too large",
    SERVO_OFF: "its servo is off",
}


def _by_place(axis: int, snapshot: Snapshot) -> Iterator[Blocker]:
    if (off := snapshot.out_of_position.get(axis)) is not None:
        yield Blocker(
            OUT_OF_POSITION.format(f"{off:.6g}"),
            f"{_wmx(snapshot, 'off', axis)}    # then look at its brake, its encoder and its way",
        )


def _by_mode(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    mode = int(status.command_mode[axis])
    if mode == CommandMode.POSITION:
        return
    known = mode in list(CommandMode)
    name = CommandMode(mode).name.lower() if known else f"unknown ({mode})"
    yield Blocker(
        f"it is in {name} mode: positions, jogs and homing are refused",
        _wmx(snapshot, "mode", axis, "position"),
    )


def _by_limits(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    for limit in conditions_of(status, axis):
        if limit in LIMITS:
            direction = limit.direction
            side, free = ("positive", "negative") if direction > 0 else ("negative", "positive")
            name = "soft limit" if "soft" in limit.flag else "limit switch"
            yield Blocker(
                f"its {side} {name} is on: only the {free} way is free",
                _wmx(snapshot, "move", axis, -0.1 * direction, "--by"),
            )


def _by_others(axis: int, snapshot: Snapshot, status: MotionStatus) -> Iterator[Blocker]:
    state = int(status.op_state[axis])
    clear = f"{_wmx(snapshot, 'stop', axis)}    # or wait until it rests"
    if state == OperationState.STOP:
        clear = "wait until it rests"
    if owner := snapshot.owners.get(axis):
        yield Blocker(f"it is owned by {owner}", clear)
    elif state in _BUSY:
        yield Blocker(f"it is {_BUSY[OperationState(state)]}", clear)


_BUSY = {
    OperationState.HOME: "homing",
    OperationState.SYNC: "following another axis",
    OperationState.STOP: "slowing down",
    OperationState.INTPL: "on a line or spline together with other axes",
    OperationState.VELOCITY: "in an endless velocity motion",
    OperationState.TRQ: "turning with a constant torque",
}
"""States in which an axis takes no position command."""


# Commands of `wmx`, ready to be pasted


def _wmx(snapshot: Snapshot, *words: object) -> str:
    namespace = ["-n", snapshot.namespace] if snapshot.namespace else []
    return " ".join(map(str, (snapshot.program, *words, *namespace)))


def _start_hotconnect(snapshot: Snapshot, master: int) -> str:
    which = ("--master", master) if master else ()
    return _wmx(snapshot, "ecat", "hot-connect", *which)
