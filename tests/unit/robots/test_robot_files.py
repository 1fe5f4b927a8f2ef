"""The files of every robot that starts by its name: read, and in agreement with each other."""

import math
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from wmx_ros2_package.actuators.description import actuators
from wmx_ros2_package.drivers.fake.machine.description import load_machine
from wmx_ros2_package.drivers.parameters.doubts import doubts
from wmx_ros2_package.drivers.parameters.parameter_set import read_parameters
from wmx_ros2_package.node.common_parameters import CommonParameters
from wmx_ros2_package.nodes.actuators import ActuatorParameters
from wmx_ros2_package.robots.catalogue import CONFIG, LOW_LEVEL, ROBOTS, Program

MANAGER = Program(
    executable="wmx_lifecycle_manager_node", module="lifecycle_manager", kind="LIFECYCLE_MANAGER"
)


@pytest.mark.parametrize(
    "file",
    [CONFIG / "wmx_ros2.yaml", *(robot.parameters for robot in ROBOTS.values())],
    ids=lambda file: file.name,
)
def test_nodes_have_the_parameters_that_files_give_them(file: Path) -> None:
    """ROS ignores others."""
    robots = [each for robot in ROBOTS.values() for each in robot.programs]
    programs = {each.executable: each for each in (MANAGER, *LOW_LEVEL, *robots)}
    for section, content in yaml.safe_load(file.read_text()).items():
        known = {each.name for each in fields(CommonParameters)}
        if (name := section.rpartition("/")[2]) != "**":
            program = programs[name]
            module = import_module(f"wmx_ros2_package.nodes.{program.module}")
            known |= {each.name for each in fields(getattr(module, program.kind).parameters)}
        assert content["ros__parameters"].keys() <= known, section


@pytest.mark.parametrize("name", ROBOTS)
def test_machine_and_parameters_have_the_same_axes(name: str) -> None:
    robot = ROBOTS[name]
    machine = load_machine(robot.machine)
    assert machine.parameters == robot.wmx_parameters.resolve()
    parameters = read_parameters(robot.wmx_parameters.resolve())
    assert parameters.axes == tuple(range(len(machine.axes)))
    assert not list(doubts(parameters, len(machine.axes)))
    nodes = yaml.safe_load(robot.parameters.read_text())
    core = nodes["/**/wmx_core_motion_node"]["ros__parameters"]
    assert core["axis_count"] == len(machine.axes)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_joint_of_the_parameters_is_in_the_urdf(name: str) -> None:
    robot = ROBOTS[name]
    urdf = ElementTree.parse(robot.urdf).getroot()
    joints = {joint.get("name"): joint for joint in urdf.iter("joint")}
    links = {link.get("name") for link in urdf.iter("link")}
    for node, content in yaml.safe_load(robot.parameters.read_text()).items():
        executable = node.rpartition("/")[2]
        assert executable in {program.executable for program in robot.programs}
        parameters = content["ros__parameters"]
        for joint in [*parameters.get("joint_name", ()), *parameters.get("gripper_joint_name", ())]:
            assert joint in joints, (node, joint)
    children = set()
    for joint in joints.values():
        parent, child = joint.find("parent"), joint.find("child")
        assert parent is not None
        assert child is not None
        assert {parent.get("link"), child.get("link")} <= links
        children.add(child.get("link"))
    assert len(links - children) == 1, "one root"


@pytest.mark.parametrize("name", ["base", "mobile_manipulator"])
def test_a_base_is_drawn_as_it_is_driven(name: str) -> None:
    robot = ROBOTS[name]
    urdf = ElementTree.parse(robot.urdf).getroot()
    nodes = yaml.safe_load(robot.parameters.read_text())
    parameters = nodes["/**/diff_drive_controller"]["ros__parameters"]
    sides = []
    for joint in parameters["joint_name"]:
        origin = urdf.find(f"joint[@name='{joint}']/origin")
        assert origin is not None
        _, y, z = map(float, (origin.get("xyz") or "").split())
        assert z == parameters["wheel_radius"]
        sides.append(y)
    assert sides[0] - sides[1] == pytest.approx(parameters["wheel_to_wheel"])
    wheels = read_parameters(robot.wmx_parameters.resolve())
    for axis in (parameters["left_axis"], parameters["right_axis"]):
        typed = wheels.axis(axis)
        assert typed.gear_ratio_denominator == pytest.approx(2.0 * math.pi)
        assert typed.gear_ratio_numerator == 524288 * 20


@pytest.mark.parametrize("name", ROBOTS)
def test_no_two_nodes_move_the_same_axis_but_those_of_the_arm(name: str) -> None:
    nodes = yaml.safe_load(ROBOTS[name].parameters.read_text())
    base = nodes.get("/**/diff_drive_controller", {}).get("ros__parameters")
    arm = nodes.get("/**/manipulator_state", {}).get("ros__parameters")
    if base and arm:
        assert not {base["left_axis"], base["right_axis"]} & set(arm["joint_axes"])


@pytest.mark.parametrize("name", ROBOTS)
def test_every_joint_is_an_actuator_within_the_limits_of_the_urdf(name: str) -> None:
    robot = ROBOTS[name]
    nodes = yaml.safe_load(robot.parameters.read_text())
    own = nodes["/**/wmx_actuator_node"]["ros__parameters"]
    found = actuators(ActuatorParameters(**{key: tuple(value) for key, value in own.items()}))
    # The joints of an arm, or of the wheels of a base without one.
    led = nodes.get("/**/follow_joint_trajectory_server", nodes.get("/**/diff_drive_controller"))
    assert [*found] == led["ros__parameters"]["joint_name"]
    axes = led["ros__parameters"].get("joint_axes", range(len(found)))
    assert [actuator.axis for actuator in found.values()] == [*axes]
    urdf = ElementTree.parse(robot.urdf).getroot()
    for actuator in found.values():
        joint = urdf.find(f"joint[@name='{actuator.name}']")
        assert joint is not None
        kind = "prismatic" if joint.get("type") == "prismatic" else "revolute"
        assert actuator.kind == kind
        limit = joint.find("limit")
        assert limit is not None
        assert actuator.velocity_max == float(limit.get("velocity", ""))
        assert actuator.effort_max == float(limit.get("effort", ""))
        for bound, value in (("lower", actuator.position_min), ("upper", actuator.position_max)):
            if limit.get(bound) is not None:
                assert value == float(limit.get(bound, ""))
            else:
                assert abs(value) >= 1e6
