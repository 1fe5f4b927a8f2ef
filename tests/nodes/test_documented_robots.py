"""The commands for robots in the documentation, carried out as they stand there."""

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from action_msgs.msg import GoalStatus
from documented_commands import carry_out, commands
from held_system import held_system

pytestmark = pytest.mark.long

PAGES = "docs/robots.md", "docs/robot-trajectories.md", "docs/bases.md"


@pytest.mark.parametrize(("robot", "count"), [("mobile_manipulator", 4), ("gantry", 1)])
def test_every_command_does_what_the_page_says(robot: str, count: int) -> None:
    """A mobile manipulator has all that the arm and the base have."""
    with (
        systems.place() as place,
        held_system(place, options=("--robot", robot)) as system,
    ):
        client = system.client
        client.states.next(lambda s: all(s.servo_on))
        done = 0
        for command in (each for page in PAGES for each in commands(page)):
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
