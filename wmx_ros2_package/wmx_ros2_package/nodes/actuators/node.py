"""`wmx_actuator_node`: commands for named actuators, as topics, services and actions."""

from concurrent.futures import Future

from std_srvs.srv import Trigger
from wmx_ros2_message.msg import ActuatorCommands
from wmx_ros2_message.srv import CommandActuator

from wmx_core.values import MAX_AXES

from ...control.disarming import disarm, safe_outputs, without_slave
from ...messages.motions import uuid_message
from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode, ThrottledErrors
from ...node_base.kind import NodeKind
from ...node_base.qos import MOST_UNREAD
from .control import ActuatorControl, is_stop, is_trajectory
from .dry_runs import DryRuns
from .groups import ActuatorGroups
from .moves import ActuatorMoves
from .parameters import ActuatorNodeParameters
from .started import Started, last_arrival

COMMAND_TOPIC = "wmx/actuator/command"
MOST_BYTES = 2**20
"""The greatest size of such a message; trajectories of 1,000 points for 8 take half of it."""


class ActuatorNode:
    """Serves the commands of clients for named actuators."""

    def __init__(self, node: NodeContext[ActuatorNodeParameters]) -> None:
        self._node = node
        self._control = ActuatorControl(node)
        self._errors = ThrottledErrors(node, COMMAND_TOPIC)
        node.on_command(
            ActuatorCommands,
            COMMAND_TOPIC,
            self.command,
            MOST_UNREAD,
            most_bytes=MOST_BYTES,
            most_elements=MAX_AXES,
            stops=lambda message: is_stop(message.commands),
        )
        node.create_service(
            CommandActuator,
            "wmx/actuator/execute",
            self.execute,
            dated=True,
            quiet=True,
            late=True,
        )
        node.create_service(
            Trigger, "wmx/actuator/disarm", self.disarm, run=AnswerMode.ASIDE, late=True
        )
        node.on_attached.append(self._check_outputs)
        DryRuns(node, self._control)
        ActuatorMoves(node, self._control)
        ActuatorGroups(node, self._control)

    def _check_outputs(self) -> None:
        outputs = safe_outputs(self._node.parameters.safe_outputs)
        for missing in without_slave(self._node.driver, outputs):
            self._node.log.warning(f"safe_outputs: {missing}, a disarm fails by that")

    def command(self, message: ActuatorCommands, sent: float) -> None:
        """Begin all commands of a message in the same cycle, or none.

        In the worker; a stop in the thread that spins, before what waits. Trajectories are planned
        one after the other, and begin in the order in which they came. Anything else begins at
        once, so what comes after a trajectory may begin before it.
        """
        commands, due = self._control.accept(message.commands)
        if is_trajectory(commands):
            self._control.plan_and_start(commands, sent, due).add_done_callback(self._report)
        else:
            self._control.start(commands, sent, due)

    def _report(self, played: Future[list[Started]]) -> None:
        with self._errors:
            played.result()

    async def execute(
        self, request: CommandActuator.Request, response: CommandActuator.Response, sent: float
    ) -> str:
        """Begin all commands of a request in the same cycle, or none, and answer at once.

        The answer has the time at which the last of them is expected to end.
        """
        response.command_id = request.command.command_id
        commands, due = self._control.accept([request.command, *request.others])
        if is_stop(commands):  # before what waits in the worker
            started = self._control.start(commands, sent, due)
        else:
            started = await self._control.begin(commands, sent, due)
        response.command_id, *response.other_ids = [uuid_message(each.id) for each in started]
        if (arrival := last_arrival(started)) is not None:
            response.expected_arrival = time_message(self._node.ros_time.at(arrival))
        return f"Accepted command {', '.join(dict.fromkeys(str(each.id) for each in started))}"

    def disarm(self, _request: Trigger.Request, response: Trigger.Response) -> None:
        """Make every axis of the device safe."""
        outputs = safe_outputs(self._node.parameters.safe_outputs)
        failures = disarm(self._node.driver, self._node.gate, outputs)
        response.success = not failures
        response.message = "; ".join(failures) or "Disarmed: axes at rest, servos off"


KIND = NodeKind(
    ActuatorNode,
    ActuatorNodeParameters,
    not_ready="Actuators not initialized. Engine not ready.",
    ready_topic="wmx/actuator/ready",
    commands_motion=True,
)
