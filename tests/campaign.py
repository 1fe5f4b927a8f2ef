"""Clients that command motions at random, from every source that a system has."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TwistStamped
from ros import COMMANDS, JOG, WAIT_TIMEOUT, Client
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.action import MoveActuators
from wmx_ros2_message.msg import (
    ActuatorCommand,
    ActuatorCommands,
    ActuatorGroup,
    ActuatorValue,
    ActuatorValues,
)
from wmx_ros2_message.srv import CommandActuator

ABSOLUTE, RELATIVE, VELOCITY, *_ = COMMANDS
AXES = 6
"""Those that all sources share; the wheels of the base are the next two."""
ANSWERS = 20.0
"""How long a client waits for answers at its end, s."""
JOINTS = find_spec("control_msgs") is not None
"""Whether trajectories of joints can be asked for."""


MOVES = 0, 1, 1, 2, 3, 4
"""Types of commands to actuators that move something, or are none."""
KINDS = *MOVES, ActuatorCommand.HOLD, ActuatorCommand.STOP


def stamp(client: Client, seconds: float) -> Time:
    """The time in so many seconds."""
    sec, nanosec = divmod(client.clock.time_ns() + round(seconds * 1e9), 10**9)
    return Time(sec=sec, nanosec=nanosec)


class Hand:
    """One client, which commands at random; what it is refused is none of its business."""

    def __init__(self, client: Client, seed: int) -> None:
        self.random = random.Random(seed)
        self.client = client
        node = client.node
        self._topic = node.create_publisher(ActuatorCommands, "wmx/actuator/command", 10)
        self._group = node.create_publisher(ActuatorGroup, "wmx/actuator_group/command", 10)
        self._base = node.create_publisher(TwistStamped, "cmd_vel_safe", 10)
        self._execute = node.create_client(CommandActuator, "wmx/actuator/execute")
        self._disarm = node.create_client(Trigger, "wmx/actuator/disarm")
        self._move = client.action(MoveActuators, "wmx/actuator/move")
        self.counts: Counter[str] = Counter()
        self._kinds = KINDS
        self._stops: list[Any] = []
        """The answers to what stops axes, which may come late."""
        self.goals: Any = None
        """Of trajectories of joints."""
        self._moves: list[Callable[[], object]] = [
            *[self.position] * 3,
            *[self.actuator] * 4,
            *[self.execute] * 3,
            *[self.move] * 2,
            self.group,
            self.stream,
            self.home,
            self.base,
            self.late,
        ]
        if JOINTS:
            from campaign_goals import JointGoals

            self.goals = JointGoals(client, self.random)
            self._moves += [self.joints] * 3
        self._actions: list[Callable[[], object]] = [
            *self._moves,
            self.stop,
            *[self.servo] * 3,
            self.mode,
        ]

    def meet(self) -> None:
        """Wait until all sources are there."""
        assert self._execute.wait_for_service(WAIT_TIMEOUT)
        assert self._move.wait_for_server(WAIT_TIMEOUT)
        if self.goals is not None:
            self.goals.meet()
        for publisher in (self._topic, self._group, self._base):
            self.client.eventually(
                publisher.get_subscription_count, f"somebody hears {publisher.topic_name}"
            )

    def run(self, count: int) -> None:
        """Command so many times, and wait for what stops axes."""
        for _ in range(count):
            self.act()
            self.client.clock.sleep(self.random.choice([0.0, 0.0, 0.01, 0.05]))
        self.await_answers()

    def act(self, *, moves: bool = False) -> None:
        """One command, from whatever source; one that `moves` something if it is not refused."""
        self._kinds = MOVES if moves else KINDS
        action = self.random.choice(self._moves if moves else self._actions)
        self.counts[action.__name__] += 1
        action()

    def await_answers(self) -> None:
        """Let what stops axes be over; a node that was killed does not answer."""
        deadline = self.client.clock.now() + ANSWERS
        while (
            any(not answer.done() for answer in self._stops) and self.client.clock.now() < deadline
        ):
            self.client.clock.sleep(0.01)
        self._stops.clear()

    def axes(self) -> list[int]:
        return self.random.sample(range(AXES), self.random.randint(1, 3))

    def position(self) -> None:
        axes = self.axes()
        targets = [self.random.uniform(-1.0, 1.0) for _ in axes]
        if self.random.random() < 0.1:
            targets[0] = float("nan")
        speeds = [self.random.choice([0.5, 5.0])] * len(axes)
        rates = [20.0] * len(axes)
        self._throw(self.random.choice([ABSOLUTE, RELATIVE]), axes, target=targets)(speeds, rates)

    def stream(self) -> None:
        axes = self.axes()
        kind = self.random.choice([VELOCITY, JOG, JOG])
        self._throw(kind, axes)([self.random.uniform(-1.0, 1.0)] * len(axes), [20.0] * len(axes))

    def _throw(self, topic: str, axes: list[int], **fields: Any) -> Callable[..., None]:
        def send(velocity: list[float], rates: list[float]) -> None:
            self.client.throw(topic, index=axes, velocity=velocity, acc=rates, dec=rates, **fields)

        return send

    def command(self, kinds: Sequence[int] = ()) -> ActuatorCommand:
        kind = self.random.choice(kinds or self._kinds)
        command = ActuatorCommand(
            name=f"axis_{self.random.randrange(AXES + 1)}",  # there is no axis_6
            type=kind,
            value=self.random.uniform(-1.0, 1.0),
            acceleration=20.0,
            decelerate=self.random.random() < 0.5,
        )
        if self.random.random() < 0.7:
            command.command_id = UuidMessage(uuid=list(uuid4().bytes))
        if kind in (ActuatorCommand.VELOCITY, ActuatorCommand.EFFORT):
            command.duration.nanosec = self.random.choice([0, 10**8, 4 * 10**8])
        if kind == ActuatorCommand.TRAJECTORY:
            command.repeat = self.random.choice([0, 2, ActuatorCommand.REPEAT_FOREVER])
            for i in range(1, 6):
                point = JointTrajectoryPoint(positions=[0.1 * (i % 5)])
                point.time_from_start.nanosec = i * 100_000_000
                command.points.append(point)
        if self.random.random() < 0.1:
            command.header.stamp = stamp(self.client, 0.3)
        return command

    def actuator(self) -> None:
        commands = [self.command()]
        if self.random.random() < 0.3:
            kinds = (commands[0].type,)
            commands += [self.command(kinds) for _ in range(self.random.randint(1, 2))]
        self._topic.publish(ActuatorCommands(commands=commands))

    def execute(self) -> None:
        self._execute.call_async(CommandActuator.Request(command=self.command()))

    def move(self) -> None:
        kinds = ActuatorCommand.POSITION, ActuatorCommand.VELOCITY, self._kinds[-2]
        goal = MoveActuators.Goal(commands=[self.command(kinds)])
        cancels = self.random.random() < 0.5

        def sent(future: Any) -> None:
            handle = future.result()
            if handle.accepted and cancels:
                handle.cancel_goal_async()

        self._move.send_goal_async(goal).add_done_callback(sent)

    def group(self) -> None:
        axes = self.axes()
        values = [
            ActuatorValue(semantics=self.random.randrange(4), value=self.random.uniform(-1.0, 1.0))
            for _ in axes
        ]
        self._group.publish(
            ActuatorGroup(
                names=[f"axis_{axis}" for axis in axes],
                actuators=[ActuatorValues(values=[value]) for value in values],
            )
        )

    def joints(self) -> None:
        self.goals.send()

    def home(self) -> None:
        self.client.ask("wmx/axis/homing", index=self.axes())

    def base(self, age: float = 0.0) -> None:
        message = TwistStamped()
        message.header.stamp = stamp(self.client, -age)
        message.twist.linear.x = self.random.uniform(-0.3, 0.3)
        message.twist.angular.z = self.random.uniform(-0.3, 0.3)
        self._base.publish(message)

    def late(self) -> None:
        """Messages that come much later than they were sent."""
        self.base(age=self.random.uniform(0.3, 30.0))
        if self.goals is not None:
            self.goals.send(stamp(self.client, -self.random.uniform(1.5, 30.0)))

    def stop(self) -> None:
        self._stops.append(self.client.ask("wmx/axis/stop", index=self.axes(), data=[]))
        if self.random.random() < 0.1:
            self._stops.append(self._disarm.call_async(Trigger.Request()))

    def servo(self) -> None:
        axes = list(range(AXES + 2))
        self.client.ask("wmx/axis/clear_alarm", index=axes)
        self.client.ask("wmx/axis/set_mode", index=axes, data=[0] * len(axes))
        self.client.ask("wmx/axis/set_on", index=axes, data=[1] * len(axes))

    def mode(self) -> None:
        axes = self.axes()
        modes = [self.random.randrange(3) for _ in axes]
        self.client.ask("wmx/axis/set_mode", index=axes, data=modes)


class Faults:
    """What goes wrong meanwhile."""

    def __init__(self, client: Client, seed: int) -> None:
        self._client = client
        self._random = random.Random(seed)
        self.injected = 0

    @staticmethod
    def _frozen(axis: int, milliseconds: int) -> str:
        """A motor stands for a time, whatever it is commanded to do."""
        free = f"{{after: {milliseconds}, free_encoder: {{axis: {axis}}}}}"
        return f"[{{freeze_encoder: {{axis: {axis}}}}}, {free}]"

    def one(self) -> None:
        axis = self._random.randrange(AXES)
        scripts = (
            f"[{{raise_alarm: {{axis: {axis}, code: 0x7121}}}}]",
            f"[{{raise_alarm: {{axis: {axis}, code: 0x3220}}}}]",
            self._frozen(axis, self._random.choice([50, 500, 3000])),
        )
        if self._random.random() < 0.2:
            self._client.ask("wmx/engine/estop", data=True)
            self._client.ask("wmx/engine/estop", data=False)
        else:
            self._client.ask("wmx/simulation/inject_faults", script=self._random.choice(scripts))
        self.injected += 1
