"""A robot: whether its joints, axes, limits and units fit each other, in all of its files."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from wmx_core.errors import WmxError
from wmx_core.parameters.mistakes import top_speed
from wmx_core.units import DEGREE, RPM

from ...bases.differential import WHEEL_UNITS
from ...executables import names_of
from ...robots.joint_layout import USUAL_ACTUATORS, USUAL_JOINTS, joint_layout, per_joint
from ...robots.parameter_files import configures, sections_of
from ...validation import BadRequest
from .finding import Finding, Subject, note, right, wrong
from .machine import MachineFiles, read_machine

CHECK = "robot"
ACTUATORS, FOLLOW = "wmx_actuator_node", "follow_joint_trajectory_server"
JOINT_NODES = (
    *names_of("manipulator_state"),
    *names_of(FOLLOW),
    "joint_position_controller",
)
BASES = names_of("diff_drive_controller")
"""The nodes with a base's parameters, by all of their names."""
SERVO_STARTERS = *names_of("manipulator_state"), *BASES
NODES = ACTUATORS, *JOINT_NODES, *BASES
TURN = 2.0 * math.pi
REVOLUTE, PRISMATIC = "revolute", "prismatic"
KINDS = {"revolute": REVOLUTE, "continuous": REVOLUTE, "prismatic": PRISMATIC}
"""What a joint of a URDF is."""


def check_robot(subject: Subject) -> Iterator[Finding]:
    """Check the joints of every node, against the axes, the gears and the URDF."""
    if subject.parameters is None:
        return
    try:
        nodes = sections_of(subject.parameters)
        machine = read_machine(subject)
    except (BadRequest, OSError, WmxError):
        return  # which the checks of these files report
    try:
        joints = _joints(subject)
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # or of its encoding
        yield wrong(CHECK, f"{subject.urdf}: is no URDF: {error}")
        return
    try:
        yield from _check_files(nodes, machine, joints)
        if subject.driver != "fake":
            yield from _check_servos(nodes)
    except (TypeError, ValueError, WmxError) as error:  # the check of the parameters names it
        text = f"{subject.parameters}: a value is none that its node takes: {error}"
        yield wrong(CHECK, text)


def _check_files(
    nodes: Mapping[str, Mapping[str, Any]], machine: MachineFiles, joints: Mapping[str, str]
) -> Iterator[Finding]:
    found: list[Finding] = []
    systems = list(_systems(nodes))
    for system in systems:
        for node, values in system.items():
            if node in BASES:
                found += _check_base(node, values, machine)
            else:
                found += _check_joints(node, values, machine, joints)
        found += _check_positions(system)
    yield from found
    if not found and any(node not in BASES for system in systems for node in system):
        yield right(CHECK, "its joints, axes, limits and units fit")


def _check_servos(nodes: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Note the nodes that switch servos on at the start, which no client has asked for."""
    for system in _systems(nodes):
        starters = [
            n for n in SERVO_STARTERS if system.get(n, {}).get("auto_servo_on", n in system)
        ]
        if starters:
            yield note(
                CHECK,
                f"{', '.join(starters)}: servos come on at the start",
                "auto_servo_on: false of each of these nodes, until the signs are checked",
            )


def _systems(nodes: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, dict[str, Any]]]:
    """Return what the nodes of each namespace get, by their names.

    A node gets what every pattern has that leads to it. Where no namespace is named there is one.
    """
    named = {tuple(pattern.rsplit("/", 1)) for pattern in nodes}
    spaces = {space for space, node in named if node in NODES and "*" not in space}
    for space in sorted(spaces or {""}):
        system: dict[str, dict[str, Any]] = {}
        for node in NODES:
            leading = [each for each in nodes if configures(each, f"{space}/{node}")]
            if any(each.rsplit("/", 1)[-1] == node for each in leading):
                system[node] = {name: v for each in leading for name, v in nodes[each].items()}
        yield system


def _check_joints(
    node: str, values: Mapping[str, Any], machine: MachineFiles, joints: Mapping[str, str]
) -> Iterator[Finding]:
    try:
        names, axes = _layout(node, values)
        limits = per_joint(
            values.get("velocity_max" if node == ACTUATORS else "velocity_limit", ()),
            len(axes),
            "velocity limit",
            0.0,
        )
    except BadRequest as error:
        yield wrong(CHECK, f"{node}: {error}")
        return
    for name, axis, limit in zip(names, axes, limits, strict=False):
        if machine.counts and axis >= len(machine.counts):
            yield wrong(
                CHECK,
                f"{node}: {name} is axis {axis}, and the machine has {len(machine.counts)} axes",
                "joint_axes of the node, or slaves of the machine file",
            )
            continue
        kind = joints.get(name, "")
        if joints and not kind:
            yield wrong(CHECK, f"{node}: the URDF has no joint {name!r}", "joint_name of the node")
        limit /= _radians(values, axis)
        yield from _check_gear(f"{node}: {name} (axis {axis})", axis, limit, kind, machine)


def _radians(values: Mapping[str, Any], axis: int) -> float:
    """Return how many rad the user unit of an axis is; 1 where it is that of the joint."""
    units = (("degree_axes", DEGREE), ("rpm_axes", RPM))
    return next((factor for name, factor in units if axis in values.get(name, ())), 1.0)


def _check_gear(
    who: str, axis: int, limit: float, kind: str, machine: MachineFiles
) -> Iterator[Finding]:
    """Check a velocity limit and a kind of joint against the gear of the axis."""
    if machine.parameters is None:
        return
    values = machine.parameters.axis(axis)
    if machine.counts and limit:
        fastest = top_speed(values, machine.counts[axis])
        if fastest and limit > fastest * (1.0 + 1e-6):
            yield wrong(
                CHECK,
                f"{who} may go at {limit:g} u/s, and its motor and gear reach {fastest:.4g} u/s",
                f"the velocity limit: {fastest:.4g} at most",
            )
    turns = math.isclose(values.gear_ratio_denominator, TURN, rel_tol=1e-3)
    if kind == PRISMATIC and turns:
        yield note(
            CHECK,
            f"{who} is prismatic, and its gear ratio is for 2 pi user units: radians, not metres",
            "AxisGearRatioDenominator: metres",
        )


def _check_base(node: str, values: Mapping[str, Any], machine: MachineFiles) -> Iterator[Finding]:
    """Check the speeds of a base against what its wheels reach."""
    radius, track = values.get("wheel_radius", 0.0), values.get("wheel_to_wheel", 0.0)
    if machine.parameters is None or not machine.counts or not radius:
        return
    unit = WHEEL_UNITS.get(values.get("wheel_velocity_unit", ""), 1.0)
    wheel = values.get("max_linear_velocity", 0.0) / radius
    for side in ("left_axis", "right_axis"):
        axis = values.get(side, 0)
        if axis >= len(machine.counts):
            yield wrong(CHECK, f"{node}: {side} is {axis}, which the machine has not", side)
            continue
        fastest = unit * top_speed(machine.parameters.axis(axis), machine.counts[axis])
        if fastest and wheel > fastest:
            yield wrong(
                CHECK,
                f"{node}: {side} would turn at {wheel:.4g} rad/s, and its gear reaches "
                f"{fastest:.4g} rad/s",
                f"max_linear_velocity: {fastest * radius:.4g} m/s at most, less while it turns "
                f"({track:g} m between the wheels)",
            )


def _check_positions(system: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Check that two nodes do not give one joint two ranges."""
    ranges: dict[str, dict[str, tuple[float, float]]] = {}
    for node, low, high in (
        (ACTUATORS, "position_min", "position_max"),
        *((name, "position_lower", "position_upper") for name in names_of(FOLLOW)),
    ):
        values = system.get(node, {})
        try:
            names, axes = _layout(node, values)
            lows = per_joint(values.get(low, ()), len(axes), low, -math.inf)
            highs = per_joint(values.get(high, ()), len(axes), high, math.inf)
        except BadRequest:
            continue  # which _check_joints reports
        for name, pair in zip(names, zip(lows, highs, strict=True), strict=False):
            if pair[0] >= pair[1]:
                yield wrong(CHECK, f"{node}: {name} may go from {pair[0]:g} to {pair[1]:g}", low)
            if pair != (-math.inf, math.inf):
                ranges.setdefault(name, {})[node] = pair
    for name, given in ranges.items():
        if len({*given.values()}) > 1:
            said = ", ".join(f"{pair[0]:g} to {pair[1]:g} in {n}" for n, pair in given.items())
            yield note(CHECK, f"{name} has two ranges: {said}", "position_min and position_lower")


def _layout(node: str, values: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[int]]:
    """Return the names and axes of the joints of a node; BadRequest where they do not fit."""
    if node == ACTUATORS:
        names = values.get("names", USUAL_ACTUATORS)
        axes = values.get("axes") or range(len(names))
        if len(axes) != len(names):
            raise BadRequest([f"names has {len(names)} elements, and axes has {len(axes)}"])
        return names, axes
    layout = joint_layout(
        values.get("joint_number", USUAL_JOINTS),
        values.get("joint_axes", ()),
        values.get("joint_name", ()),
    )
    return layout.names, layout.axes


def _joints(subject: Subject) -> dict[str, str]:
    """Return the joints of the URDF that move, and their kinds."""
    if subject.urdf is None:
        return {}
    try:
        root = ElementTree.parse(subject.urdf).getroot()
    except OSError:
        return {}
    return {
        joint.get("name", ""): KINDS[joint.get("type", "")]
        for joint in root.iter("joint")
        if joint.get("type") in KINDS
    }


CHECKS = (check_robot,)
