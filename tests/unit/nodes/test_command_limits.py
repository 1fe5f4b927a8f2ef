"""What commands of the topics of axes may ask for: `velocity_limit` and `acceleration_limit`."""

from collections.abc import Callable

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from wmx_ros2_message.msg import AxisPose, AxisVelocity
from wmx_ros2_message.srv import SetAxisOverride

from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.nodes.core_motion.moves import Moves
from wmx_ros2_package.nodes.core_motion.parameters import CoreMotionParameters
from wmx_ros2_package.nodes.core_motion.velocities import VelocityTopic
from wmx_ros2_package.validation import BadRequest

POSITION, JOG = "wmx/axis/position", "wmx/axis/jog"


@pytest.fixture
def node(held: HeldEngine, nodes: Callable[..., HeldNode]) -> HeldNode:
    """One whose axis 1 may be moved at 2 u/s and 20 u/s^2, and axis 0 at any velocity."""
    limits = {"velocity_limit": (0.0, 2.0), "acceleration_limit": (20.0,)}
    node = nodes(held, parameters=CoreMotionParameters(**limits))
    Moves(node)  # type: ignore[arg-type]
    VelocityTopic(
        node,  # type: ignore[arg-type]
        JOG,
        MotionKind.JOG,
        lambda motion, moves: motion.jog(moves),
        timeout=0.2,
    )
    return node


def pose(axis: int, velocity: float, acc: float = 10.0, dec: float = 10.0) -> AxisPose:
    return AxisPose(index=[axis], target=[1.0], velocity=[velocity], acc=[acc], dec=[dec])


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (pose(1, 2.5), r"velocity for axis 1 is 2.5: must be 2 or less \(velocity_limit\)"),
        (pose(0, 1.0, acc=21.0), r"acc for axis 0 is 21: must be 20 or less \(acceleration_limit"),
        (pose(0, 1.0, dec=1e9), r"dec for axis 0 is 1e\+09: must be 20 or less"),
    ],
)
@pytest.mark.parametrize("topic", [POSITION, POSITION + "/relative"])
def test_what_is_faster_or_harder_is_refused(
    node: HeldNode, topic: str, message: AxisPose, words: str
) -> None:
    with pytest.raises(BadRequest, match=words):
        node.commands[topic](message, node.now())
    assert not node.after(0.1).velocity_cmd.any()


def test_what_is_within_its_limits_moves(node: HeldNode) -> None:
    node.commands[POSITION](pose(0, 9.0, acc=20.0), node.now())
    node.commands[POSITION](pose(1, 2.0), node.now())
    assert node.after(0.1).velocity_cmd.all()


def test_an_override_leads_no_axis_beyond_its_limit(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    node = nodes(held, parameters=CoreMotionParameters(velocity_limit=(0.0, 2.0)))
    moves = Moves(node)  # type: ignore[arg-type]
    for axis in 0, 1:
        node.commands[POSITION](pose(axis, 0.5), node.now())
    node.after(0.1)

    def override(*percent: float) -> None:
        request = SetAxisOverride.Request(index=[0, 1], percent=percent)
        moves.set_override(request, SetAxisOverride.Response())

    words = "percent of axis 1 is 101: must be 100 or less of an axis with velocity_limit, 2"
    with pytest.raises(BadRequest, match=words):
        override(200.0, 101.0)
    override(200.0, 100.0)
    assert node.after(0.1).velocity_cmd == pytest.approx([1.0, 0.5])


def test_a_jog_is_limited_either_way_and_its_stop_is_not(node: HeldNode) -> None:
    def jog(velocity: float, dec: float) -> AxisVelocity:
        return AxisVelocity(index=[1], velocity=[velocity], acc=[10.0], dec=[dec])

    with pytest.raises(BadRequest, match="velocity for axis 1 is 3: must be 2 or less"):
        node.commands[JOG](jog(-3.0, 10.0), node.now())
    node.commands[JOG](jog(-2.0, 10.0), node.now())
    assert node.after(0.1).velocity_cmd[1] < 0.0
    node.commands[JOG](jog(0.0, 1000.0), node.now())
    assert not node.after(0.1).velocity_cmd.any()
