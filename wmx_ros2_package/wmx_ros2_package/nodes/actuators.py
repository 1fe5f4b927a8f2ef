"""Named actuators: commands with a life, by topic, service and action."""

from dataclasses import dataclass

from std_srvs.srv import Trigger
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands
from wmx_ros2_message.srv import CommandActuator

from ..actuators.command import is_trajectory
from ..actuators.description import actuators
from ..drivers.disarming import disarm, safe_output
from ..features.actuator_control import ActuatorControl
from ..features.actuator_groups import ActuatorGroups
from ..features.actuator_moves import ActuatorMoves
from ..messages import actuators as messages
from ..node.context import NodeContext
from ..node.kind import NodeKind
from ..node.parameters import parameter
from ..node.qos import MOST_UNREAD
from ..node.runner import run
from ..validation import BadRequest

COMMAND_TOPIC = "wmx/actuator/command"
STATE_RATE = 100.0
"""Of `wmx/actuator_group/state`, unless the parameter says otherwise, Hz."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorParameters:
    """Of `wmx_actuator_node`: parallel arrays, one element for each of `names`.

    One element stands for all actuators, an empty array for the defaults of `Actuator`.
    """

    names: tuple[str, ...] = parameter(
        tuple(f"axis_{axis}" for axis in range(6)), "names of the actuators"
    )
    axes: tuple[int, ...] = parameter((), "the axis of each; 0, 1, 2... if empty", (0, 127))
    kinds: tuple[str, ...] = parameter((), "revolute (rad, N*m) or prismatic (m, N)")
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
        known = actuators(self)
        try:
            for output in self.safe_outputs:
                safe_output(output)
        except ValueError as error:
            raise BadRequest([f"safe_outputs: {error}"]) from None
        if strangers := [name for name in self.open_loop if name not in known]:
            raise BadRequest([f"open_loop has {strangers[0]!r}: must be one of {', '.join(known)}"])


class ActuatorNode:
    """`wmx_actuator_node`."""

    def __init__(self, node: NodeContext[ActuatorParameters]) -> None:
        self._node = node
        self._described = actuators(node.parameters)
        node.on_change(self._change)
        self._control = ActuatorControl(
            node, lambda: self._described, lambda: node.parameters.timeout
        )
        self._queue = node.queue(COMMAND_TOPIC)
        node.listen(ActuatorCommands, COMMAND_TOPIC, self.command, MOST_UNREAD)
        node.serve(CommandActuator, "wmx/actuator/execute", self.execute, quiet=True)
        node.serve(Trigger, "wmx/actuator/disarm", self.disarm)
        ActuatorMoves(node, self._control, lambda: node.parameters.feedback_rate)
        ActuatorGroups(
            node,
            self._control,
            rate=node.parameters.state_rate,
            open_loop=node.parameters.open_loop,
        )

    def command(self, message: ActuatorCommands) -> None:
        """Begin all commands of a message in the same cycle, or none.

        Trajectories are planned one after the other, and begin in the order in which they came.
        Anything else begins at once, so what comes after a trajectory may begin before it. The
        trajectory is then refused, if they share an axis: nothing begins that something later, or
        a stop of any process, has overtaken.
        """
        commands = [messages.command(command) for command in message.commands]
        if not is_trajectory(commands):
            self._control.start(commands, self._delay(message.commands))
            return
        prepare = self._control.receive(commands)

        def lead() -> None:
            prepared = prepare()
            with self._node.commanding():
                self._control.start(commands, self._delay(message.commands), prepared)

        with self._control.told(commands):
            self._queue(lead)

    async def execute(
        self, request: CommandActuator.Request, response: CommandActuator.Response
    ) -> None:
        """Begin a command, and tell when it will have ended."""
        command = messages.command(request.command)
        response.command_id = request.command.command_id
        prepared = None
        if is_trajectory([command]):
            prepared = await self._node.run_in_thread(self._control.receive([command]))
        with self._node.commanding():
            (started,) = self._control.start([command], self._delay([request.command]), prepared)
        response.accepted = True
        response.command_id = messages.uuid_message(started.id)
        response.message = f"Accepted command {started.id}"
        if started.arrival is not None:
            response.expected_arrival = messages.time_message(
                self._node.ros_time.at(started.arrival)
            )

    async def disarm(self, _request: Trigger.Request, response: Trigger.Response) -> None:
        """Make every axis of the device safe."""
        self._control.forget_later()
        outputs = [safe_output(text) for text in self._node.parameters.safe_outputs]
        troubles = await self._node.run_in_thread(lambda: disarm(self._node.driver, outputs))
        response.success = not troubles
        response.message = "; ".join(troubles) or "Disarmed: axes at rest, servos off"

    def _delay(self, commands: list[ActuatorCommand]) -> float:
        """How long until the commands of one message are to start, s; they start together."""
        stamps = {messages.seconds(command.header.stamp) for command in commands} - {0.0}
        if len(stamps) > 1:
            raise BadRequest(["header.stamp differs: commands of one message start together"])
        return stamps.pop() - self._node.ros_time_ago(0.0) / 1e9 if stamps else 0.0

    def _change(self, parameters: ActuatorParameters) -> None:
        self._described = actuators(parameters)


ACTUATORS = NodeKind(
    "wmx_actuator_node",
    ActuatorNode,
    ActuatorParameters,
    not_ready="Actuators not initialized. Engine not ready.",
    ready_topic="wmx/actuator/ready",
    moves=True,
)


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(ACTUATORS)
