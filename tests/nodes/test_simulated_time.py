"""wmx/axis/state with `use_sim_time`: its stamps are what /clock says."""

from collections.abc import Iterator

import pytest
import system as systems
from actuator_client import Actuators, position
from held_system import held_system
from rclpy.node import Node
from ros import Client
from rosgraph_msgs.msg import Clock
from system import System
from wmx_ros2_message.msg import EndMotion

STARTED = 1_000.25
RATE = 100.0
"""Simulated seconds in a real one."""
AHEAD = 1.0
"""How far a start is ahead, s."""


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with systems.place() as place, held_system(place, "use_sim_time:=true") as system:
        system.ready()
        yield system


def stamp(client: Client) -> float:
    seen = client.state().header.stamp
    return float(seen.sec + seen.nanosec * 1e-9)


def say(node: Node, seconds: float) -> Clock:
    message = Clock()
    message.clock.sec, message.clock.nanosec = int(seconds), round(seconds % 1 * 1e9)
    return message


def test_a_state_is_stamped_with_what_the_clock_said_last(client: Client) -> None:
    assert stamp(client) == 0.0, "nobody has said a time yet"
    clock = client.node.create_publisher(Clock, "/clock", 10)
    client.eventually(clock.get_subscription_count, "somebody listens to /clock")

    def said_and_heard() -> bool:
        """/clock is best effort: what is said before the listener knows the speaker is lost."""
        clock.publish(say(client.node, STARTED))
        return stamp(client) > 0.0

    client.eventually(said_and_heard, "the stamp follows the clock")
    assert stamp(client) == STARTED, "not earlier by the real age of the sample"

    start = client.clock.now()
    said = [STARTED]
    while said[-1] <= STARTED + 0.5 * RATE:
        said.append(STARTED + RATE * (client.clock.now() - start))
        clock.publish(say(client.node, said[-1]))
        assert any(stamp(client) == pytest.approx(each, abs=1e-6) for each in said)


@pytest.mark.long
def test_a_start_to_come_follows_the_clock(client: Client) -> None:
    """Which may stand for longer than the start is ahead, and has not come to it then."""
    clock = client.node.create_publisher(Clock, "/clock", 10)
    now = 10.0 * STARTED

    def said_and_heard() -> bool:
        clock.publish(say(client.node, now))
        return stamp(client) == now

    client.eventually(said_and_heard, "the clock is heard")
    client.must("wmx/axis/set_on", index=[0], data=[1])
    actuators = Actuators(client)
    command = position("axis_0", 0.4)
    command.header.stamp = say(client.node, now + AHEAD).clock
    id = actuators.wait(command)
    for step in (0.0, 0.75):
        now += step * AHEAD
        client.eventually(said_and_heard, "the clock is heard")
        client.clock.sleep(1.5 * AHEAD)
        assert client.state().pos_cmd[0] == 0.0
        assert not [b for b in actuators.begins.since(0.0) if b.command_id == id]
    now += 0.25 * AHEAD
    client.eventually(said_and_heard, "the clock is heard")
    assert actuators.end_of(id).reason == EndMotion.ARRIVED
    assert client.state().pos_cmd[0] == 0.4
