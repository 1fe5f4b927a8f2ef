"""Commands of the pages that need a system of their own."""

from pathlib import Path

import pytest
import system as systems
from action_msgs.msg import GoalStatus
from documented_commands import carry_out, commands
from held_system import held_system

MANAGER = "wmx/lifecycle/"
PAGES_OF_ROBOTS = "docs/robots.md", "docs/robot-trajectories.md", "docs/bases.md"


@pytest.mark.long
def test_the_manager_is_asked_as_the_page_says() -> None:
    programs = "bringup", "wmx_lifecycle_manager_node"
    with systems.place() as place, held_system(place, executables=programs) as system:
        system.ready()
        found = [each for each in commands("docs/reference.md") if each.name.startswith(MANAGER)]
        assert len(found) == 3
        for command in found:
            answer = carry_out(system.client, command)
            assert answer.success, answer.message


@pytest.mark.long
def test_faults_are_injected_as_the_page_says() -> None:
    with systems.place() as place, held_system(place) as system:
        system.ready()
        first, second = commands("docs/faults.md")
        system.client.must(first.name, **first.values)
        system.client.states.next(lambda s: s.amp_alarm[0])
        system.says("Engine lost")
        system.client.eventually(
            lambda: system.client.call(second.name, **second.values).success,
            "the engine is brought up again",
        )
        system.client.eventually(
            lambda: system.client.call("wmx/io/get_input_bit", byte=0, bit=3).value, "it is on"
        )


def test_a_recording_is_saved_as_the_page_says() -> None:
    with systems.place() as place:
        parameters = f"folder:={place.folder / 'files'}", "seconds_after:=0.2"
        with held_system(place, *parameters, options=["--recorder"]) as system:
            system.ready()
            [save] = commands("docs/recording.md")
            answer = carry_out(system.client, save)
            assert answer.success, answer.message
        assert Path(answer.message).is_file()


@pytest.mark.long
@pytest.mark.parametrize(("robot", "count"), [("mobile_manipulator", 4), ("gantry", 1)])
def test_every_command_for_a_robot_does_what_the_page_says(robot: str, count: int) -> None:
    """A mobile manipulator has all that the arm and the base have."""
    pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")
    with (
        systems.place() as place,
        held_system(place, options=("--robot", robot)) as system,
    ):
        client = system.client
        client.states.next(lambda s: all(s.servo_on))
        done = 0
        for command in (each for page in PAGES_OF_ROBOTS for each in commands(page)):
            if ("cartesian" in command.name) != (robot == "gantry"):
                continue
            answer = carry_out(client, command)
            done += 1
            if command.verb == "send_goal":
                assert answer.status == GoalStatus.STATUS_SUCCEEDED, answer.result
            elif command.verb == "call":
                assert answer.success, answer.message
            else:
                client.states.next(lambda s: s.velocity_cmd[0] > 0.0)
                client.states.next(lambda s: not any(s.velocity_cmd))
        assert done == count
