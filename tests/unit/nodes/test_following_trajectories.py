"""What the trajectory server makes of the messages on its topic, with the clock in hand."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from held_engine import HeldEngine
from held_node import HeldNode
from rclpy.serialization import serialize_message
from stubborn import Stubborn
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import LimitType
from wmx_ros2_package.control.axis_file.records import StopCause
from wmx_ros2_package.messages.times import duration_message
from wmx_ros2_package.node_base.actions import ActionGoal
from wmx_ros2_package.node_base.device import bring_to_rest
from wmx_ros2_package.node_base.handlers import CommandHandler
from wmx_ros2_package.node_base.threads import settle
from wmx_ros2_package.nodes.follow_joint_trajectory.node import FollowJointTrajectoryServer
from wmx_ros2_package.nodes.follow_joint_trajectory.parameters import (
    FollowJointTrajectoryParameters,
)
from wmx_ros2_package.validation import BadRequest

CHUNKS = "chunks"


def message(*positions: float, joints: int = 2) -> JointTrajectory:
    """All joints go through `positions`, 2 s each."""
    names = [f"joint{i + 1}" for i in range(joints)]
    points = [
        JointTrajectoryPoint(
            positions=[place] * joints,
            velocities=[0.0] * joints,
            accelerations=[0.0] * joints,
            time_from_start=duration_message(2.0 * (i + 1)),
        )
        for i, place in enumerate(positions)
    ]
    return JointTrajectory(joint_names=names, points=points)


class Server:
    """A trajectory server on two joints, whose worker and planner are the test."""

    def __init__(self, node: HeldNode, **parameters: Any) -> None:
        node.parameters = FollowJointTrajectoryParameters(
            joint_number=2, chunk_topic=CHUNKS, **parameters
        )
        self.node = node
        self.waiting: list[Callable[[], None]] = []
        """What the worker and the planner have to do, in order."""
        self.refused: list[Exception] = []
        self.topics: dict[str, CommandHandler] = {}
        node.worker = SimpleNamespace(do=self.waiting.append, is_busy=True)
        node.threads = SimpleNamespace(planner=SimpleNamespace(submit=self.waiting.append))
        node.motion_leases = SimpleNamespace(has_expired=lambda _: False)
        node.serve = node.add_entity = node.require_engine = lambda *_: None
        node.ros_time.when_in = lambda _: lambda: True
        node.refused = self._refused
        node.on_command = self._on_command
        node.supervisor.add_sink(lambda _: node.leases.detect_suspension())
        self.action = FollowJointTrajectoryServer(node)
        for attach in node.on_attach:
            attach()

    def _on_command(self, kind: Any, topic: str, act: Any, **options: Any) -> None:
        self.topics[topic] = CommandHandler(
            node=self.node, kind=kind, topic=topic, act=act, **options
        )

    def _refused(self, error: Exception) -> Any:
        self.refused.append(error)
        return SimpleNamespace(message=str(error), code=0, bug="")

    def publish(self, message: JointTrajectory, topic: str = "") -> None:
        topic = topic or self.node.parameters.joint_trajectory_topic
        self.topics[topic].take(serialize_message(message), 0)

    def work(self) -> None:
        """The worker takes a message, or the planner plans one."""
        self.waiting.pop(0)()

    def follow(self, message: JointTrajectory) -> None:
        self.publish(message)
        while self.waiting:
            self.work()

    def moves(self) -> bool:
        return bool(self.node.after(0.5).velocity_cmd.any())


@pytest.fixture
def server(node: HeldNode) -> Server:
    return Server(node)


@pytest.mark.parametrize("by", ["suspension", "interruption"])
def test_what_is_planned_when_the_node_is_interrupted_does_not_begin(
    server: Server, by: str
) -> None:
    server.publish(message(0.5))
    server.work()
    if by == "suspension":
        server.node.held.after(6.0)
    else:
        server.node.leases.interrupt("the heartbeat of the engine node was missing")
    server.work()
    assert not server.moves()
    assert server.node.begins() == []
    server.follow(message(0.5))
    assert server.moves()


def test_a_goal_that_is_canceled_before_its_turn_to_begin_moves_nothing(server: Server) -> None:
    """Others are planned before it."""

    def plan(work: Callable[[], Any], **_: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        server.waiting.append(lambda: settle(future, work))
        return future

    server.node.threads.planner.submit = plan
    wanted = FollowJointTrajectory.Goal(trajectory=message(0.5))
    asked = SimpleNamespace(goal=wanted, goal_id=SimpleNamespace(uuid=[1] * 16))
    goal = ActionGoal(None, asked, server.node.now())  # type: ignore[arg-type]
    judging = server.action.judge(goal)
    judging.send(None)
    server.work()
    with pytest.raises(StopIteration) as judged:
        judging.send(None)
    goal.judged = judged.value.value
    running = server.action.execute(goal)
    running.send(None)
    goal.request_cancel()
    server.work()
    running.send(None)
    assert not server.moves()
    assert server.node.begins() == []
    with pytest.raises(StopIteration):
        running.send(None)
    assert goal.status == GoalStatus.STATUS_CANCELED


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (EngineLost(ErrorCode.DeviceIsNull, "it has ended"), "it has ended"),
        (ZeroDivisionError("a mistake of ours"), "a mistake of ours"),
        (CommandRefused(ErrorCode.StartingPreviousCommand), "the server lets go of the axes"),
    ],
)
def test_what_ends_as_the_node_lets_go_names_an_engine_that_is_lost(
    server: Server, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    server.follow(message(0.5))
    assert server.moves()

    monkeypatch.setattr(server.node.driver.motion, "status", Mock(side_effect=error))
    bring_to_rest(server.node, [])  # type: ignore[arg-type]
    assert server.node.logged[-1].endswith(words)


def test_an_engine_that_does_not_answer_delays_the_stop_of_a_trajectory_twice_at_most(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look may take seconds: one is for why motions end, one for what is to be stopped."""
    server.follow(message(0.5))
    assert server.moves()
    motion, stop = server.node.driver.motion, server.node.driver.motion.stop
    status = Mock(side_effect=EngineLost(ErrorCode.DeviceIsNull))
    looks: list[int] = []

    def note_and_stop(axes: Sequence[int]) -> None:
        looks.append(status.call_count)
        stop(axes)

    with monkeypatch.context() as patch:
        patch.setattr(motion, "status", status)
        patch.setattr(motion, "stop", note_and_stop)
        bring_to_rest(server.node, [0, 1])  # type: ignore[arg-type]
    assert looks[0] == 2
    assert not server.moves()


def test_one_that_is_planned_while_the_one_before_comes_to_rest_begins(server: Server) -> None:
    server.follow(message(1.5))
    assert server.moves()
    server.node.after(0.4)
    server.publish(JointTrajectory())
    while server.waiting:
        server.work()
    server.node.after(0.05)
    server.publish(message(0.3))
    server.work()
    server.node.after(3.0)
    assert len(server.node.ends()) == 1, "the first has come to rest"
    while server.waiting:
        server.work()
    assert server.moves()
    assert server.refused == []


def test_an_engine_that_does_not_say_how_long_its_cycles_are_has_the_usual_ones(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = SimpleNamespace(statistics=SimpleNamespace(comm_period=0))
    monkeypatch.setattr(server.node.driver.ecat, "network_state", lambda _: unknown)
    for attach in server.node.on_attach:
        attach()
    server.follow(message(0.5))
    assert server.moves()
    server.follow(message(1.0))
    assert server.node.after(5.0).pos_cmd == pytest.approx(1.0)
    assert server.refused == []


@pytest.mark.parametrize("topic", ["", CHUNKS])
def test_a_stop_does_not_wait_for_messages_before_it(server: Server, topic: str) -> None:
    server.follow(message(0.5))
    assert server.moves()
    server.publish(message(1.0))
    server.publish(JointTrajectory(), topic)
    assert not server.moves()
    while server.waiting:
        server.work()
    assert not server.moves()


@pytest.mark.parametrize("topic", ["", CHUNKS])
def test_a_message_may_have_1000_points_of_14_joints(server: Server, topic: str) -> None:
    server.publish(message(*[0.0] * 1000, joints=14), topic)
    assert server.refused == []
    server.publish(message(*[0.0] * 2000, joints=14), topic)
    assert "bytes: must be" in str(server.refused[0])


@pytest.mark.parametrize("given", [(), (0.0,), (0.01,), (0.001, 0.01)])
def test_the_greatest_tolerance_or_the_usual_one_counts_as_rest(given: tuple[float, ...]) -> None:
    parameters = FollowJointTrajectoryParameters(joint_number=2, stopped_velocity_tolerance=given)
    assert parameters.rules().still_velocity == 0.01


@pytest.mark.parametrize("name", ["position_upper", "velocity_limit", "goal_tolerance"])
def test_a_list_of_more_numbers_than_joints_is_refused(name: str) -> None:
    with pytest.raises(BadRequest, match=f"{name} has 3 elements: must have 0, 1 or 2"):
        FollowJointTrajectoryParameters(joint_number=2, **{name: (1.0, 1.0, 1.0)})


@pytest.mark.parametrize(
    ("common", "above", "taken"),
    [
        (LimitType.DEC, LimitType.NONE, False),
        (LimitType.NONE, LimitType.DEC, True),
        (LimitType.SEPARATE, LimitType.DEC, False),
        (LimitType.SEPARATE, LimitType.NONE, True),
    ],
)
def test_the_soft_limits_that_are_on_bound_homed_axes(
    held: HeldEngine, server: Server, common: LimitType, above: LimitType, *, taken: bool
) -> None:
    held.apply(
        soft_limit_type=common,
        positive_soft_limit_type=above,
        negative_soft_limit_type=LimitType.DEC,
        soft_limit_positive=0.3,
        soft_limit_negative=-0.3,
    )
    for axis in 0, 1:
        held.motion.set_position(axis, 0.0)
    server.follow(message(0.5))
    assert server.moves() is taken
    server.node.after(3.0)
    server.follow(message(-0.5))
    assert server.moves() is (common is LimitType.NONE)


def test_a_stream_has_the_parameters_read_again_only_where_some_were_set(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """Hardware takes long to return them."""
    motion = Stubborn(held, "parameters", refusals=0)
    node = nodes(held, motion=motion)
    server = Server(node)
    motion.taken.clear()
    for place in 0.1, 0.2:
        server.follow(message(place))
    assert len(motion.taken) == 1
    node.after(5.0)
    held.apply(soft_limit_type=LimitType.DEC, soft_limit_positive=0.3, soft_limit_negative=-0.3)
    its = held.motion.parameters().axis(0)
    node.gate.set_gear_ratio(0, its.gear_ratio_numerator, its.gear_ratio_denominator)
    for axis in 0, 1:
        node.gate.set_position(axis, 0.0)
    node.after(0.1)
    motion.taken.clear()
    for place in 0.1, 0.5:
        server.follow(message(place))
    assert len(motion.taken) == 1
    [refused] = server.refused
    assert "0.3" in str(refused)
    node.gate.refuse_earlier([0], StopCause.SETTING)  # as after a setting that was put back
    node.after(5.0)
    server.follow(message(0.1))
    assert len(motion.taken) == 2
