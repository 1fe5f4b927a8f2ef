"""Commands of wmx_actuator_node whose start is to come: whatever stops their axes forgets them."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from action_msgs.msg import GoalStatus
from actuator_client import Actuators, later
from builtin_interfaces.msg import Duration
from ros import Client
from system import CONFIG
from trajectory_msgs.msg import JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID
from wmx_ros2_message.msg import ActuatorCommand, EndMotion
from wmx_ros2_message.srv import CommandActuator

from wmx_ros2_package.control.leases import LEASE_TIMEOUT

NO_ID = "command_id is zero: a leased command must have one"
AHEAD = 0.5
"""How far a start is ahead of its command, s."""


@pytest.fixture(autouse=True)
def _at_home(client: Client) -> Iterator[None]:
    client.must("wmx/engine/estop", data=False)
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    client.must("wmx/axis/homing", index=[0, 1])
    yield
    client.must("wmx/engine/estop", data=False)
    client.must("wmx/axis/set_on", index=[0, 1], data=[0, 0])


def swing(target: float, name: str = "axis_0") -> ActuatorCommand:
    """A trajectory of an axis that takes ten seconds."""
    return ActuatorCommand(
        name=name,
        type=ActuatorCommand.TRAJECTORY,
        points=[JointTrajectoryPoint(positions=[target], time_from_start=Duration(sec=10))],
    )


def forgotten(actuators: Actuators, id: object, why: str) -> None:
    """It ended before its start, and does not begin."""
    end = actuators.end_of(id)  # type: ignore[arg-type]
    assert (end.reason, end.message) == (EndMotion.REFUSED, why)
    actuators.client.clock.sleep(AHEAD + 0.2)
    assert actuators.client.states.next().pos_cmd[0] == 0.0


def emergency_stop(actuators: Actuators) -> None:
    """One that is released."""
    for active in True, False:
        actuators.client.must("wmx/engine/estop", data=active)


STOPPED = "it was stopped before its start"
STOPS: dict[str, tuple[Callable[[Actuators], object], str]] = {
    "stop of its axis": (lambda a: a.client.must("wmx/axis/stop", index=[0]), STOPPED),
    "stop of all": (lambda a: a.client.must("wmx/axis/stop"), STOPPED),
    "its own stop": (lambda a: a.accepted("axis_0", ActuatorCommand.STOP), STOPPED),
    "emergency stop": (emergency_stop, "emergency stop before its start"),
    "servo off": (lambda a: a.client.must("wmx/axis/set_on", index=[0], data=[0]), STOPPED),
    "disarm": (lambda a: a.disarm(), STOPPED),
}


@pytest.mark.parametrize("stop", STOPS)
def test_a_stop(actuators: Actuators, client: Client, stop: str) -> None:
    act, why = STOPS[stop]
    id = actuators.wait(later(client, AHEAD))
    act(actuators)
    client.must("wmx/axis/set_on", index=[0], data=[1])
    forgotten(actuators, id, why)


def test_a_setting_of_its_axis(actuators: Actuators, client: Client) -> None:
    """It was meant in the units, the direction and the mode of before."""
    id = actuators.wait(later(client, AHEAD))
    try:
        client.must("wmx/axis/set_polarity", index=[0], data=[-1])
        forgotten(actuators, id, "the settings of its axis were changed before its start")
    finally:
        client.must("wmx/params/load", file_path=str(CONFIG / "wmx_parameters_6_axes.xml"))


def test_a_stop_of_other_axes_lets_it_begin(actuators: Actuators, client: Client) -> None:
    id = actuators.wait(later(client, AHEAD))
    client.must("wmx/axis/stop", index=[1])
    actuators.accepted("axis_1", ActuatorCommand.STOP)
    assert actuators.end_of(id).reason == EndMotion.ARRIVED
    assert client.states.next().pos_cmd[0] == 0.4


def test_a_client_that_dies_before_it(actuators: Actuators, client: Client) -> None:
    """It does not begin, though the start is later than any lease lasts."""
    command = later(client, LEASE_TIMEOUT + AHEAD)
    command.leased = True
    answer = actuators.call(actuators.executes, CommandActuator.Request(command=command))
    assert (answer.accepted, answer.message) == (False, NO_ID)
    command.command_id.uuid = list(uuid4().bytes)
    id = actuators.wait(command)
    forgotten(actuators, id, "its client did not renew its lease until its start")


def test_a_goal_that_is_canceled_before_it(actuators: Actuators, client: Client) -> None:
    handle = actuators.send_goal(later(client, AHEAD))
    client.in_thread(handle.cancel_goal_async)
    answer = actuators.result(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert [end.reason for end in answer.result.ends] == [EndMotion.REFUSED]
    client.clock.sleep(AHEAD + 0.2)
    assert client.states.next().pos_cmd[0] == 0.0


def test_a_goal_of_two_trajectories_that_is_canceled_after_it(
    actuators: Actuators, client: Client
) -> None:
    """They are one motion, of the id of the first: it is stopped, and the goal ends with it."""
    first = later(client, AHEAD, swing(5.0))
    second = swing(5.0, "axis_1")
    second.header.stamp = first.header.stamp
    handle = actuators.send_goal(first, second)
    client.states.next(lambda s: s.velocity_cmd[0] > 0.1 and s.velocity_cmd[1] > 0.1)
    client.in_thread(handle.cancel_goal_async)
    answer = actuators.result(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert [end.reason for end in answer.result.ends] == [EndMotion.CANCELED]
    assert not any(client.states.next().velocity_cmd)


@pytest.mark.long
def test_a_trajectory_that_is_canceled_while_another_slows_down(
    actuators: Actuators, client: Client
) -> None:
    """It waits until its axis rests, and does not begin then."""
    first = actuators.send_goal(swing(20.0))
    client.states.next(lambda s: abs(s.velocity_cmd[0]) > 2.0)
    client.in_thread(first.cancel_goal_async)
    client.clock.sleep(0.03)
    assert abs(client.states.next().velocity_cmd[0]) > 0.5, "it slows down still"
    second = actuators.send_goal(swing(-20.0))
    assert second.accepted
    client.in_thread(second.cancel_goal_async)
    assert actuators.result(first).status == GoalStatus.STATUS_CANCELED
    assert actuators.result(second).status == GoalStatus.STATUS_CANCELED
    client.states.next(lambda s: not any(s.velocity_cmd))
    rests_at = client.states.next().pos_cmd[0]
    client.clock.sleep(0.5)
    assert client.states.next().pos_cmd[0] == rests_at


@pytest.mark.long
def test_a_client_that_dies_while_its_trajectory_stands(
    actuators: Actuators, client: Client
) -> None:
    """It does not go on."""
    command = ActuatorCommand(
        name="axis_0",
        type=ActuatorCommand.TRAJECTORY,
        points=[
            JointTrajectoryPoint(positions=[0.1], time_from_start=Duration(sec=1)),
            JointTrajectoryPoint(positions=[0.1], time_from_start=Duration(sec=4)),
            JointTrajectoryPoint(positions=[0.5], time_from_start=Duration(sec=6)),
        ],
    )
    command.leased = True
    command.command_id.uuid = list(uuid4().bytes)
    renewals = client.node.create_publisher(UUID, "wmx/motion/lease", 10)
    id = actuators.wait(command)
    for _ in range(10):
        client.clock.sleep(0.2)
        renewals.publish(command.command_id)
    assert actuators.end_of(id).reason == EndMotion.LEASE_EXPIRED
    client.clock.sleep(4.0)
    assert client.states.next().pos_cmd[0] == pytest.approx(0.1, abs=1e-6)
