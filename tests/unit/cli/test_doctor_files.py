"""What `wmx doctor` finds in the files of a robot."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from doctor_findings import ARM, files_of, found, misfits

from wmx_ros2_package.cli.doctor import controllers, machine, node_parameters, robot
from wmx_ros2_package.cli.doctor.finding import Level, Subject
from wmx_ros2_package.robots.catalogue import CONFIG, ROBOTS

Change = Callable[[dict[str, Any]], object]


def changed(tmp_path: Path, change: Change) -> Subject:
    """The arm's files, with other parameters of its nodes."""
    content = yaml.safe_load(ARM.parameters.read_text())
    change({key.rpartition("/")[2]: each["ros__parameters"] for key, each in content.items()})
    path = tmp_path / "arm.yaml"
    path.write_text(yaml.safe_dump(content))
    return replace(ARM_FILES, parameters=path)


ARM_FILES = files_of(ARM)
FOLLOW, ACTUATORS = "follow_joint_trajectory_server", "wmx_actuator_node"


def test_the_default_system_fits() -> None:
    subject = Subject(
        device_path=str(CONFIG / "fake_network.yaml"), parameters=CONFIG / "wmx_ros2.yaml"
    )
    assert misfits(subject) == []


@pytest.mark.parametrize("name", ROBOTS)
def test_the_robots_that_are_shipped_fit(name: str) -> None:
    assert misfits(files_of(ROBOTS[name])) == []


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("joint6]", "joint7]", "joints[5] is 'joint7': must be one of joint1, joint2"),
        ("joint6]", "joint6", "while parsing a flow sequence"),
        ("action_ns: follow_joint_trajectory", "action_ns: follow", "arm_controller/follow: must"),
        ("    - movensys", "    - movenys", "controller_names has 'movenys_manipulator"),
        ("  controller_names:", "  names:", "with a list controller_names"),
        ("joints: [", "joint: [", "must be one with a list of joints"),
        pytest.param("joints: [", "joints: [" + "[" * 5000, "recursion", id="nested"),
    ],
)
def test_controllers_that_do_not_fit(tmp_path: Path, old: str, new: str, text: str) -> None:
    path = tmp_path / "moveit_controllers.yaml"
    assert ARM.controllers is not None
    path.write_text(ARM.controllers.read_text().replace(old, new))
    [finding] = found(controllers.check_controllers, replace(ARM_FILES, controllers=path))
    assert finding.text.startswith(f"{path}: ")
    assert text in finding.text


RELATIVE = "movensys_manipulator_arm_controller/follow_joint_trajectory"


@pytest.mark.parametrize("named", [{"joint_trajectory_action": RELATIVE}, {}])
def test_an_action_in_the_namespace_of_its_node(tmp_path: Path, named: dict[str, str]) -> None:
    """As those have to be that are in one, and as the node calls it by itself."""

    def name_it(nodes: dict[str, Any]) -> None:
        del nodes[FOLLOW]["joint_trajectory_action"]
        nodes[FOLLOW].update(named)

    subject = changed(tmp_path, name_it)
    assert found(controllers.check_controllers, subject) == []
    path = tmp_path / "moveit_controllers.yaml"
    assert ARM.controllers is not None
    path.write_text(ARM.controllers.read_text().replace("action_ns: follow", "action_ns: go"))
    [finding] = found(controllers.check_controllers, replace(subject, controllers=path))
    assert f"must be {RELATIVE}" in finding.text


def test_an_action_that_is_no_text(tmp_path: Path) -> None:
    subject = changed(tmp_path, lambda nodes: nodes[FOLLOW].update(joint_trajectory_action=5))
    assert len(found(controllers.check_controllers, subject)) == 1


@pytest.mark.parametrize(("node", "name"), [(FOLLOW, "joint_number"), (ACTUATORS, "names")])
def test_what_a_node_has_by_itself_is_checked_as_what_is_named(
    tmp_path: Path, node: str, name: str
) -> None:
    limit = "velocity_limit" if node == FOLLOW else "velocity_max"

    def leave_out(nodes: dict[str, Any], **others: object) -> None:
        del nodes[node][name]
        nodes[node].update(others)

    fits = replace(changed(tmp_path, leave_out), urdf=None)
    assert found(robot.check_robot, fits) == []
    too_fast = replace(changed(tmp_path, partial(leave_out, **{limit: [99.0]})), urdf=None)
    texts = [each.text for each in found(robot.check_robot, too_fast)]
    assert len([text for text in texts if "may go at 99" in text]) == 6, texts


MISFITS: dict[str, tuple[Change, str]] = {
    "too many names": (lambda n: n[ACTUATORS]["names"].append("joint7"), "joint7 is axis 6"),
    "an axis that is not there": (
        lambda n: n["joint_position_controller"].update(joint_axes=[0, 1, 2, 3, 4, 9]),
        "axis 9",
    ),
    "an axis twice": (
        lambda n: n["joint_position_controller"].update(joint_axes=[0, 1, 2, 3, 4, 4]),
        "must name each once",
    ),
    "too few limits": (lambda n: n[FOLLOW].update(velocity_limit=[3.1, 3.1]), "must have"),
    "faster than its gear": (lambda n: n[FOLLOW].update(velocity_limit=[3.2]), "reach 3.1"),
    "a joint of no URDF": (
        lambda n: n[FOLLOW].update(joint_name=["a", "b", "c", "d", "e", "f"]),
        "no joint 'a'",
    ),
    "a range that is empty": (
        lambda n: n[ACTUATORS].update(position_min=[7.0] * 6),
        "may go from 7",
    ),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_a_robot_that_does_not_fit(tmp_path: Path, misfit: str) -> None:
    change, words = MISFITS[misfit]
    texts = [finding.text for finding in found(robot.check_robot, changed(tmp_path, change))]
    assert any(words in text for text in texts), texts


@pytest.mark.parametrize(
    ("node", "name", "value"),
    [
        (FOLLOW, "velocity_limit", ["a"] * 6),
        (FOLLOW, "joint_axes", 3),
        (FOLLOW, "joint_name", 3),
        (ACTUATORS, "names", 0.5),
        (ACTUATORS, "position_min", ["a"]),
    ],
)
def test_a_value_of_another_type(tmp_path: Path, node: str, name: str, value: object) -> None:
    subject = changed(tmp_path, lambda nodes: nodes[node].update({name: value}))
    texts = [finding.text for finding in found(robot.check_robot, subject)]
    assert any(str(subject.parameters) in text for text in texts), texts
    texts = [finding.text for finding in found(node_parameters.check_node_parameters, subject)]
    assert any(name in text for text in texts), texts


@pytest.mark.parametrize(
    "text",
    [
        ARM.urdf.read_text()[:100],
        '<?xml version="1.0" encoding="shift_jis"?><robot/>',
        '<?xml version="1.0" encoding="nonsense"?><robot/>',
    ],
)
def test_a_urdf_that_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    [finding] = found(robot.check_robot, replace(ARM_FILES, urdf=path))
    assert finding.text.startswith(f"{path}: is no URDF: ")


def test_two_ranges_of_one_joint(tmp_path: Path) -> None:
    subject = changed(tmp_path, lambda nodes: nodes[FOLLOW].update(position_upper=[1.0] * 6))
    notes = found(robot.check_robot, subject, Level.NOTE)
    assert len(notes) == 6
    assert "joint1 has two ranges" in notes[0].text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_linear_velocity: 1.4", "max_linear_velocity: 140.0"),
        ("wheel_radius", "wheel_velocity_unit: rpm\n    wheel_radius"),
    ],
    ids=["in rad", "in rpm"],
)
def test_a_base_that_is_faster_than_its_wheels(tmp_path: Path, old: str, new: str) -> None:
    base = ROBOTS["base"]
    path = tmp_path / "base.yaml"
    path.write_text(base.parameters.read_text().replace(old, new))
    subject = Subject(device_path=str(base.machine), parameters=path)
    assert len(found(robot.check_robot, subject)) == 2, "both wheels"


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("joint_number:", "joint_nubmer:", "'joint_number'"),
        ("/**/gripper_controller:", "/**/griper_controller:", "'gripper_controller'"),
    ],
)
def test_a_misspelt_name_in_the_parameters(tmp_path: Path, old: str, new: str, meant: str) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(ARM.parameters.read_text().replace(old, new))
    findings = found(node_parameters.check_node_parameters, Subject(parameters=path))
    assert any(meant in finding.text for finding in findings)


def test_parameters_of_nodes_in_a_namespace(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("/cell1/wmx_io_node:\n  ros__parameters: {autostart: false}\n")
    assert not found(node_parameters.check_node_parameters, Subject(parameters=file))
    file.write_text("/cell1/wmx_io_node:\n  ros__parameters: {autostrat: false}\n")
    [finding] = found(node_parameters.check_node_parameters, Subject(parameters=file))
    assert "is 'autostart' meant?" in finding.text


def test_a_namespace_may_be_a_section_of_its_own(tmp_path: Path) -> None:
    """As ROS reads files of parameters."""
    path = tmp_path / "nested.yaml"
    text = f"cell1: {yaml.safe_load(ARM.parameters.read_text())}".replace("/**/", "")
    path.write_text(text)
    subject = replace(ARM_FILES, parameters=path)
    problems = found(node_parameters.check_node_parameters, subject)
    assert problems, "names with a leading slash are those of every namespace"
    assert not [each for each in problems if "the namespace /cell1 does not move" not in each.text]
    path.write_text(text.replace("'/", "'"))
    assert found(node_parameters.check_node_parameters, subject) == []
    assert [each.text for each in robot.check_robot(subject)] == [
        "its joints, axes, limits and units fit"
    ]


def test_a_node_gets_what_every_section_has_that_leads_to_it(tmp_path: Path) -> None:
    """As ROS merges sections of the same node."""
    path = tmp_path / "twice.yaml"
    path.write_text(
        "/wmx_actuator_node:\n  ros__parameters: {names: [a, b], axes: [0, 99]}\n"
        "wmx_actuator_node:\n  ros__parameters: {velocity_max: [1.0, 1.0]}\n"
    )
    [finding] = found(robot.check_robot, replace(ARM_FILES, parameters=path, urdf=None))
    assert "b is axis 99, and the machine has 6 axes" in finding.text


def test_nodes_of_two_namespaces_are_two_systems(tmp_path: Path) -> None:
    path = tmp_path / "cells.yaml"
    path.write_text(
        "cell1:\n  wmx_actuator_node:\n    ros__parameters: {names: [a]}\n"
        "cell2:\n  wmx_actuator_node:\n    ros__parameters: {names: [b, c], axes: [1, 2]}\n"
    )
    assert found(robot.check_robot, replace(ARM_FILES, parameters=path, urdf=None)) == []


@pytest.mark.parametrize("text", ["", "[]", "a: 1", "a: {b: 1}", "{", "a: {ros__parameters: 1}"])
def test_parameters_that_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    [finding] = found(node_parameters.check_node_parameters, Subject(parameters=path))
    assert str(path) in finding.text
    assert [*robot.check_robot(Subject(parameters=path))] == []


def test_a_machine_that_is_not_there() -> None:
    assert found(machine.check_engine_parameters, Subject(device_path="/nowhere.yaml"))
