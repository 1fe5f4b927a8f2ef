"""What `joint_position_controller` makes of a stream, with the clock in hand."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from held_engine import HeldEngine, Motion
from held_node import HeldNode
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.nodes.joint_position.node import (
    JointPositionController,
    JointPositionParameters,
)

PERIOD = 0.02
"""Of the messages, s."""
SPEED = 0.5
NAMES = ["joint1", "joint2"]


class Unstoppable(Motion):
    """Refuses every stop."""

    def stop(self, _axes: Sequence[int]) -> None:
        raise CommandRefused(ErrorCode.StartingPreviousCommand)


@pytest.fixture
def controller(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> tuple[JointPositionController, HeldNode]:
    """One that slows down for so long that another stream comes in between."""
    parameters = JointPositionParameters(joint_number=2, stop_time=5.0)
    node = nodes(held, parameters=parameters, motion=Unstoppable(held.fake))
    return JointPositionController(node), node  # type: ignore[arg-type]


def stream(controller: JointPositionController, node: HeldNode, seconds: float) -> None:
    """Move on from where the joints are."""
    begin = float(node.held.status().pos_cmd[0])
    for i in range(round(seconds / PERIOD)):
        point = JointTrajectoryPoint(positions=[begin + SPEED * (i + 1) * PERIOD] * 2)
        point.time_from_start.nanosec = round(PERIOD * 1e9)
        message = JointTrajectory(joint_names=NAMES, points=[point])
        controller.follow(message, node.now())
        node.after(PERIOD)


def test_a_new_stream_is_not_stopped_by_the_end_of_the_one_before(
    controller: tuple[JointPositionController, HeldNode],
) -> None:
    _, node = controller
    stream(*controller, 0.5)
    node.after(0.3)
    assert node.supervisor.names() == ["stopping"]
    stream(*controller, 0.3)
    assert node.held.status().velocity_cmd.tolist() == pytest.approx([SPEED] * 2, rel=0.05)
    assert node.supervisor.names() == ["stream"]


def test_a_setpoint_that_begins_late_is_stopped(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """On a busy machine the status shows it later than the driver says."""
    parameters = JointPositionParameters(joint_number=2)
    node = nodes(held, parameters=parameters)
    controller = JointPositionController(node)  # type: ignore[arg-type]
    before = node.held.status()
    target = float(before.pos_cmd[0]) + 1.0
    point = JointTrajectoryPoint(positions=[target] * 2)
    point.time_from_start.sec = 1
    controller.follow(JointTrajectory(joint_names=NAMES, points=[point]), node.now())
    node.commands[parameters.execution_active_topic](Bool(data=True))
    for _ in range(3):
        held.clock.advance(node.period)
        node.supervisor.read(replace(before, time=node.now()))
    status = node.after(2.0)
    assert not status.velocity_cmd.any()
    assert (status.pos_cmd[:2] < target - 0.5).all()
