"""Trajectories that come by the topic of wmx_actuator_node while it plans: order, and how many."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from actuator_client import Actuators, later
from builtin_interfaces.msg import Duration
from local_actuators import local_actuators
from recording import stamp_of
from ros import WAIT_TIMEOUT
from trajectory_msgs.msg import JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands, EndMotion
from wmx_ros2_message.srv import CommandActuator

from wmx_core.errors import ErrorCode
from wmx_core.options import DriverOptions
from wmx_ros2_package.control.following import executor
from wmx_ros2_package.node_base.threads import MOST_PLANNED
from wmx_ros2_package.nodes.actuators import control
from wmx_ros2_package.testing import HeldClock
from wmx_sim.driver import open_fake

AXES = 2
RECEIVED = 0.02
"""What a message takes to be received, s."""
OVERTAKEN = "axis 0: it was stopped after the command was sent"


class Planning:
    """How trajectories are planned: not before they may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, clock: HeldClock) -> None:
        self.begun, self.go_on = clock.event(), clock.event()
        self._plan = executor.require_plan
        monkeypatch.setattr(executor, "require_plan", self._plan_later)

    def _plan_later(self, *arguments: Any) -> Any:
        self.begun.set()
        assert self.go_on.wait(WAIT_TIMEOUT)
        return self._plan(*arguments)


@pytest.fixture
def planning(monkeypatch: pytest.MonkeyPatch, clock: HeldClock) -> Iterator[Planning]:
    planning = Planning(monkeypatch, clock)
    yield planning
    planning.go_on.set()


@pytest.fixture
def actuators(
    monkeypatch: pytest.MonkeyPatch, runtime: Path, clock: HeldClock, planning: Planning
) -> Iterator[Actuators]:
    """A client of a node in this process, whose axes are on."""
    driver = open_fake(DriverOptions(in_process=True, clock=clock))
    with local_actuators(driver, clock, range(AXES), monkeypatch, runtime) as actuators:
        yield actuators
        planning.go_on.set()


def publish(actuators: Actuators, name: str, type: int, **fields: Any) -> UuidMessage:
    """The id of a command that was sent by the topic, and received by now."""
    id = UuidMessage(uuid=list(uuid4().bytes))
    command = ActuatorCommand(name=name, type=type, command_id=id, **fields)
    actuators.topic.publish(ActuatorCommands(commands=[command]))
    actuators.client.clock.sleep(RECEIVED)
    return id


def trajectory(actuators: Actuators, name: str, position: float) -> UuidMessage:
    point = JointTrajectoryPoint(positions=[position])
    point.time_from_start.nanosec = 300_000_000
    return publish(actuators, name, ActuatorCommand.TRAJECTORY, points=[point])


def test_a_flood_is_refused_with_the_numbers(
    actuators: Actuators, planning: Planning, capfd: pytest.CaptureFixture[str]
) -> None:
    trajectory(actuators, "axis_0", 0.1)
    assert planning.begun.wait(WAIT_TIMEOUT)
    for _ in range(MOST_PLANNED):
        trajectory(actuators, "axis_0", 0.1)
    refused = [trajectory(actuators, "axis_1", 0.1) for _ in range(2)]
    reason = f"{MOST_PLANNED} messages wait already: at most {MOST_PLANNED}"
    for id in refused:
        end = actuators.end_of(id)
        assert (end.reason, end.message, list(end.names)) == (EndMotion.REFUSED, reason, ["axis_1"])
    logged = ""

    def said() -> bool:
        nonlocal logged
        logged += capfd.readouterr().err
        return f"wmx/actuator/command: {reason}" in logged

    actuators.client.eventually(said, "the log says so")


def test_a_stop_does_not_wait_for_planning(actuators: Actuators, planning: Planning) -> None:
    moved = publish(actuators, "axis_0", ActuatorCommand.VELOCITY, value=0.1, acceleration=10.0)
    overtaken = trajectory(actuators, "axis_0", 0.1)
    another = trajectory(actuators, "axis_1", 0.1)
    assert planning.begun.wait(WAIT_TIMEOUT)
    publish(actuators, "axis_0", ActuatorCommand.STOP)
    assert actuators.end_of(moved).reason == EndMotion.STOPPED
    planning.go_on.set()
    end = actuators.end_of(overtaken)
    assert (end.reason, end.message.endswith(OVERTAKEN)) == (EndMotion.REFUSED, True)
    assert actuators.end_of(another).reason == EndMotion.ARRIVED


@pytest.mark.parametrize("door", ["topic", "service"])
def test_nothing_waits_for_the_plan_of_a_trajectory_that_starts_later(
    actuators: Actuators, planning: Planning, door: str
) -> None:
    """Nor does it start later for that."""
    point = JointTrajectoryPoint(positions=[0.1], time_from_start=Duration(sec=1))
    id = UuidMessage(uuid=list(uuid4().bytes))
    command = ActuatorCommand(
        name="axis_0", type=ActuatorCommand.TRAJECTORY, command_id=id, points=[point]
    )
    later(actuators.client, 2.0, command)
    if door == "topic":
        actuators.topic.publish(ActuatorCommands(commands=[command]))
    else:
        actuators.executes.call_async(CommandActuator.Request(command=command))
    assert planning.begun.wait(WAIT_TIMEOUT)
    other = publish(actuators, "axis_1", ActuatorCommand.POSITION, value=0.1)
    assert actuators.end_of(other).reason == EndMotion.ARRIVED
    planning.go_on.set()
    begin = actuators.begins.first(0.0, lambda begin: begin.command_id == id)
    assert 0 <= stamp_of(begin) - stamp_of(command) < 50_000_000, "ns"
    assert actuators.end_of(id).reason == EndMotion.ARRIVED


@pytest.mark.parametrize("ahead", [0.0, 0.5])
@pytest.mark.parametrize("door", ["topic", "service"])
def test_a_stop_overtakes_what_waits(
    actuators: Actuators, monkeypatch: pytest.MonkeyPatch, door: str, ahead: float
) -> None:
    """The worker does not get on with a position, and more of them wait behind that."""
    begun, go_on = actuators.client.clock.event(), actuators.client.clock.event()
    plan = control.engine_call

    def plan_later(commands: Any, *others: Any) -> Any:
        if commands[0].type == ActuatorCommand.POSITION:
            begun.set()
            assert go_on.wait(WAIT_TIMEOUT)
        return plan(commands, *others)

    moved = publish(actuators, "axis_0", ActuatorCommand.VELOCITY, value=0.1, acceleration=10.0)
    actuators.begins.first(0.0, lambda begin: begin.command_id == moved)
    monkeypatch.setattr(control, "engine_call", plan_later)
    try:
        other = publish(actuators, "axis_1", ActuatorCommand.POSITION, value=0.1)
        waiting = [publish(actuators, "axis_0", ActuatorCommand.POSITION, value=5.0) for _ in "ab"]
        assert begun.wait(WAIT_TIMEOUT)
        header = later(actuators.client, ahead, ActuatorCommand()).header
        if door == "topic":
            publish(actuators, "axis_0", ActuatorCommand.STOP, header=header)
        else:
            actuators.accepted("axis_0", ActuatorCommand.STOP, header=header)
        assert actuators.end_of(moved).reason == EndMotion.STOPPED
    finally:
        go_on.set()
    for id in waiting:
        end = actuators.end_of(id)
        assert (end.reason, end.message.endswith(OVERTAKEN)) == (EndMotion.REFUSED, True)
    assert actuators.end_of(other).reason == EndMotion.ARRIVED


def test_a_trajectory_begins_at_rest(actuators: Actuators, planning: Planning) -> None:
    publish(actuators, "axis_0", ActuatorCommand.VELOCITY, value=0.1, acceleration=10.0)
    moving = trajectory(actuators, "axis_0", 0.1)
    planning.go_on.set()
    end = actuators.end_of(moving)
    assert (end.reason, end.error_code) == (EndMotion.REFUSED, ErrorCode.NotIdleOrIntplState)
