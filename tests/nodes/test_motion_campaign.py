"""Whatever is commanded from wherever: every motion that began ends once, and none is left open."""

import random
from collections import Counter
from collections.abc import Callable
from uuid import uuid4

import pytest
from motion_events import EVENTS_QOS, identity
from ros import COMMANDS, Client, Recording, eventually
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands, BeginMotion, EndMotion

ABSOLUTE, RELATIVE, VELOCITY, *_ = COMMANDS
AXES = 6


class Campaign:
    """Random commands to all axes, from topics, services and named actuators."""

    def __init__(self, client: Client, seed: int) -> None:
        self.client = client
        self.random = random.Random(seed)
        self.begins: Recording = client.listen("wmx/motion/begin", BeginMotion, EVENTS_QOS)
        self.ends: Recording = client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)
        self._actuators = client.node.create_publisher(ActuatorCommands, "wmx/actuator/command", 10)
        eventually(self._actuators.get_subscription_count, "somebody takes commands")

    def run(self, count: int) -> None:
        actions: list[Callable[[], None]] = [
            self.position,
            self.position,
            self.actuator,
            self.actuator,
            self.stop,
            self.servo,
            self.alarm,
            self.settle,
        ]
        for _ in range(count):
            self.random.choice(actions)()

    def axis(self) -> int:
        return self.random.randrange(AXES)

    def position(self) -> None:
        axes = self.random.sample(range(AXES), self.random.randint(1, 3))
        targets = [self.random.uniform(-1.0, 1.0) for _ in axes]
        if self.random.random() < 0.1:
            targets[0] = float("nan")
        limits = [[self.random.choice([0.5, 5.0])] * len(axes), *[[20.0] * len(axes)] * 2]
        self.client.move(self.random.choice([ABSOLUTE, RELATIVE]), axes, targets, *limits)

    def actuator(self) -> None:
        kind = self.random.choice([0, 1, 1, 2, 5, 6])
        command = ActuatorCommand(
            name=f"axis_{self.random.randrange(AXES + 1)}",
            type=kind,
            value=self.random.uniform(-1.0, 1.0),
            acceleration=20.0,
            decelerate=self.random.random() < 0.5,
            command_id=UuidMessage(uuid=list(uuid4().bytes)),
        )
        if kind == ActuatorCommand.VELOCITY:
            command.duration.nanosec = self.random.randrange(10**8, 5 * 10**8)
        self._actuators.publish(ActuatorCommands(commands=[command]))

    def stop(self) -> None:
        self.client.must("wmx/axis/stop", index=[self.axis()], data=[self.random.randrange(2)])

    def servo(self) -> None:
        axis = self.axis()
        self.client.call("wmx/axis/clear_alarm", index=[axis])
        self.client.call("wmx/axis/set_on", index=[axis], data=[self.random.choice([0, 1, 1, 1])])

    def alarm(self) -> None:
        if self.random.random() < 0.3:
            script = f"[{{raise_alarm: {{axis: {self.axis()}, code: 0x7121}}}}]"
            self.client.must("wmx/simulation/inject_faults", script=script)

    def settle(self) -> None:
        """Let what moves arrive, now and then."""
        if self.random.random() < 0.3:
            self.client.states.next(lambda s: not any(s.velocity_cmd))

    def require_pairs(self) -> None:
        """Fail unless each begin has one end, and each end a begin or a refusal."""

        def ended() -> bool:
            ends = {identity(end) for end in self.ends.since(0.0)}
            return all(identity(begin) in ends for begin in self.begins.since(0.0))

        eventually(ended, "every motion has ended", timeout=30.0)
        begins = Counter(identity(begin) for begin in self.begins.since(0.0))
        ends = self.ends.since(0.0)
        assert set(begins.values()) == {1}
        assert set(Counter(identity(end) for end in ends).values()) == {1}
        assert all(e.reason == EndMotion.REFUSED for e in ends if identity(e) not in begins)
        reasons = {end.reason for end in ends}
        assert {EndMotion.ARRIVED, EndMotion.REPLACED, EndMotion.REFUSED} <= reasons


def all_on(client: Client) -> None:
    axes = list(range(AXES))
    client.must("wmx/axis/clear_alarm", index=axes)
    client.must("wmx/axis/set_on", index=axes, data=[1] * AXES)


@pytest.mark.parametrize(
    "count", [150, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
def test_begins_and_ends_pair_one_to_one(client: Client, count: int) -> None:
    all_on(client)
    campaign = Campaign(client, seed=count)
    campaign.run(count)
    client.must("wmx/axis/stop")
    client.states.next(lambda s: not any(s.velocity_cmd))
    client.must("wmx/axis/set_on", index=list(range(AXES)), data=[0] * AXES)  # ends what is held
    campaign.require_pairs()
