"""`wmx` on robots: a base, an arm with its gripper, and the demonstrations of both."""

from collections.abc import Iterator

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from system import System


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with (
        systems.place() as place,
        systems.system(place, options=("--robot", "mobile_manipulator")) as system,
    ):
        system.client.states.next(lambda s: all(s.servo_on))
        yield system


def typed(system: System, *words: str, code: int = 0) -> str:
    command = system.place.run(["wmx", *words])
    assert command.wait(60.0) == code, command.output
    return command.output


def test_a_base_drives_and_turns() -> None:
    with systems.place() as place, systems.system(place, options=("--robot", "base")) as system:
        system.client.states.next(lambda s: all(s.servo_on))
        said = typed(system, "drive", "--forward", "0.1", "--turn", "0.5", "--velocity", "0.4")
        x, y, heading = (float(word.split()[1]) for word in said.splitlines()[-1].split(", "))
        assert (x, y, heading) == pytest.approx((0.1, 0.0, 0.5), abs=0.002)


def test_a_gripper_closes_and_opens(system: System) -> None:
    assert "the gripper is closed" in typed(system, "gripper", "close")
    assert system.client.must("wmx/io/get_output_bit", byte=0, bit=0).value == 1
    assert "the gripper is open" in typed(system, "gripper", "open")
    assert system.client.must("wmx/io/get_output_bit", byte=0, bit=0).value == 0


def test_joints_are_moved_by_their_names(system: System) -> None:
    assert "joint1 is at 0.1000" in typed(system, "move", "joint1", "0.1", "--velocity", "1")
    beyond = typed(system, "move", "joint1", "100", code=1)
    assert "joint1" in beyond


def test_a_robot_without_a_base_says_so() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        for words in (["drive", "--forward", "1"], ["gripper", "open"]):
            said = typed(system, *words, "--timeout", "2", code=2)
            assert "other nodes of the system in namespace / of ROS domain" in said
            assert "make run ROBOT=" in said
            assert "Traceback" not in said
