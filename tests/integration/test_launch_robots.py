"""The launch files of robots: every node comes up, Ctrl-C ends all, what is wrong is told."""

import pytest
import system as systems
from launches import interrupt, launched, needs_launch
from ros import eventually

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
        interrupt(launch, 10.0)
        cleanly = launch.output.count("process has finished cleanly")
        assert cleanly == len(programs), launch.output
        for word in "Traceback", "process has died":
            assert word not in launch.output, launch.output
        # On a busy machine a node takes longer than launch waits for it without a word.
        errors = [line for line in launch.output.splitlines() if "[ERROR]" in line]
        assert all("escalating to 'SIGTERM'" in line for line in errors), launch.output
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
            interrupt(launch, 10.0)
