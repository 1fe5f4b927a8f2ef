"""What a machine consists of, by its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wmx_core.units import DEGREE

from ..client import Actuator, Machine, MachineError
from ..client.description import DEGREE_UNIT
from ..client.engine import Nodes
from ..executables import names_of
from ..recordings.files import DEFAULT_FOLDER

ANSWER_TIMEOUT = 2.0
"""How long a node may take to answer, s; one that is not there is not waited for longer."""
NO_LIMIT = 1e5
"""A position from here on, rad or m, is as good as no limit."""
FASTEST = 1.0
"""The highest velocity that the panel commands where an axis has no limit of its machine, u/s."""
MOTOR_LIMIT = 50.0
"""A limit of velocity from here on, u/s, is what a motor can do, and not what a machine may."""
ACTUATORS, SERVER = "wmx_actuator_node", "follow_joint_trajectory_server"
BASE = "diff_drive_controller"
RECORDER = "wmx_recorder_node"
_SI = {"rad": 1.0, "m": 1.0, DEGREE_UNIT: DEGREE}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAxis:
    """What an axis is called, and how far and fast it may go."""

    name: str
    unit: str = "u"
    low: float | None = None
    high: float | None = None
    velocity: float = FASTEST
    """The highest that may be commanded, u/s."""
    movable: bool = True
    """Whether there is an actuator on it: no answered command moves an axis without one."""

    @property
    def si(self) -> float | None:
        """How many rad or m its unit is, as joints and URDFs have them; None where not known."""
        return _SI.get(self.unit)

    @property
    def reach(self) -> tuple[float | None, float | None] | None:
        """From where to where it goes, rad or m; None where that is not known."""
        limits = self.low, self.high
        if self.si is None:
            return None if limits != (None, None) else (None, None)
        low, high = (None if limit is None else limit * self.si for limit in limits)
        return low, high


def axes_of(machine: Machine) -> tuple[ShownAxis, ...]:
    """What is known of each axis."""
    try:
        actuators = {each.axis: each for each in machine.actuators.values()}
    except MachineError:
        actuators = {}  # axes without actuators are shown by their numbers
    return tuple(
        ShownAxis(
            name=axis.name,
            unit=axis.unit,
            low=limit_of(actuators[axis.number].position_min),
            high=limit_of(actuators[axis.number].position_max),
            velocity=_velocity(actuators[axis.number]),
        )
        if axis.number in actuators
        else ShownAxis(name=f"axis {axis.name}", unit=axis.unit, movable=False)
        for axis in machine.axes
    )


def read_axes(machine: Machine, known: tuple[ShownAxis, ...]) -> tuple[ShownAxis, ...]:
    """What is known of each axis, read again.

    Names that are `known` stay while the nodes that have them do not answer: they may only be busy.
    """
    answered = machine.describe()
    if not (answered or _named(known)):
        return axes_of(machine)
    found = axes_of(machine) if answered else ()
    return found if _named(found) else known or found


def _named(actuators: Sequence[ShownAxis]) -> bool:
    """Whether a node has named any of them."""
    return any(actuator.movable for actuator in actuators)


def numbers_of(actuators: Sequence[ShownAxis]) -> dict[str, int]:
    """The number of each axis, by its name."""
    return {actuator.name: axis for axis, actuator in enumerate(actuators)}


def limit_of(limit: float | None) -> float | None:
    return limit if limit is not None and abs(limit) < NO_LIMIT else None


def _velocity(actuator: Actuator) -> float:
    return actuator.velocity_max if actuator.velocity_max < MOTOR_LIMIT else FASTEST


def server_of(machine: Machine) -> dict[str, Any] | None:
    """The parameters of the server of trajectories; None where it does not answer.

    Empty where another program has its name, such as a controller of ros2_control.
    """
    names = ["joint_name", "joint_trajectory_action", "position_lower", "position_upper"]
    names += ["velocity_limit", "acceleration_limit"]
    try:
        server = _running_name(machine, SERVER)
        values = machine.nodes.parameters(server, *names, timeout=ANSWER_TIMEOUT)
    except MachineError:
        return None
    found = dict(zip(names, values, strict=True))
    if not found["joint_name"]:
        return {}
    count = len(found["joint_name"])
    for name in names[2:]:
        found[name] = _each(found[name], count)
    for name in "position_lower", "position_upper":
        found[name] = [limit_of(limit) for limit in found[name]]
    return found


def base_topic_of(machine: Machine) -> str | None:
    """Where a base publishes its odometry; empty and None as those of `server_of`."""
    try:
        base = _running_name(machine, BASE)
        [topic] = machine.nodes.parameters(base, "encoder_odometry_topic", timeout=ANSWER_TIMEOUT)
    except MachineError:
        return None
    return str(topic or "")


def parts_running(nodes: Nodes) -> set[str]:
    """Those of the nodes that describe a machine that are discovered, by their names here."""
    return {node for node in (ACTUATORS, SERVER, BASE) if nodes.running(names_of(node))}


def _running_name(machine: Machine, node: str) -> str:
    """The name under which a node runs; that here where it is not discovered yet."""
    return [*machine.nodes.running(names_of(node)), node][0]


def recordings_folder(nodes: Nodes | None) -> Path:
    """Where the recorder among the nodes of a machine writes, or would.

    MachineError where it runs and does not answer: another folder would be a wrong answer.
    """
    folder = None
    if nodes is not None and nodes.running([RECORDER]):
        [folder] = nodes.parameters(RECORDER, "folder", timeout=ANSWER_TIMEOUT)
    return Path(folder or DEFAULT_FOLDER).expanduser()


def _each(values: Any, count: int) -> list[Any]:
    """One value for each of `count`: a list of one holds for all."""
    given: list[Any] = list(values or [None])
    return given * count if len(given) == 1 else given
