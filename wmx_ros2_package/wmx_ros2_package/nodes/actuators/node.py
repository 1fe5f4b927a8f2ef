"""`wmx_actuator_node`: commands for named actuators, as topics, services and actions."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass

from std_srvs.srv import Trigger
from wmx_ros2_message.msg import ActuatorCommands
from wmx_ros2_message.srv import CommandActuator

from ...actuators.command import CommandType
from ...actuators.description import KINDS, Actuator, actuators
from ...control.disarming import disarm, safe_outputs
from ...drivers.values import MAX_AXES
from ...messages import actuators as messages
from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode, ThrottledErrors
from ...node_base.kind import NodeKind
from ...node_base.parameters import parameter
from ...node_base.qos import MOST_UNREAD
from ...validation import BadRequest
from .control import ActuatorControl, Started, is_trajectory
from .dry_runs import DryRuns
from .groups import ActuatorGroups
from .moves import ActuatorMoves

COMMAND_TOPIC = "wmx/actuator/command"
MOST_BYTES = 2**20
"""The greatest size of such a message; trajectories of 1,000 points for 8 take half of it."""
STATE_RATE = 100.0
"""The default rate of `wmx/actuator_group/state`, Hz."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorNodeParameters:
    """The parameters of `wmx_actuator_node`: parallel arrays, one element for each of `names`.

    One element stands for all actuators, an empty array for the defaults of `Actuator`.
    """

    names: tuple[str, ...] = parameter(
        tuple(f"axis_{axis}" for axis in range(6)), "names of the actuators"
    )
    axes: tuple[int, ...] = parameter((), "the axis of each; 0, 1, 2... if empty", (0, 127))
    kinds: tuple[str, ...] = parameter((), "of each: rad and N*m, or m and N", words=KINDS)
    position_min: tuple[float, ...] = parameter((), "rad or m", changeable=True)
    position_max: tuple[float, ...] = parameter((), "rad or m", changeable=True)
    velocity_max: tuple[float, ...] = parameter((), "rad/s or m/s", changeable=True)
    acceleration_max: tuple[float, ...] = parameter((), "rad/s^2 or m/s^2", changeable=True)
    effort_max: tuple[float, ...] = parameter((), "N*m or N", changeable=True)
    velocity: tuple[float, ...] = parameter(
        (), "of a move whose command has none, rad/s or m/s", changeable=True
    )
    acceleration: tuple[float, ...] = parameter(
        (), "of a command that has none, rad/s^2 or m/s^2", changeable=True
    )
    effort_per_percent: tuple[float, ...] = parameter(
        (), "N*m or N per percent of rated torque", changeable=True
    )
    state_rate: float = parameter(
        STATE_RATE, "messages on wmx/actuator_group/state a second, Hz", (1.0, 1000.0)
    )
    feedback_rate: float = parameter(
        20.0, "feedback of wmx/actuator/move a second, Hz", (0.1, 200.0), changeable=True
    )
    timeout: float = parameter(
        0.0,
        "how long VELOCITY and EFFORT without duration hold unless commanded anew, s; "
        "0 until they are stopped",
        (0.0, 3600.0),
        changeable=True,
    )
    safe_outputs: tuple[str, ...] = parameter(
        (), 'outputs and their values when disarmed, such as "2.0=0"', changeable=True
    )
    open_loop: tuple[str, ...] = parameter(
        (), "actuators without encoder, whose position is estimated from their commands"
    )

    def __post_init__(self) -> None:
        known = self.actuators()
        try:
            safe_outputs(self.safe_outputs)
        except ValueError as error:
            raise BadRequest([f"safe_outputs: {error}"]) from None
        if strangers := [name for name in self.open_loop if name not in known]:
            raise BadRequest([f"open_loop has {strangers[0]!r}: must be one of {', '.join(known)}"])

    def actuators(self) -> Mapping[str, Actuator]:
        """The actuators by their names."""
        return actuators(asdict(self))


class ActuatorNode:
    """Serves the commands of clients for named actuators."""

    def __init__(self, node: NodeContext[ActuatorNodeParameters]) -> None:
        self._node = node
        self._described = node.parameters.actuators()
        node.on_change(self._change)
        self._control = ActuatorControl(
            node, lambda: self._described, lambda: node.parameters.timeout
        )
        self._errors = ThrottledErrors(node, COMMAND_TOPIC)
        node.on_command(
            ActuatorCommands,
            COMMAND_TOPIC,
            self.command,
            MOST_UNREAD,
            most_bytes=MOST_BYTES,
            most_elements=MAX_AXES,
            stops=self._stops_now,
        )
        node.create_service(CommandActuator, "wmx/actuator/execute", self.execute, quiet=True)
        node.create_service(Trigger, "wmx/actuator/disarm", self.disarm, run=AnswerMode.ASIDE)
        DryRuns(node, self._control, lambda: self._described)
        ActuatorMoves(node, self._control, lambda: node.parameters.feedback_rate)
        ActuatorGroups(
            node,
            self._control,
            rate=node.parameters.state_rate,
            open_loop=node.parameters.open_loop,
        )

    def command(self, message: ActuatorCommands, sent: float) -> None:
        """Begin all commands of a message in the same cycle, or none.

        In the worker; a stop in the thread that spins, before what waits. Trajectories are planned
        one after the other, and begin in the order in which they came. Anything else begins at
        once, so what comes after a trajectory may begin before it.
        """
        commands = [messages.command(command) for command in message.commands]
        self._control.lease(message.commands)
        delay = self._control.delay(message.commands)
        if not is_trajectory(commands) or delay > 0.0:
            self._control.start(commands, sent, delay)
            return

        self._control.play(commands, sent).add_done_callback(self._report)

    def _stops_now(self, message: ActuatorCommands) -> bool:
        stops = all(command.type == CommandType.STOP for command in message.commands)
        return stops and self._control.delay(message.commands) <= 0.0

    def _report(self, played: Future[list[Started]]) -> None:
        with self._errors:
            played.result()

    async def execute(
        self, request: CommandActuator.Request, response: CommandActuator.Response, sent: float
    ) -> str:
        """Begin a command, and answer when it will have ended."""
        response.command_id = request.command.command_id
        command = messages.command(request.command)
        self._control.lease([request.command])
        delay = self._control.delay([request.command])
        if command.type == CommandType.STOP and delay <= 0.0:  # before what waits in the worker
            (started,) = self._control.start([command], sent)
        else:
            (started,) = await self._control.begin([command], sent, delay)
        response.command_id = messages.uuid_message(started.id)
        if started.arrival is not None:
            response.expected_arrival = time_message(self._node.ros_time.at(started.arrival))
        return f"Accepted command {started.id}"

    def disarm(self, _request: Trigger.Request, response: Trigger.Response) -> None:
        """Make every axis of the device safe."""
        outputs = safe_outputs(self._node.parameters.safe_outputs)
        failures = disarm(self._node.driver, self._node.gate, outputs)
        response.success = not failures
        response.message = "; ".join(failures) or "Disarmed: axes at rest, servos off"

    def _change(self, parameters: ActuatorNodeParameters) -> None:
        self._described = parameters.actuators()


KIND = NodeKind(
    ActuatorNode,
    ActuatorNodeParameters,
    not_ready="Actuators not initialized. Engine not ready.",
    ready_topic="wmx/actuator/ready",
    commands_motion=True,
)
