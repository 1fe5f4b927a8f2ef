"""The commands for named actuators in the documentation, carried out as they stand there."""

from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from documented_commands import carry_out, commands
from motion_events import EVENTS_QOS, identity
from ros import Client
from wmx_ros2_message.msg import BeginMotion, EndMotion

PAGE, PLACE = "docs/actuators.md", "## Commands"


@pytest.mark.long
def test_every_command_does_what_the_page_says(client: Client) -> None:
    begins: Any = client.listen("wmx/motion/begin", BeginMotion, EVENTS_QOS)
    ends: Any = client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)
    done = []
    client.must("wmx/axis/clear_alarm", index=[0, 1])
    for command in commands(PAGE, PLACE):
        client.clock.sleep(1.0)  # who types them needs longer
        answer = carry_out(client, command)
        done.append(command.name)
        if command.verb == "send_goal":
            assert answer.status == GoalStatus.STATUS_SUCCEEDED, answer.result.message
        elif command.name == "wmx/actuator/execute":
            assert answer.accepted, answer.message
            end = ends.first(0.0, lambda e, id=answer.command_id: e.command_id == id)
            assert end.reason == EndMotion.ARRIVED
            client.states.next(lambda s: not any(abs(v) > 0.005 for v in s.actual_velocity))
        elif command.verb == "call":
            assert answer.success, answer.message
    assert {"wmx/actuator/move", "wmx/actuator/execute", "wmx/actuator_group/command"} <= {*done}
    client.states.next(lambda s: abs(s.pos_cmd[1] - 0.5) < 1e-9)

    def pairs() -> bool:
        return {identity(b) for b in begins.since(0.0)} <= {identity(e) for e in ends.since(0.0)}

    client.eventually(pairs, "each begin has an end")


def test_the_dry_run_of_the_page_is_accepted_and_moves_nothing(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    # An effort of the page has turned axis 0 far away: from there it takes longer than is computed.
    client.must("wmx/axis/reference", index=[0], position=[0.0])
    before = list(client.states.next().pos_cmd)
    [command] = commands(PAGE, "## Dry runs")
    answer = carry_out(client, command)
    assert answer.accepted, answer.message
    assert [motion.step for motion in answer.motions] == [0, 0, 1]
    assert list(client.states.next().pos_cmd) == before
