"""Velocities and efforts of wmx_actuator_node: how long they last, and where they end."""

from collections.abc import Iterator
from typing import Any

import pytest
from actuator_client import Actuators, later
from builtin_interfaces.msg import Duration
from motion_events import near
from ros import COMMANDS, Client
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

ABSOLUTE, *_ = COMMANDS
VELOCITY, EFFORT = ActuatorCommand.VELOCITY, ActuatorCommand.EFFORT
FOREVER = 1e9
READY = "axis 1: nothing blocks motion"
LEASE = 1.2
"""s."""
RUN: dict[str, Any] = {"acceleration": 20.0}


@pytest.fixture(scope="module")
def actuators(client: Client) -> Actuators:
    actuators = Actuators(client)
    client.clock.sleep(LEASE)  # a node that has just started takes leases from who has paused
    return actuators


@pytest.fixture(autouse=True)
def _at_home(client: Client, actuators: Actuators) -> Iterator[None]:
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    client.must("wmx/axis/homing", index=[0, 1])
    actuators.set(timeout=0.0, position_min=[-FOREVER], position_max=[FOREVER])
    yield
    client.must("wmx/axis/stop")
    client.states.next(lambda s: not any(s.velocity_cmd))
    client.must("wmx/axis/set_on", index=[0, 1], data=[0, 0])


@pytest.mark.long
def test_a_client_that_falls_silent_loses_its_lease(actuators: Actuators, client: Client) -> None:
    actuators.set(timeout=LEASE)
    id = actuators.accepted("axis_0", VELOCITY, 1.0, **RUN)
    for _ in range(8):
        client.clock.sleep(LEASE / 4.0)
        assert actuators.accepted("axis_0", VELOCITY, 1.0, **RUN) == id, "it is one motion"
    silent = client.clock.now()
    assert actuators.end_of(id).reason == EndMotion.LEASE_EXPIRED
    assert client.clock.now() - silent <= LEASE + 1.0


@pytest.mark.long
def test_what_begins_later_is_a_motion_of_its_own(actuators: Actuators, client: Client) -> None:
    """The lease that runs as it is ordered is over by then."""
    actuators.set(timeout=LEASE)
    run = ActuatorCommand(name="axis_0", type=VELOCITY, value=1.0, **RUN)
    ids = actuators.wait(run), actuators.wait(later(client, 2.5 * LEASE, run))
    assert ids[0] != ids[1]
    assert [actuators.end_of(id).reason for id in ids] == [EndMotion.LEASE_EXPIRED] * 2


def test_a_lease_that_was_stopped_has_to_pause(actuators: Actuators, client: Client) -> None:
    actuators.set(timeout=LEASE)
    actuators.accepted("axis_1", VELOCITY, 1.0, **RUN)
    client.states.next(lambda s: s.velocity_cmd[1] == 1.0)
    client.must("wmx/axis/stop", index=[1])
    for _ in range(3):
        refusal = actuators.refused("axis_1", VELOCITY, 1.0, **RUN)
        assert f"have to pause for {LEASE:g} s" in refusal
        assert "it was stopped" in refusal
        client.clock.sleep(LEASE / 4.0)
        actuators.accepted("axis_1", ActuatorCommand.STOP)
    assert client.states.next().velocity_cmd[1] == 0.0
    client.clock.sleep(LEASE + 0.1)
    actuators.accepted("axis_1", VELOCITY, 1.0, **RUN)


def test_a_lease_that_was_refused_has_to_pause(actuators: Actuators, client: Client) -> None:
    """It does not begin to move by itself when what blocked it is over."""
    actuators.set(timeout=LEASE)
    client.must("wmx/axis/set_on", index=[1], data=[0])
    actuators.refused("axis_1", VELOCITY, 1.0, **RUN)
    client.must("wmx/axis/set_on", index=[1], data=[1])
    assert "have to pause" in actuators.refused("axis_1", VELOCITY, 1.0, **RUN)
    client.clock.sleep(LEASE + 0.1)
    actuators.accepted("axis_1", VELOCITY, 1.0, **RUN)


@pytest.mark.long
@pytest.mark.parametrize(("direction", "duration"), [(1.0, 0), (-1.0, 5)])
def test_a_velocity_stands_at_the_limit_of_position(
    actuators: Actuators, client: Client, direction: float, duration: int
) -> None:
    actuators.set(position_min=[-1.5], position_max=[1.5])
    start = client.clock.now()
    id = actuators.accepted(
        "axis_0", VELOCITY, direction, duration=Duration(sec=duration), acceleration=2.0
    )
    end = actuators.end_of(id)
    assert (end.reason, list(end.final_position)) == (EndMotion.LIMIT, [near(direction * 1.5)])
    assert "of 'axis_0', " in end.message
    assert max(abs(s.pos_cmd[0]) for s in client.states.since(start)) <= 1.5
    assert max(abs(s.velocity_cmd[0]) for s in client.states.since(start)) == pytest.approx(1.0)
    refusal = actuators.refused("axis_0", VELOCITY, direction, **RUN)
    assert "it stands at" in refusal
    assert "must not go further than position_m" in refusal
    back = actuators.accepted("axis_0", VELOCITY, -direction, duration=Duration(sec=1), **RUN)
    assert actuators.end_of(back).reason == EndMotion.ARRIVED


def test_an_effort_ends_at_the_limit_of_position(actuators: Actuators, client: Client) -> None:
    actuators.set(position_min=[-2.0], position_max=[2.0])
    id = actuators.accepted("axis_1", EFFORT, 8.0)
    end = actuators.end_of(id)
    assert (end.reason, end.message) == (EndMotion.LIMIT, "position_max of 'axis_1', 2")
    client.states.next(lambda s: abs(s.actual_velocity[1]) < 0.01)
    refusal = actuators.refused("axis_1", EFFORT, 8.0)
    assert "must not go further than position_max of 'axis_1', 2" in refusal


@pytest.mark.parametrize("end", ["duration", "stop"])
def test_after_an_effort_the_axis_is_in_position_mode_again(
    actuators: Actuators, client: Client, end: str
) -> None:
    duration = Duration(nanosec=200_000_000 if end == "duration" else 0)
    id = actuators.accepted("axis_1", EFFORT, 5.0, duration=duration)
    if end == "stop":
        client.states.next(lambda s: s.actual_torque[1] > 3.0)
        client.must("wmx/axis/stop", index=[1])
    reason = actuators.end_of(id).reason
    assert reason == (EndMotion.ARRIVED if end == "duration" else EndMotion.STOPPED)
    assert client.must("wmx/axis/explain", index=[1]).explanations == [READY]
    client.move(ABSOLUTE, [1], [0.5], [5.0], [50.0], [50.0])
    client.at_rest(1, 0.5)
