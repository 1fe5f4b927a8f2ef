"""The launch files of robots: every node comes up, Ctrl-C ends all, what is wrong is told."""

import pytest
import system as systems
from launches import interrupt, launched, needs_launch
from lifecycle import Managed
from ros import Client, eventually

from wmx_ros2_package.robots.catalogue import ROBOTS

pytestmark = needs_launch


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_robot_comes_up_and_ctrl_c_ends_it(robot: str) -> None:
    programs = ROBOTS[robot].nodes
    with systems.place() as place, launched(place, "robot", f"robot:={robot}") as launch:
        # The node of the engine says what it has started instead.
        for program in programs[1:]:
            launch.says(f"{program} is ready")
        launch.says("Communication started")
        assert str(ROBOTS[robot].machine) in launch.output
        assert f"The WMX parameters of {ROBOTS[robot].wmx_parameters} are in force" in launch.output
        interrupt(launch)
        assert launch.wait(10.0) == 0, launch.output
        assert launch.output.count("process has finished cleanly") == len(programs)
        for word in "Traceback", "[ERROR]", "process has died":
            assert word not in launch.output, launch.output
        eventually(place.is_empty, "nothing of the engine is left")


def test_arguments_win_over_the_parameters_of_the_file() -> None:
    with systems.place() as place:
        machine = place.machine(axes=2)
        arguments = (
            "namespace:=cell1",
            f"device_path:={machine}",
            "wmx_param_file_path:=none",
            "use_sim_time:=true",
            "absolute_names:=move",
        )
        with launched(place, "base", *arguments) as launch:
            launch.says("[cell1.diff_drive_controller]: diff_drive_controller is ready")
            launch.says(f"Device created (attempt 1): {machine}")
            assert "are in force" not in launch.output
            interrupt(launch)
            assert launch.wait(10.0) == 0, launch.output


def test_without_autostart_nothing_is_configured() -> None:
    with systems.place() as place, launched(place, "base", "autostart:=false") as launch:
        client = Client(place.domain)
        try:
            node = Managed(client, "diff_drive_controller")
            assert node.state() == "unconfigured"
        finally:
            client.close()
        assert "is ready" not in launch.output
        assert place.is_empty()
        interrupt(launch)
        assert launch.wait(10.0) == 0, launch.output


def test_a_node_that_refuses_ends_the_robot() -> None:
    """The SDK of real hardware is found missing by the nodes alone."""
    with systems.place() as place, launched(place, "base", "driver:=wmx3") as launch:
        assert launch.wait(30.0) == 1
        assert "refused to start, as it says above" in launch.output
        assert place.is_empty()


def test_a_robot_without_a_gripper_can_be_given_one() -> None:
    arguments = "use_gripper:=yes", "auto_servo_on:=off"
    with (
        systems.place() as place,
        launched(place, "wmx_ros2_cr5a_manipulator", *arguments) as launch,
    ):
        launch.says("gripper_controller is ready")
        interrupt(launch)
        assert launch.wait(10.0) == 0, launch.output


@pytest.mark.parametrize("file", ["wmx_ros2_general_package", "arm"])
def test_a_parameter_file_that_is_not_there_starts_nothing(file: str) -> None:
    refused(file, "params_file", "/no/such.yaml")


@pytest.mark.parametrize(
    ("file", "argument", "path"),
    [
        ("mobile_manipulator", "wmx_param_file_path", "/no/such.xml"),
        ("mobile_manipulator", "device_path", "/no/such.yml"),
        ("wmx_ros2_general_package", "device_path", "/no/such.yaml"),
        ("base", "wmx_param_file_path", "/tmp"),
    ],
)
def test_other_files_have_to_be_there(file: str, argument: str, path: str) -> None:
    refused(file, argument, path)


def refused(file: str, argument: str, path: str) -> None:
    with systems.place() as place, launched(place, file, f"{argument}:={path}") as launch:
        assert launch.wait() == 1
        assert f"{argument} is '{path}': must be the path of a file" in launch.output
        assert "process started" not in launch.output
