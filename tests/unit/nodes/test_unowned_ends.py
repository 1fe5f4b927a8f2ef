"""What the engine node makes of begins and ends that others publish."""

from collections.abc import Callable
from typing import Any

import pytest
from held_node import HeldNode
from wmx_ros2_message.msg import BeginMotion, EndMotion

from wmx_core.values import CommandMode, OperationState, TorqueMove
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.messages.times import time_message
from wmx_ros2_package.nodes.engine.unowned_motions import UnownedMotionEnds


@pytest.fixture
def begin(node: HeldNode) -> Callable[..., None]:
    """Takes a begin of a node that is dead."""
    UnownedMotionEnds(node)  # type: ignore[arg-type]

    def take(**fields: Any) -> None:
        parallel = {"axes": [0], "initial_position": [0.0], "target_position": [1.0]}
        message = BeginMotion(**{"source": "/dead", "type": 1, **parallel, **fields})
        message.command_id.uuid[0] = len(fields) + 1
        node.commands["wmx/motion/begin"](message)

    return take


@pytest.mark.parametrize(
    "strange",
    [{"axes": [-300]}, {"axes": [128]}, {"axes": [0, 1]}, {"target_position": []}, {"type": 99}],
)
def test_a_strange_begin_keeps_no_end_of_another_motion_back(
    node: HeldNode, begin: Callable[..., None], strange: dict[str, Any]
) -> None:
    begin(**strange)
    begin()
    node.after(3.0)
    [end] = node.published["wmx/motion/end"]
    assert end.source == "/dead"


def test_an_end_for_a_reason_that_there_is_not_ends_nothing(
    node: HeldNode, begin: Callable[..., None]
) -> None:
    begin()
    strange = EndMotion(reason=99)
    strange.command_id.uuid[0] = 1
    node.commands["wmx/motion/end"](strange)
    node.after(3.0)
    assert len(node.published["wmx/motion/end"]) == 1


@pytest.mark.parametrize("is_simulated", [False, True])
def test_an_effort_is_overdue_by_a_time_that_is_known(
    node: HeldNode, begin: Callable[..., None], *, is_simulated: bool
) -> None:
    """With simulated time every arrival is published as the time at which the motion begins."""
    node.ros_time.is_simulated = is_simulated
    node.held.servo_on(0, mode=CommandMode.TORQUE)
    node.held.motion.move_torque([TorqueMove(axis=0, torque=1.0)])
    arrival = time_message(node.ros_time.now())
    begin(source=node.name, type=int(MotionKind.EFFORT), expected_arrival=arrival)
    exerts = node.after(3.0).op_state[0] == OperationState.TRQ
    assert exerts == is_simulated
