"""What a machine consists of, as the parameters of its nodes say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rcl_interfaces.srv import GetParameters

from ..client import Machine, MachineError

ANSWER_TIMEOUT = 2.0
"""How long a node may take to answer, s; one that is not there is not waited for longer."""
_ACTUATORS, _SERVER = "wmx_actuator_node", "follow_joint_trajectory_server"
_BASE = "diff_drive_controller"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator:
    """What an axis is called, and how far and fast it may go."""

    name: str
    unit: str = "u"
    low: float | None = None
    high: float | None = None
    velocity: float = 1.0
    """The highest that may be commanded, u/s."""


def nodes_of(machine: Machine) -> frozenset[str]:
    """Which of the nodes that describe a machine run, as far as they are discovered by now."""
    link = machine._session.link
    names = (_ACTUATORS, _SERVER, _BASE)
    return frozenset(n for n in names if link.offered(GetParameters, f"{n}/get_parameters"))


def actuators_of(machine: Machine) -> tuple[Actuator, ...]:
    """What is known of each axis."""
    names = ["names", "axes", "kinds", "position_min", "position_max", "velocity_max"]
    found = {}
    try:
        values = machine._session.parameters(_ACTUATORS, *names, timeout=ANSWER_TIMEOUT)
        count = len(values[0] or ())
        axes = values[1] or range(count)
        kinds, low, high, fast = (_each(value, count) for value in values[2:])
        for i, axis in enumerate(axes):
            found[axis] = Actuator(
                name=values[0][i],
                unit="m" if kinds[i] == "prismatic" else "rad",
                low=low[i],
                high=high[i],
                velocity=fast[i] or 1.0,
            )
    except MachineError:
        pass  # axes without actuators are shown by their numbers
    return tuple(
        found.get(axis.number, Actuator(name=f"axis {axis.name}")) for axis in machine.axes
    )


def server_of(machine: Machine) -> dict[str, Any]:
    """The parameters of the server of trajectories, where there is one."""
    names = ["joint_name", "joint_trajectory_action", "position_lower", "position_upper"]
    names += ["velocity_limit"]
    try:
        values = machine._session.parameters(_SERVER, *names, timeout=ANSWER_TIMEOUT)
    except MachineError:
        return {}
    found = dict(zip(names, values, strict=True))
    if not found["joint_name"]:
        return {}
    count = len(found["joint_name"])
    for name in names[2:]:
        found[name] = _each(found[name], count)
    return found


def base_topic_of(machine: Machine) -> str:
    """Where a base publishes its odometry; empty where there is none."""
    try:
        [topic] = machine._session.parameters(
            _BASE, "encoder_odometry_topic", timeout=ANSWER_TIMEOUT
        )
    except MachineError:
        return ""
    return str(topic or "")


def _each(values: Any, count: int) -> list[Any]:
    """One value for each of `count`: a list of one holds for all."""
    given: list[Any] = list(values or [None])
    return given * count if len(given) == 1 else given
