"""What the doctor finds, each fault by itself, and what is right."""

import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import Shell

from wmx_ros2_package.cli.doctor import (
    computer,
    controllers,
    installation,
    machine,
    network,
    node_parameters,
    robot,
    systems,
)
from wmx_ros2_package.cli.doctor.finding import Check, Finding, Level, Subject
from wmx_ros2_package.robots.catalogue import CONFIG, ROBOTS

ARM = ROBOTS["arm"]


def found(check: Check, subject: Subject, level: Level = Level.WRONG) -> list[Finding]:
    """The findings of one level; each that is not right has a text, and wrong ones a remedy."""
    findings = [*check(subject)]
    assert findings or check is robot.check_robot
    return [finding for finding in findings if finding.level is level]


def shell_with(**environment: str) -> Subject:
    return Subject(environment=environment)


# Network


@pytest.mark.parametrize("domain", ["233", "-1", "first", "1.5"])
def test_a_domain_that_is_none(domain: str) -> None:
    [finding] = found(network.check_domain, shell_with(ROS_DOMAIN_ID=domain))
    assert repr(domain) in finding.text
    assert finding.remedy


def test_a_domain_of_ports_that_others_may_have() -> None:
    assert found(network.check_domain, shell_with(ROS_DOMAIN_ID="150"), Level.NOTE)


@pytest.mark.parametrize("domain", ["", "0", "7", "101"])
def test_a_domain_that_is_right(domain: str) -> None:
    assert found(network.check_domain, shell_with(ROS_DOMAIN_ID=domain), Level.RIGHT)


@pytest.mark.parametrize("reach", ["OFF", "NEIGHBOURS"])
def test_a_range_in_which_nothing_is_found(reach: str) -> None:
    assert found(network.check_range, shell_with(ROS_AUTOMATIC_DISCOVERY_RANGE=reach))


@pytest.mark.parametrize("reach", ["", "SUBNET", "localhost"])
def test_a_range_that_is_right(reach: str) -> None:
    subject = shell_with(ROS_AUTOMATIC_DISCOVERY_RANGE=reach)
    assert found(network.check_range, subject, Level.RIGHT)


def test_another_middleware_than_the_one_that_is_tested() -> None:
    subject = shell_with(RMW_IMPLEMENTATION="rmw_cyclonedds_cpp")
    assert found(network.check_middleware, subject, Level.NOTE)


def test_a_profile_that_is_not_there() -> None:
    subject = shell_with(FASTDDS_DEFAULT_PROFILES_FILE="/nowhere.xml")
    [finding] = found(network.check_middleware, subject)
    assert finding.remedy == "unset FASTDDS_DEFAULT_PROFILES_FILE"


def test_a_port_that_a_dead_program_has_left(tmp_path: Path) -> None:
    subject = Subject(shared_memory=tmp_path)
    fresh, old = tmp_path / "fastdds_port7410", tmp_path / "fastdds_port7411"
    (tmp_path / "fastdds_port7412_el").touch()  # a lock, which is always empty
    fresh.touch()
    assert found(network.check_shared_memory, subject) == []
    old.touch()
    before = time.time() - 60.0
    os.utime(old, (before, before))
    [finding] = found(network.check_shared_memory, subject)
    assert finding.remedy == f"cd {tmp_path} && rm fastdds_port7411"


def test_shared_memory_that_is_not_there(tmp_path: Path) -> None:
    assert found(network.check_shared_memory, Subject(shared_memory=tmp_path / "no"))


# Systems


def process(folder: Path, number: int, words: Iterable[str], **environment: str) -> None:
    """A process as /proc shows it."""
    entry = folder / str(number)
    entry.mkdir()
    (entry / "cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in words))
    pairs = (f"{name}={value}\0" for name, value in environment.items())
    (entry / "environ").write_text("".join(pairs))


PYTHON = "/usr/bin/python3", "/ws/lib/wmx_ros2_package/bringup"


def test_no_system(tmp_path: Path) -> None:
    process(tmp_path, 5, ["/usr/bin/python3", "bringup_of_others.py"])
    [finding] = found(systems.check_systems, Subject(processes=tmp_path), Level.NOTE)
    assert "make run" in finding.remedy


def test_a_system_in_another_domain(tmp_path: Path) -> None:
    process(tmp_path, 5, PYTHON, ROS_DOMAIN_ID="7")
    subject = Subject(processes=tmp_path, environment={"ROS_DOMAIN_ID": "8"})
    [finding] = found(systems.check_systems, subject)
    assert finding.remedy == "export ROS_DOMAIN_ID=7"
    here = replace(subject, environment={"ROS_DOMAIN_ID": "7"})
    assert found(systems.check_systems, here) == []
    assert found(systems.check_systems, here, Level.RIGHT)
    process(tmp_path, 6, [*PYTHON, "--robot", "base"], ROS_DOMAIN_ID="9")
    assert found(systems.check_systems, here) == [], "another one may run elsewhere"


def test_two_systems_on_one_engine(tmp_path: Path) -> None:
    process(tmp_path, 5, [*PYTHON, "--robot", "arm"])
    process(tmp_path, 6, [*PYTHON, "-p", f"device_path:={ARM.machine}"], ROS_DOMAIN_ID="0")
    [finding] = found(systems.check_systems, Subject(processes=tmp_path, environment={}))
    assert "on one engine" in finding.text


def test_two_systems_with_the_same_topics(tmp_path: Path) -> None:
    process(tmp_path, 5, PYTHON)
    process(tmp_path, 6, [*PYTHON, "--robot", "base"])
    [finding] = found(systems.check_systems, Subject(processes=tmp_path, environment={}))
    assert "the same topics" in finding.text


def test_two_systems_side_by_side(tmp_path: Path) -> None:
    process(tmp_path, 5, PYTHON)
    process(tmp_path, 6, [*PYTHON, "--robot", "base", "--ros-args", "-r", "__ns:=/cell2"])
    subject = Subject(processes=tmp_path, environment={})
    assert found(systems.check_systems, subject) == []
    assert len(found(systems.check_systems, subject, Level.RIGHT)) == 2


def test_a_spawner_that_waits_for_no_controller_manager(tmp_path: Path) -> None:
    subject = Subject(processes=tmp_path)
    process(tmp_path, 5, ["/usr/bin/python3", "/ws/lib/others/spawner"])
    assert not [*systems.check_ros2_control(subject)]
    installed = "/opt/ros/jazzy/lib/controller_manager"
    process(tmp_path, 6, ["/usr/bin/python3", f"{installed}/spawner", "joint_state_broadcaster"])
    [finding] = found(systems.check_ros2_control, subject)
    assert "process 6" in finding.text
    assert "docs/robots.md" in finding.remedy
    process(tmp_path, 7, [f"{installed}/ros2_control_node", "--ros-args"])
    assert not [*systems.check_ros2_control(subject)], "it waits for that of another robot"


def test_an_engine_that_was_killed(runtime: Path) -> None:
    folder = runtime / f"wmx-fake-{os.getuid()}"
    folder.mkdir(mode=0o700)
    assert found(systems.check_engines, Subject(), Level.NOTE) == []
    lock = folder / "0123456789abcdef.lock"
    lock.write_text("1")
    assert found(systems.check_engines, Subject(), Level.NOTE)
    lock.unlink()


# The computer


def test_a_runtime_folder_that_others_may_enter(runtime: Path) -> None:
    (runtime / f"wmx-fake-{os.getuid()}").mkdir(mode=0o755)
    [finding] = found(computer.check_permissions, Subject())
    assert finding.remedy.startswith("export XDG_RUNTIME_DIR=")
    (runtime / f"wmx-fake-{os.getuid()}").chmod(0o700)
    assert found(computer.check_permissions, Subject()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_logs_that_cannot_be_written(runtime: Path) -> None:
    assert found(computer.check_permissions, shell_with(ROS_LOG_DIR="/proc/nobody"))


@pytest.mark.parametrize("check", computer.CHECKS)
def test_the_computer_of_the_tests_is_told_of(runtime: Path, check: Check) -> None:
    assert [*check(Subject())]
    assert [*check(Subject(driver="wmx3"))]


# What is installed


def test_a_driver_that_there_is_not() -> None:
    [finding] = found(installation.check_driver, Subject(driver="real"))
    assert "fake or wmx3" in finding.text


def test_an_sdk_that_is_not_there(tmp_path: Path) -> None:
    subject = Subject(driver="wmx3", device_path=str(tmp_path / "no"))
    if not any(Path(root).is_dir() for root in installation.ROOTS):
        [finding] = found(installation.check_driver, subject)
        assert "there is no folder" in finding.text


def test_an_sdk_folder_without_the_module(tmp_path: Path) -> None:
    [finding] = found(installation.check_driver, Subject(driver="wmx3", device_path=str(tmp_path)))
    assert "WMX3ApiPython" in finding.text


def test_an_sdk_for_another_python(tmp_path: Path) -> None:
    folder = tmp_path / "lib/PythonApi"
    folder.mkdir(parents=True)
    code = "raise ImportError('libwmx3api.so: cannot open shared object file')"
    (folder / "WMX3ApiPython.py").write_text(code)
    [finding] = found(installation.check_driver, Subject(driver="wmx3", device_path=str(tmp_path)))
    assert "cannot open shared object" in finding.text
    assert "LD_LIBRARY_PATH" in finding.remedy


def test_two_releases_in_one_shell() -> None:
    subject = shell_with(AMENT_PREFIX_PATH="/opt/ros/jazzy:/opt/ros/kilted")
    [finding] = found(installation.check_ros, subject)
    assert "jazzy and kilted" in finding.text


def test_messages_of_another_version(tmp_path: Path) -> None:
    for package, version in (("wmx_ros2_package", "0.2.0"), ("wmx_ros2_message", "0.1.0")):
        folder = tmp_path / "share" / package
        folder.mkdir(parents=True)
        (folder / "package.xml").write_text(f"<package><version>{version}</version></package>")
    [finding] = found(installation.check_ros, shell_with(AMENT_PREFIX_PATH=str(tmp_path)))
    assert "0.1.0" in finding.text
    assert finding.remedy == "make build"


def test_ros_and_messages_are_right_here() -> None:
    assert found(installation.check_ros, Subject()) == []
    assert sys.executable in next(installation.check_python(Subject())).text


# Files


Change = Callable[[dict[str, Any]], object]


def changed(tmp_path: Path, change: Change) -> Subject:
    """The arm's files, with other parameters of its nodes."""
    content = yaml.safe_load(ARM.parameters.read_text())
    change({key.rpartition("/")[2]: each["ros__parameters"] for key, each in content.items()})
    path = tmp_path / "arm.yaml"
    path.write_text(yaml.safe_dump(content))
    return replace(ARM_FILES, parameters=path)


ARM_FILES = Subject(
    device_path=str(ARM.machine),
    parameters=ARM.parameters,
    wmx_parameters=ARM.wmx_parameters,
    urdf=ARM.urdf,
)
FOLLOW, ACTUATORS = "follow_joint_trajectory_server", "wmx_actuator_node"


@pytest.mark.parametrize("name", ROBOTS)
def test_the_robots_that_are_shipped_fit(name: str) -> None:
    chosen = ROBOTS[name]
    subject = Subject(
        device_path=str(chosen.machine),
        parameters=chosen.parameters,
        wmx_parameters=chosen.wmx_parameters,
        urdf=chosen.urdf,
    )
    assert found(robot.check_robot, subject) == []
    assert found(node_parameters.check_node_parameters, subject) == []
    assert found(machine.check_engine_parameters, subject) == []
    if chosen.controllers is not None:
        subject = replace(subject, controllers=chosen.controllers)
        assert found(controllers.check_controllers, subject) == []


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("joint6]", "joint7]", "joints[5] is 'joint7': must be one of joint1, joint2"),
        ("joint6]", "joint6", "while parsing a flow sequence"),
        ("action_ns: follow_joint_trajectory", "action_ns: follow", "arm_controller/follow: must"),
        ("    - movensys", "    - movenys", "controller_names has 'movenys_manipulator"),
        ("  controller_names:", "  names:", "with a list controller_names"),
        ("joints: [", "joint: [", "must be one with a list of joints"),
    ],
)
def test_controllers_that_do_not_fit(tmp_path: Path, old: str, new: str, text: str) -> None:
    path = tmp_path / "moveit_controllers.yaml"
    assert ARM.controllers is not None
    path.write_text(ARM.controllers.read_text().replace(old, new))
    [finding] = found(controllers.check_controllers, replace(ARM_FILES, controllers=path))
    assert finding.text.startswith(f"{path}: ")
    assert text in finding.text


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


def test_a_urdf_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ARM.urdf.read_text()[:100])
    [finding] = found(robot.check_robot, replace(ARM_FILES, urdf=path))
    assert finding.text.startswith(f"{path}: is no URDF: ")


def test_two_ranges_of_one_joint(tmp_path: Path) -> None:
    subject = changed(tmp_path, lambda nodes: nodes[FOLLOW].update(position_upper=[1.0] * 6))
    notes = found(robot.check_robot, subject, Level.NOTE)
    assert len(notes) == 6
    assert "joint1 has two ranges" in notes[0].text


def test_a_base_that_is_faster_than_its_wheels(tmp_path: Path) -> None:
    base = ROBOTS["base"]
    path = tmp_path / "base.yaml"
    text = base.parameters.read_text()
    path.write_text(text.replace("max_linear_velocity: 1.4", "max_linear_velocity: 140.0"))
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


@pytest.mark.parametrize("text", ["", "[]", "a: 1", "a: {b: 1}", "{", "a: {ros__parameters: 1}"])
def test_parameters_that_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    [finding] = found(node_parameters.check_node_parameters, Subject(parameters=path))
    assert str(path) in finding.text
    assert [*robot.check_robot(Subject(parameters=path))] == []


def test_a_machine_that_is_not_there() -> None:
    assert found(machine.check_engine_parameters, Subject(device_path="/nowhere.yaml"))


# The whole


def test_the_report_fits_one_screen(shell: Shell, runtime: Path) -> None:
    ended = shell("doctor", "--robot", "arm")
    assert ended.err == ""
    assert len(ended.out.splitlines()) < 50
    for check in "python", "ros", "domain", "clock", "robot":
        assert f"  {check} " in ended.out


def test_the_exit_code_says_whether_anything_is_wrong(
    shell: Shell, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "none")
    ended = shell("doctor", "--json")
    assert ended.code == 1
    wrong = [each for each in ended.data["findings"] if each["level"] == "wrong"]
    assert len(wrong) == ended.data["wrong"] > 0
    assert "domain" in [each["check"] for each in wrong]


def test_it_needs_no_file_of_the_repository(shell: Shell, runtime: Path) -> None:
    assert CONFIG.is_dir()
    data = shell("doctor", "--json").data
    assert {each["check"] for each in data["findings"]} >= {"driver", "node parameters"}
