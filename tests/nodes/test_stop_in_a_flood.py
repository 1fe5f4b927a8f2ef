"""A stop is answered and obeyed while commands come faster than they are carried out."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import system as systems
from actuator_client import Actuators, position
from ros import Client
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands, AxisPose

pytestmark = pytest.mark.process

POSITIONS = "wmx/axis/position"
PERIOD = 0.0005
"""s between two messages: twice as often as the engine counts cycles."""
MANY = 200
"""More messages than wait anywhere."""
MOVE = {"velocity": 0.5, "acceleration": 2.0}


def pose(axes: Sequence[int], target: float) -> AxisPose:
    several = len(axes)
    return AxisPose(
        index=axes,
        target=[target] * several,
        velocity=[MOVE["velocity"]] * several,
        acc=[MOVE["acceleration"]] * several,
        dec=[MOVE["acceleration"]] * several,
    )


def commands(axes: Sequence[int], target: float) -> ActuatorCommands:
    return ActuatorCommands(commands=[position(f"axis_{axis}", target, **MOVE) for axis in axes])


@pytest.fixture(scope="module")
def system(program: systems.System) -> systems.System:
    """As a program: what counts is when a message was sent, by the stamps of DDS."""
    return program


class Flood:
    """Positions of axes that lie far away, another one in each message."""

    def __init__(
        self, client: Client, publish: Callable[[Any], None], make: Callable[..., Any]
    ) -> None:
        self.sent = 0
        self._axes = [0, 1]
        self._publish, self._make = publish, make
        self._lock = threading.Lock()
        self._ended = client.clock.event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def spare(self, axis: int) -> None:
        """Command `axis` no more, from now on."""
        with self._lock:
            self._axes.remove(axis)

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(PERIOD):
            with self._lock:
                self._publish(self._make(self._axes, 500.0 + self.sent % 100))
            self.sent += 1


@pytest.fixture(params=["positions", "actuator commands"])
def flood(request: pytest.FixtureRequest, client: Client, actuators: Actuators) -> Iterator[Flood]:
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    if request.param == "positions":
        flood = Flood(client, lambda message: client.send(POSITIONS, message), pose)
    else:
        flood = Flood(client, actuators.topic.publish, commands)
    yield flood
    flood.end()
    client.must("wmx/axis/stop")
    client.states.next(lambda s: not any(s.velocity_cmd))
    client.must("wmx/axis/set_on", index=[0, 1], data=[0, 0])


@pytest.mark.usefixtures("flood")
def test_a_velocity_of_zero_stops_an_axis_that_is_not_commanded_otherwise(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[2], data=[1])
    client.must("wmx/axis/set_mode", index=[2], data=[1])
    while client.state().velocity_cmd[2] == 0.0:  # what is one too many is refused
        client.move("wmx/axis/velocity", [2], [0.5], [5.0], [5.0])
    client.move("wmx/axis/velocity", [2], [0.0], [5.0], [5.0])
    client.states.next(lambda s: s.velocity_cmd[2] == 0.0)
    client.must("wmx/axis/set_on", index=[2], data=[0])


def by_axis(client: Client, _: Actuators) -> None:
    client.must("wmx/axis/stop", index=[0])


def by_command(_: Client, actuators: Actuators) -> None:
    actuators.accepted("axis_0", ActuatorCommand.STOP)


@pytest.mark.parametrize("stop", [by_axis, by_command])
def test_a_stop_is_answered_and_nothing_sent_before_it_moves_the_axis(
    client: Client, actuators: Actuators, flood: Flood, stop: Callable[..., None]
) -> None:
    client.states.next(lambda s: min(s.velocity_cmd[:2]) > 0.4 and flood.sent > MANY)
    flood.spare(0)
    stop(client, actuators)
    client.states.next(lambda s: s.velocity_cmd[0] == 0.0)
    rested, sent = client.clock.now(), flood.sent
    client.clock.sleep(0.5)
    # A message that was just carried out is stopped whole: axis 1 goes on with the next.
    client.states.next(lambda s: s.velocity_cmd[1] > 0.4 and flood.sent > sent + MANY)
    after = client.states.since(rested)
    assert [s.velocity_cmd[0] for s in after if s.velocity_cmd[0]] == []
