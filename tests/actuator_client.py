"""A client of wmx_actuator_node, for tests."""

from typing import Any

from motion_events import EVENTS_QOS
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from recording import Recording
from ros import Client
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from waits import WAIT_TIMEOUT
from wmx_ros2_message.action import MoveActuators
from wmx_ros2_message.msg import (
    ActuatorCommand,
    ActuatorCommands,
    ActuatorGroup,
    ActuatorValue,
    ActuatorValues,
    BeginMotion,
    EndMotion,
)
from wmx_ros2_message.srv import CommandActuator, PlanMotion

QUICK: dict[str, Any] = {"velocity": 2.0, "acceleration": 20.0}


class Actuators:
    """A client of the node."""

    def __init__(self, client: Client) -> None:
        node = client.node
        self.client = client
        self.executes = node.create_client(CommandActuator, "wmx/actuator/execute")
        self._parameters = node.create_client(SetParameters, "wmx_actuator_node/set_parameters")
        self._plans = node.create_client(PlanMotion, "wmx/motion/plan")
        self._disarm = node.create_client(Trigger, "wmx/actuator/disarm")
        self.topic = node.create_publisher(ActuatorCommands, "wmx/actuator/command", 10)
        self.groups = node.create_publisher(ActuatorGroup, "wmx/actuator_group/command", 10)
        self.state: Recording = client.listen("wmx/actuator_group/state", ActuatorGroup, 100)
        self.begins: Recording = client.listen("wmx/motion/begin", BeginMotion, EVENTS_QOS)
        self.ends: Recording = client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)
        self.action = client.action(MoveActuators, "wmx/actuator/move")
        assert self.executes.wait_for_service(WAIT_TIMEOUT)
        assert self.action.wait_for_server(WAIT_TIMEOUT)
        client.eventually(self.topic.get_subscription_count, "somebody takes commands")
        client.eventually(self.groups.get_subscription_count, "somebody takes groups")
        client.listen_ready("wmx/actuator/ready").first(0.0, lambda message: message.data)
        self.meet()

    def meet(self) -> None:
        """Let the node answer harmless requests: first answers may be lost, see Client.meet."""

        def answered() -> bool:
            asked = (
                self.executes.call_async(CommandActuator.Request()),
                self._parameters.call_async(SetParameters.Request()),
                self._plans.call_async(PlanMotion.Request()),
            )
            return all(self.client.answer(each).comes() for each in asked)

        self.client.eventually(answered, "the node answers")

    def call(self, service: Any, request: Any) -> Any:
        return self.client.answer(service.call_async(request)).result()

    def plan(self, *commands: ActuatorCommand) -> Any:
        """What the commands of one step would do."""
        assert self._plans.wait_for_service(WAIT_TIMEOUT)
        step = ActuatorCommands(commands=list(commands))
        return self.call(self._plans, PlanMotion.Request(steps=[step]))

    def accepted(self, name: str, type: int, value: float = 0.0, **fields: Any) -> UuidMessage:
        """The id of a command that has to be taken."""
        answer = self.execute(name, type, value, **fields)
        assert answer.accepted, answer.message
        return answer.command_id

    def refused(self, name: str, type: int, value: float = 0.0, **fields: Any) -> str:
        """Why a command was not taken, which has to be refused."""
        answer = self.execute(name, type, value, **fields)
        assert not answer.accepted
        return str(answer.message)

    def wait(self, command: ActuatorCommand) -> UuidMessage:
        """The id of a command that is to start later."""
        answer = self.call(self.executes, CommandActuator.Request(command=command))
        assert answer.accepted, answer.message
        return answer.command_id

    def set(self, **parameters: Any) -> None:
        """Change parameters of the node, which has to take them."""
        changes = [
            Parameter(name, value=value).to_parameter_msg() for name, value in parameters.items()
        ]
        answer = self.call(self._parameters, SetParameters.Request(parameters=changes))
        assert all(result.successful for result in answer.results), answer.results

    def execute(self, name: str, type: int, value: float = 0.0, **fields: Any) -> Any:
        command = ActuatorCommand(name=name, type=type, value=value, **fields)
        return self.call(self.executes, CommandActuator.Request(command=command))

    def group(self, name: str, **values: float) -> None:
        """Command by the topic of groups, with values by the names of their semantics."""
        of_it = [
            ActuatorValue(semantics=getattr(ActuatorValue, kind), value=value)
            for kind, value in values.items()
        ]
        self.groups.publish(ActuatorGroup(names=[name], actuators=[ActuatorValues(values=of_it)]))

    def disarm(self) -> Any:
        return self.call(self._disarm, Trigger.Request())

    def end_of(self, id: UuidMessage) -> EndMotion:
        return self.ends.first(0.0, lambda end: list(end.command_id.uuid) == list(id.uuid))

    def send_goal(self, *commands: ActuatorCommand, feedback: Any = None) -> Any:
        goal = MoveActuators.Goal(commands=list(commands))
        future = self.client.in_thread(
            lambda: self.action.send_goal_async(goal, feedback_callback=feedback)
        )
        return self.client.answer(future).result()

    def result(self, handle: Any) -> Any:
        return self.client.answer(self.client.in_thread(handle.get_result_async)).result()


def position(name: str, value: float, **fields: Any) -> ActuatorCommand:
    return ActuatorCommand(
        name=name, type=ActuatorCommand.POSITION, value=value, **{**QUICK, **fields}
    )


def later(
    client: Client, seconds: float, command: ActuatorCommand | None = None
) -> ActuatorCommand:
    """A command, a position unless said otherwise, that is to start so many seconds from now."""
    start = client.clock.time_ns() + int(seconds * 1e9)
    command = command or position("axis_0", 0.4)
    command.header.stamp.sec, command.header.stamp.nanosec = divmod(start, 10**9)
    return command
