"""Robots as their users start them, beside other programs."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from arms import Arm
from system import EXECUTABLES, START_TIMEOUT, System

from wmx_ros2_package.robots.catalogue import ROBOTS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.process

WAY_TIME = 2.0 * START_TIMEOUT
"""How long the arm moves that is to move still when another program has started, s."""


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with (
        systems.place() as place,
        systems.system(place, options=("--robot", "arm")) as system,
    ):
        system.client.states.next(lambda s: all(s.servo_on[:6]))
        yield system


def test_a_robot_is_demonstrated(system: System) -> None:
    demo = system.place.run([str(EXECUTABLES / "wmx_demo")])
    assert demo.wait(60.0) == 0, demo.output
    assert "done: all axes are back" in demo.output


def test_a_recorded_stream_of_chunks_is_followed(system: System) -> None:
    """How far behind depends on how busy the machine is, that it is told does not."""
    program = system.place.run([sys.executable, str(EXAMPLES / "chunks.py")])
    assert program.wait(60.0) == 0, program.output
    assert re.search(r"11 chunks were sent, .* -?\d+ ms behind", program.output), program.output
    assert "chunk: " not in system.output, "all of them were followed"


def test_another_node_with_the_same_file_leaves_the_engine_alone(system: System) -> None:
    """Setting parameters is refused while an axis moves, and would refuse what was asked before."""
    robot = ROBOTS["arm"]
    arm = Arm(system)
    arm.ready()
    sent = arm.send(arm.away(2.0, WAY_TIME))
    assert sent.accepted()
    arm.state(lambda s: s.velocity_cmd[0] > 0.0)
    other = system.place.start(
        "manipulator_state",
        f"device_path:={robot.machine}",
        f"wmx_param_file_path:={robot.wmx_parameters}",
        "auto_servo_on:=false",
        ros=("--params-file", str(robot.parameters), "-r", "__node:=second"),
    )
    other.says("are in force")
    other.says("second is ready")
    assert arm.state().velocity_cmd[0] != 0.0
    other.stop()
    sent.cancel()
    arm.home()


def test_wmx_disarm_reaches_a_robot_by_its_name_and_says_when_it_reaches_nothing(
    system: System,
) -> None:
    """The last one: the servos are off then."""
    program = str(EXECUTABLES / "wmx_disarm")
    elsewhere = system.place.run([program])
    assert elsewhere.wait() == 2
    assert "nothing was done: the simulated engine of /opt/wmx3 does not" in elsewhere.output
    assert all(system.client.state().servo_on[:6])
    disarmed = system.place.run([program, "--robot", "arm"])
    assert disarmed.wait() == 0, disarmed.output
    assert "nodes run on the simulated engine of " in disarmed.output
    assert "/wmx_core_motion_node" in disarmed.output
    assert re.search(r"the \d+ axes of the simulated engine of /.*arm.* rest, ", disarmed.output)
    system.client.states.next(lambda s: not any(s.servo_on))
