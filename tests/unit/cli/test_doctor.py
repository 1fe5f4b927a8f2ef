"""What the doctor finds, each fault by itself, and what is right."""

import errno
import os
import shutil
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Shell
from doctor_findings import ARM, found

from wmx_ros2_package.cli.doctor import computer, installation, network, systems
from wmx_ros2_package.cli.doctor.finding import Check, Level, Subject, note
from wmx_ros2_package.robots.catalogue import CONFIG


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


def process(
    folder: Path, number: int, words: Iterable[str], state: str = "S", **environment: str
) -> None:
    """A process as /proc shows it."""
    entry = folder / str(number)
    entry.mkdir()
    (entry / "cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in words))
    (entry / "stat").write_text(f"{number} (a (name) of T) {state} 1 {number}\n")
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


def test_a_system_that_is_suspended(tmp_path: Path) -> None:
    process(tmp_path, 5, PYTHON, "T")
    subject = Subject(processes=tmp_path, environment={})
    [finding] = found(systems.check_systems, subject)
    assert "process 5, domain 0: it is suspended" in finding.text
    assert finding.remedy.startswith("kill -CONT 5 ")
    assert not found(systems.check_systems, subject, Level.RIGHT)


def test_two_systems_on_one_engine(tmp_path: Path) -> None:
    process(tmp_path, 5, [*PYTHON, "--robot", "arm"])
    process(tmp_path, 6, [*PYTHON, "-p", f"device_path:={ARM.machine}"], ROS_DOMAIN_ID="0")
    [finding] = found(systems.check_systems, Subject(processes=tmp_path, environment={}))
    assert "on one engine" in finding.text


def test_what_runs_a_system_is_none(tmp_path: Path) -> None:
    """Such as `timeout 60 bringup`, whose own words are those of the system, too."""
    process(tmp_path, 5, ["timeout", "60", "bringup"])
    process(tmp_path, 6, ["tail", "-f", "/tmp/bringup"])
    process(tmp_path, 7, ["/usr/bin/python3", "-u", PYTHON[1]])
    process(tmp_path, 8, ["/ws/bin/wmx_engine_node", "--ros-args"], ROS_DOMAIN_ID="7")
    assert [each.process for each in systems.running_systems(tmp_path)] == [7, 8]


@pytest.mark.parametrize(("second", "shared"), [("first", True), ("second", False), (None, True)])
def test_a_device_path_is_that_of_the_folder_of_its_process(
    tmp_path: Path, second: str | None, shared: bool
) -> None:
    for number, folder in ((5, "first"), (6, second)):
        named = "cell.yaml" if folder else str(tmp_path / "first" / "cell.yaml")
        process(tmp_path, number, PYTHON, WMX_DEVICE_PATH=named, ROS_DOMAIN_ID=f"{number}")
        (tmp_path / str(number) / "cwd").symlink_to(tmp_path / (folder or "third"))
    findings = [*systems.check_systems(Subject(processes=tmp_path, environment={}))]
    assert any("on one engine" in each.text for each in findings) is shared


@pytest.mark.parametrize("typed", [["--robot", "./my_arm"], ["--robot=./my_arm"]])
def test_a_robot_is_that_of_the_folder_of_its_process(tmp_path: Path, typed: list[str]) -> None:
    for number in 5, 6:
        process(tmp_path, number, [*PYTHON, *typed], ROS_DOMAIN_ID=f"{number}")
        robot = tmp_path / f"cell{number}" / "my_arm"
        robot.mkdir(parents=True)
        for name in "robot.yaml", "machine.yaml":
            shutil.copy(CONFIG / "robots/arm" / name, robot)
        (tmp_path / str(number) / "cwd").symlink_to(robot.parent)
    first, second = systems.running_systems(tmp_path)
    assert first.device_path == str(tmp_path / "cell5/my_arm/machine.yaml")
    assert second.device_path == str(tmp_path / "cell6/my_arm/machine.yaml")


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ({}, {"WMX_DRIVER": "wmx3"}, False),
        ({"WMX_DRIVER": "wmx3"}, {"WMX_DRIVER": "wmx3"}, True),
        ({"XDG_RUNTIME_DIR": "/a"}, {"XDG_RUNTIME_DIR": "/b"}, False),
        ({"WMX_DRIVER": "wmx3", "XDG_RUNTIME_DIR": "/a"}, {"WMX_DRIVER": "wmx3"}, True),
    ],
)
def test_systems_on_one_path_share_an_engine_of_one_driver(
    tmp_path: Path, first: dict[str, str], second: dict[str, str], shared: bool
) -> None:
    """The engine of the vendor is one, whichever folder the files of its nodes are in."""
    process(tmp_path, 5, PYTHON, ROS_DOMAIN_ID="5", **first)
    process(tmp_path, 6, PYTHON, ROS_DOMAIN_ID="6", **second)
    findings = [*systems.check_systems(Subject(processes=tmp_path, environment={}))]
    assert any("on one engine" in each.text for each in findings) is shared


def test_the_driver_of_the_command_line_counts_more(tmp_path: Path) -> None:
    process(tmp_path, 5, [*PYTHON, "--ros-args", "-p", "driver:=wmx3"], ROS_DOMAIN_ID="5")
    process(tmp_path, 6, PYTHON, ROS_DOMAIN_ID="6", WMX_DRIVER="wmx3")
    findings = [*systems.check_systems(Subject(processes=tmp_path, environment={}))]
    assert any("on one engine" in each.text for each in findings)


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
    assert "docs/ros2-control.md" in finding.remedy
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


def test_logs_in_a_folder_that_may_not_be_entered(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Python 3.14 a path does not answer then whether it exists."""

    def refused(_path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "exists", refused)
    monkeypatch.setattr(computer, "private_directory", lambda _: runtime / "own")
    assert [*computer.check_permissions(shell_with(ROS_LOG_DIR="/closed/logs"))]


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


@pytest.mark.usefixtures("other_package")
def test_a_driver_of_another_package(shell: Shell) -> None:
    [finding] = installation.check_driver(Subject(driver="mine"))
    assert finding == note("driver", "mine: REAL hardware")
    refused = shell("disarm", "--driver", "real").err
    assert all(f"'{name}'" in refused for name in ("fake", "wmx3", "mine")), refused


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
    of_files = "node parameters", "engine parameters", "robot", "controllers"
    assert not [e for e in data["findings"] if e["check"] in of_files and e["level"] == "wrong"]
    assert {each["check"] for each in data["findings"]} >= {"driver", "node parameters"}
