"""`manipulator_state`: the axes that it takes, and what it publishes of them."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from wmx_core.errors import WmxError
from wmx_ros2_package.node_base.parameters import judged
from wmx_ros2_package.nodes.manipulator_state import ManipulatorState, ManipulatorStateParameters
from wmx_ros2_package.validation import BadRequest

GAZEBO = "gazebo_position_joint_axes", "gazebo_velocity_joint_axes"
Attach = Callable[..., None]


@pytest.fixture
def attach(held: HeldEngine, nodes: Callable[..., HeldNode]) -> Attach:
    """Attaches a node with these parameters to an engine with two axes."""

    def make_and_attach(**parameters: Any) -> None:
        node = nodes(held, parameters=ManipulatorStateParameters(**parameters))
        ManipulatorState(node)  # type: ignore[arg-type]
        for hook in node.on_attach:
            hook()

    return make_and_attach


def test_axes_of_the_engine_are_taken(attach: Attach) -> None:
    attach(joint_number=2, gazebo_position_joint_axes=(1,), gazebo_velocity_joint_axes=(1, 0))


def test_joints_on_axes_that_are_not_there_are_refused(attach: Attach) -> None:
    with pytest.raises(WmxError, match=r"joints are on the axes \[2\]: must be 0 to 1"):
        attach(joint_number=3)


@pytest.mark.parametrize("name", GAZEBO)
def test_axes_for_gazebo_that_are_not_there_are_refused(attach: Attach, name: str) -> None:
    with pytest.raises(WmxError, match=rf"{name} names \[2, 7\]: must be 0 to 1, the axes of"):
        attach(joint_number=2, **{name: (0, 2, 7)})


@pytest.mark.parametrize("name", GAZEBO)
def test_what_is_no_axis_is_refused(name: str) -> None:
    [field] = [each for each in fields(ManipulatorStateParameters) if each.name == name]
    with pytest.raises(BadRequest, match=rf"{name}\[0\] is -1: must be 0 to 127"):
        judged(field, tuple[int, ...], [-1])


def test_an_effort_is_the_torque_in_the_unit_of_its_joint(node: HeldNode) -> None:
    node.parameters = ManipulatorStateParameters(joint_number=2, effort_per_percent=(0.5, 2.0))
    ManipulatorState(node)  # type: ignore[arg-type]
    node.held.motion.jog([velocity_move(0), velocity_move(1)])
    torque = node.after(0.2).actual_torque
    published: Any = node.published["joint_states"][-1]
    state = deserialize_message(published, JointState)
    assert torque.all()
    assert list(state.effort) == [0.5 * torque[0], 2.0 * torque[1]]
