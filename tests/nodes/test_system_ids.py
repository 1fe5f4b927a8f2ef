"""Commands that name their system: a node of another one does nothing of what they ask for."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from actuator_client import Actuators, position
from ros import READY_QOS, Client
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands, EndMotion
from wmx_ros2_message.srv import CommandActuator

from wmx_core.errors import RefusalCode
from wmx_ros2_package.messages.motions import uuid, uuid_message


@pytest.fixture(scope="module")
def own(client: Client) -> UuidMessage:
    """The id of the system, as it is published."""
    published = client.listen("wmx/engine/system", UuidMessage, READY_QOS)
    return published.first(0.0, lambda _: True)  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def _at_home(client: Client) -> Iterator[None]:
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    client.must("wmx/axis/homing", index=[0, 1])
    yield
    client.must("wmx/axis/stop")
    client.states.next(lambda state: all(state.motion_complete))
    client.must("wmx/axis/set_on", index=[0, 1], data=[0, 0])


def foreign(name: str = "axis_0", **fields: object) -> ActuatorCommand:
    command = position(name, 0.3, **fields)
    command.command_id = uuid_message(uuid4())
    command.system_id = uuid_message(uuid4())
    return command


def refused(actuators: Actuators, command: ActuatorCommand) -> None:
    """Nothing has moved and nothing is owned; its one event is a refusal that has another id."""
    name = command.name
    found = actuators.ends.first(
        0.0, lambda end: str(uuid(command.system_id)) in end.message and end.names == [name]
    )
    assert found.reason == EndMotion.REFUSED
    assert uuid(found.command_id) != uuid(command.command_id)
    assert not [
        begin for begin in actuators.begins.since(0.0) if begin.command_id == command.command_id
    ]
    assert not any(actuators.client.states.next().pos_cmd[:2])
    actuators.client.must("wmx/axis/set_mode", index=[0, 1], data=[0, 0])  # nobody owns them


def test_the_id_is_published_and_explained(client: Client, own: UuidMessage) -> None:
    answer = client.call("wmx/axis/explain")
    assert answer.system_id == own
    assert uuid(own).int
    assert not answer.other_systems


@pytest.mark.parametrize("alone", [True, False])
def test_a_service_refuses_with_a_code(
    actuators: Actuators, own: UuidMessage, *, alone: bool
) -> None:
    command = foreign("axis_1")
    request = CommandActuator.Request(command=command)
    if not alone:
        ours = position("axis_0", 0.3, system_id=own)
        request = CommandActuator.Request(command=ours, others=[command])
    answer = actuators.call(actuators.executes, request)
    assert not answer.accepted
    assert answer.code == RefusalCode.OTHER_SYSTEM
    refused(actuators, command)


def test_a_message_is_refused_as_a_whole(actuators: Actuators, own: UuidMessage) -> None:
    command = foreign("axis_1")
    ours = position("axis_0", 0.3, system_id=own)
    actuators.topic.publish(ActuatorCommands(commands=[ours, command]))
    refused(actuators, command)


def test_a_goal_is_rejected(actuators: Actuators) -> None:
    command = foreign()
    assert not actuators.send_goal(command).accepted
    refused(actuators, command)


def test_nothing_is_planned(actuators: Actuators) -> None:
    count = len(actuators.ends.since(0.0))
    command = foreign()
    answer = actuators.plan(command)
    assert not answer.accepted
    assert str(uuid(command.system_id)) in answer.message
    assert len(actuators.ends.since(0.0)) == count, "nothing was commanded"


@pytest.mark.parametrize("named", [True, False])
def test_its_own_system_carries_it_out(actuators: Actuators, own: UuidMessage, named: bool) -> None:
    system = own if named else UuidMessage()
    command = position("axis_0", 0.3, system_id=system)
    id = actuators.wait(command)
    assert actuators.end_of(id).reason == EndMotion.ARRIVED


def test_a_stop_is_obeyed_whatever_it_is_for(actuators: Actuators, client: Client) -> None:
    id = actuators.wait(position("axis_0", 100.0))
    client.states.next(lambda state: state.velocity_cmd[0] > 0.1)
    stop = ActuatorCommand(name="axis_0", type=ActuatorCommand.STOP)
    stop.system_id = uuid_message(UUID(int=7))
    actuators.topic.publish(ActuatorCommands(commands=[stop]))
    assert actuators.end_of(id).reason == EndMotion.STOPPED


def test_what_is_refused_by_the_engine_has_its_code(actuators: Actuators, client: Client) -> None:
    client.must("wmx/axis/set_on", index=[0], data=[0])
    command = position("axis_0", 0.3)
    answer = actuators.call(actuators.executes, CommandActuator.Request(command=command))
    assert not answer.accepted
    assert f"Error={answer.code} " in answer.message
