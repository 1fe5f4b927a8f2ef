"""The files of every robot that starts by its name: read, and in agreement with each other."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wmx_core.errors import WmxError
from wmx_core.parameters.mistakes import doubts
from wmx_core.parameters.parameter_set import read_parameters
from wmx_ros2_package.cli.doctor.controllers import check_controllers
from wmx_ros2_package.cli.doctor.finding import Level, Subject
from wmx_ros2_package.node_base.kind import Kinds
from wmx_ros2_package.node_base.parameter_overrides import check_overrides
from wmx_ros2_package.nodes.actuators.parameters import ActuatorNodeParameters
from wmx_ros2_package.robots.catalogue import ROBOTS, find_robot
from wmx_ros2_package.robots.needed_machine import needed_machine
from wmx_ros2_package.robots.parameter_files import sections_of
from wmx_ros2_package.robots.urdf import read_urdf_file
from wmx_ros2_package.validation import BadRequest
from wmx_sim.engine.machine.description import load_machine

Judge = Callable[[Path], object]


def judge_parameters(path: Path) -> None:
    """What launch files and `bringup` do with the parameters of a robot before it starts."""
    kinds = Kinds()
    nodes = {name: kinds[name] for name in find_robot(str(path.parent)).nodes}
    found = check_overrides(["--params-file", str(path)], nodes, kinds)
    found.remove_files()
    if not found.problems:
        load_machine(needed_machine(sections_of(path).values(), None))
    found.require_right()


def judge_controllers(path: Path) -> None:
    robot = find_robot(str(path.parent))
    subject = Subject(parameters=robot.parameters, controllers=path)
    if wrong := [each.text for each in check_controllers(subject) if each.level is Level.WRONG]:
        raise BadRequest(wrong)


FILES: dict[str, Judge] = {
    "robot.yaml": lambda path: judge_parameters(path.with_name("parameters.yaml")),
    "parameters.yaml": judge_parameters,
    "machine.yaml": load_machine,
    "wmx_parameters.xml": read_parameters,
    "robot.urdf": read_urdf_file,
    "moveit_controllers.yaml": judge_controllers,
}
SPOILT = "", ":", "[", "{", "- ", "\t", "nonsense: 1\n", "<", '"', "\udcff"
STRANGE = None, True, -1, 10**9, 0.5, "", "nonsense", [], [1], ["a", "a"], {}, {"nonsense": 1}


def cut(data: st.DataObject, text: str) -> str:
    """The file, cut short or with something in it that is wrong there."""
    at = data.draw(st.integers(0, len(text)))
    rest = text[at:] if data.draw(st.booleans()) else ""
    return text[:at] + data.draw(st.sampled_from(SPOILT)) + rest


def changed(data: st.DataObject, text: str) -> str:
    """The file, with a value of another type, an unknown key, or without one of its parts."""
    content = inside = yaml.safe_load(text)
    while True:
        keys = [*(inside if isinstance(inside, dict) else range(len(inside)))]
        key = data.draw(st.sampled_from(keys))
        deeper = inside[key]
        if not isinstance(deeper, (dict, list)) or not deeper or data.draw(st.booleans()):
            break
        inside = deeper
    change = data.draw(st.sampled_from(["value", "unknown", "absent"]))
    if change == "absent":
        del inside[key]
    elif change == "unknown" and isinstance(inside, dict):
        inside["nonsense"] = inside[key]
    else:
        inside[key] = data.draw(st.sampled_from(STRANGE))
    return str(yaml.safe_dump(content))


def without_an_attribute(data: st.DataObject, text: str) -> str:
    root = ElementTree.fromstring(text)
    element = data.draw(st.sampled_from([each for each in root.iter() if each.attrib]))
    name = data.draw(st.sampled_from([*element.attrib]))
    if data.draw(st.booleans()):
        del element.attrib[name]
    else:
        element.attrib[name] = str(data.draw(st.sampled_from(STRANGE)))
    return ElementTree.tostring(root, "unicode")


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=cases(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_files_that_are_cut_or_spoilt_are_refused_or_right(
    name: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Nothing but an error of the project comes of them, with the file in it."""
    robot = data.draw(st.sampled_from([r for r in ROBOTS.values() if (r.folder / name).exists()]))
    structured = changed if name.endswith(".yaml") else without_an_attribute
    text = data.draw(st.sampled_from([cut, structured]))(data, (robot.folder / name).read_text())
    folder = tmp_path_factory.mktemp("spoilt") / robot.name
    shutil.copytree(robot.folder, folder)
    (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    refusal = ""
    try:
        FILES[name](folder / name)
    except (BadRequest, WmxError) as error:
        refusal = str(error)
    assert not refusal or str(folder) in refusal


def test_every_joint_that_parameters_leave_out_is_named(tmp_path: Path) -> None:
    robot = find_robot("cr3a")
    shutil.copytree(robot.folder, tmp_path / "short")
    path = tmp_path / "short" / "parameters.yaml"
    for section, own in sections_of(robot.parameters).items():
        if own.get("joint_name"):
            short = {**own, "joint_axes": [0, 1, 2, 3, 4, 5], "joint_name": own["joint_name"][1:6]}
            path.write_text(yaml.safe_dump({section: {"ros__parameters": short}}))
            with pytest.raises(BadRequest, match=r"must have one for each of 6 axes") as refused:
                judge_parameters(path)
            assert str(refused.value).startswith(f"{path}: section {section}: joint_name")


@pytest.mark.parametrize("name", ROBOTS)
def test_machine_and_parameters_have_the_same_axes(name: str) -> None:
    robot = ROBOTS[name]
    machine = load_machine(robot.machine)
    assert machine.parameters == robot.wmx_parameters.resolve()
    parameters = read_parameters(robot.wmx_parameters.resolve())
    assert parameters.axes == tuple(range(len(machine.axes)))
    assert not list(doubts(parameters, len(machine.axes)))
    core = sections_of(robot.parameters)["/**/wmx_core_motion_node"]
    assert core["axis_count"] == len(machine.axes)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_joint_of_the_parameters_is_in_the_urdf(name: str) -> None:
    robot = ROBOTS[name]
    joints = {joint.name for joint in read_urdf_file(robot.urdf).joints}
    for node, parameters in sections_of(robot.parameters).items():
        assert node.rpartition("/")[2] in robot.nodes
        for joint in [*parameters.get("joint_name", ()), *parameters.get("gripper_joint_name", ())]:
            assert joint in joints, (node, joint)


@pytest.mark.parametrize("name", ["base", "mobile_manipulator", "diffbot"])
def test_a_base_is_drawn_as_it_is_driven(name: str) -> None:
    robot = ROBOTS[name]
    urdf = ElementTree.parse(robot.urdf).getroot()
    node = "differential_drive_controller" if name == "diffbot" else "diff_drive_controller"
    parameters = sections_of(robot.parameters)[f"/**/{node}"]
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
        assert typed.gear_ratio_numerator == (4915200 if name == "diffbot" else 524288 * 20)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_joint_is_an_actuator_within_the_limits_of_the_urdf(name: str) -> None:
    robot = ROBOTS[name]
    nodes = sections_of(robot.parameters)
    own = nodes["/**/wmx_actuator_node"]
    parameters = ActuatorNodeParameters(**{key: tuple(value) for key, value in own.items()})
    found = parameters.actuators()
    # The wheels of a base, and the joints of an arm.
    led = [
        nodes[f"/**/{name}"]
        for name in (
            "diff_drive_controller",
            "differential_drive_controller",
            "follow_joint_trajectory_server",
        )
        if f"/**/{name}" in nodes
    ]
    assert [*found] == [joint for each in led for joint in each["joint_name"]]
    wheels = [(each["left_axis"], each["right_axis"]) for each in led if "left_axis" in each]
    axes = [each["joint_axes"] for each in led if "joint_axes" in each] or [range(len(found))]
    known = [axis for each in (*wheels, *axes) for axis in each][-len(found) :]
    assert [actuator.axis for actuator in found.values()] == known
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
