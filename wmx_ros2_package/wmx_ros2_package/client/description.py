"""What the nodes of a system describe: its driver, and the names, units and limits of its axes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python

from ..actuators.description import PARAMETERS, Actuator, actuators
from ..diagnosis.typed_commands import wmx_program
from ..executables import names_of
from .errors import NoPart, NoSystem, NotAnswered, Refused
from .link import Link
from .states import STATUS_TIMEOUT, States
from .status import UNKNOWN_UNIT

MOVER, ACTUATORS = "wmx_core_motion_node", "wmx_actuator_node"
BASES = names_of("diff_drive_controller")
JOINT_NODES = *names_of("manipulator_state"), *names_of("follow_joint_trajectory_server")
"""The nodes with the parameters of axes that are not in radians: `degree_axes` and `rpm_axes`."""
DEGREE_UNIT = "deg"
WHEEL_UNIT = "wheel_velocity_unit"
READY_TOPICS = "wmx/core_motion/ready", "wmx/actuator/ready"
READY_TIMEOUT = 3.0
"""How long a machine whose engine does not communicate yet is waited for, s."""


def parameters(
    link: Link, node: str, *names: str, timeout: float | None = None, start: str = ""
) -> list[Any]:
    """The values of parameters of a node; None for one that it does not have.

    NoPart where the node does not run, with what starts it as the remedy.
    """
    link.require_other_thread()
    service = f"{node}/get_parameters"
    try:
        answer = link.call(GetParameters, service, names=list(names), timeout=timeout, to_all=True)
    except NoPart as error:
        error.remedy = start or error.remedy
        raise
    values = [parameter_value_to_python(value) for value in answer.values]
    return values or [None] * len(names)  # a node of rclcpp answers nothing where it lacks one


def running_name(link: Link, node: str, *, start: str) -> str:
    """The name under which a node runs, of all that it has.

    NoPart where it does not run, with what starts it as the remedy. Controllers of ros2_control
    have some of these names, and no driver.
    """
    services = {f"{name}/get_parameters": name for name in names_of(node)}
    try:
        found = [services[each] for each in link.discovered(GetParameters, [*services])]
        if own := [name for name in found if parameters(link, name, "driver") != [None]]:
            return own[0]
        raise NoPart(f"{' and '.join(found)} of this system is another program's")
    except NoPart as error:
        error.remedy = start
        raise


class Description:
    """The axes of a system as its nodes describe them; `states` get their names and units."""

    def __init__(self, link: Link, states: States, *, to_stop: bool = False) -> None:
        """NoSystem where there is none in time.

        A machine without an engine is described all the same. One `to_stop` has the names of its
        axes alone at first: it waits for no node that has none.
        """
        self._link = link
        self._states = states
        self._unnamed: NoSystem | NotAnswered | None = None
        """Why no node has named the axes."""
        self._told: dict[str, list[Any]] = {}
        """What each node has said that may have axes in other units."""
        self.driver, self._count = parameters(link, MOVER, "driver", "axis_count")
        self._actuators = self._found()
        if to_stop:
            self._give_names()
            return
        topics = READY_TOPICS if self._actuators else READY_TOPICS[:1]
        link.wait_until_true(topics, READY_TIMEOUT)
        self._name()

    def read(self) -> bool:
        """Read the names and units of the axes again; return whether all is known of them.

        The names of a node that does not answer stay: it may only be busy.
        """
        found = self._found()
        if not isinstance(self._unnamed, NotAnswered):
            self._actuators = found
        return self._name() and bool(found)

    def actuators(self, timeout: float | None = None) -> dict[str, Actuator]:
        """The actuators of the machine by their names, with their limits as they are now."""
        values = parameters(self._link, ACTUATORS, *PARAMETERS, timeout=timeout)
        described = {name: value or () for name, value in zip(PARAMETERS, values, strict=True)}
        return actuators(described)

    def actuator(self, axis: int) -> str:
        """The name of the actuator on an axis; Refused where there is none.

        Errors as `require_names`.
        """
        if axis not in self._actuators:
            self.require_names(f"axis {axis}")
            raise Refused(
                f"axis {axis} is no actuator, so that no answered command can move it",
                remedy=f"add axis {axis} to the parameters names and axes of {ACTUATORS}",
            )
        return self._actuators[axis].name

    def require_names(self, what: str) -> None:
        """NoPart or NotAnswered where the node that names axes did not answer, asked for `what`."""
        if (why := self._unnamed) is None:
            return
        at = self._link.at
        raise type(why)(
            f"nothing could be asked of {what}: {ACTUATORS}, which names axes and moves them, has "
            f"not answered ({why.text})",
            remedy=f"{wmx_program()} node{at}    # whether {ACTUATORS} runs\n"
            f"{wmx_program()} stop{at}    # stops all axes; with a number, that one",
        )

    def _found(self) -> dict[int, Actuator]:
        """The actuator of each axis that has one."""
        self._unnamed = None
        try:
            found = self.actuators(timeout=STATUS_TIMEOUT)
        except (NoSystem, NotAnswered) as error:  # axes have numbers, by which they can be stopped
            self._unnamed = error
            return {}
        return {actuator.axis: actuator for actuator in found.values()}

    def _name(self) -> bool:
        """Give the axes names, and units; return whether the nodes that may have these answer.

        One that was killed is discovered for 20 s. Its axes may be in other units than their
        actuators are, so none is told then.
        """
        try:
            units = [*self._units(range(self._count))]
        except (NoSystem, NotAnswered):
            self._give_names()
            return False
        self._give_names(units)
        return True

    def _give_names(self, units: Sequence[str] = ()) -> None:
        """Give the axes names, and `units`; without these none that is known."""
        known = self._actuators
        names = (known[a].name if a in known else str(a) for a in range(self._count))
        self._states.names = tuple(names)
        self._states.units = tuple(units) or (UNKNOWN_UNIT,) * self._count

    def _units(self, axes: Iterable[int]) -> Iterator[str]:
        """The unit of the positions of each axis, where a node has it as a parameter."""
        units = {axis: actuator.unit for axis, actuator in self._actuators.items()}
        for node in JOINT_NODES:
            degrees, rpm = self._discovered(node, "degree_axes", "rpm_axes")
            units |= dict.fromkeys(degrees or (), DEGREE_UNIT)
            units |= dict.fromkeys(rpm or (), UNKNOWN_UNIT)
        for node in BASES:
            unit, *wheels = self._discovered(node, WHEEL_UNIT, "left_axis", "right_axis")
            units |= dict.fromkeys(wheels if unit == "rpm" else (), UNKNOWN_UNIT)
        return (units.get(axis, UNKNOWN_UNIT) for axis in axes)

    def _discovered(self, node: str, *names: str) -> list[Any]:
        """The values of parameters of a node, those of before where it has gone; None without."""
        if self._link.offered(GetParameters, f"{node}/get_parameters"):
            self._told[node] = parameters(self._link, node, *names, timeout=STATUS_TIMEOUT)
        return self._told.get(node, [None] * len(names))
