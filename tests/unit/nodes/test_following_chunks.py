"""What the trajectory server makes of a stream of chunks, with the clock in hand."""

import re
from collections.abc import Callable, Iterable
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from held_engine import HeldEngine
from held_node import HeldNode
from test_following_trajectories import CHUNKS, Server
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from wmx_core.values import Floats, SplineMove
from wmx_ros2_package.control.following import executor
from wmx_ros2_package.control.following.execution import Execution
from wmx_ros2_package.control.leases import MustPause
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.messages.times import duration_message, time_message
from wmx_ros2_package.nodes.follow_joint_trajectory.chunks import LAG_PERIOD

POINTS, RATE, REPLANNED = 15, 15.0, 8
"""Of a chunk, Hz, and after how many points the next one comes."""
STEP = 0.002
"""Between two samples, s."""
HARDEST = 10.0
"""The greatest acceleration by a chunk, u/s^2."""


def chunk(positions: Iterable[Floats]) -> JointTrajectory:
    """Where both joints are to be, one point after the other."""
    message = JointTrajectory(joint_names=["joint1", "joint2"])
    for i, place in enumerate(positions):
        point = JointTrajectoryPoint(positions=place.tolist())
        point.time_from_start = duration_message((i + 1) / RATE)
        message.points.append(point)
    return message


class Stream(Server):
    """A model that moves two joints along a swing, and knows it to 2 mrad."""

    def __init__(self, node: HeldNode, **parameters: Any) -> None:
        super().__init__(node, velocity_limit=(3.0,), chunk_acceleration=HARDEST, **parameters)
        node.threads.planner.submit = lambda work: work()
        self.follow_chunk = self.topics[CHUNKS].act
        self.began = node.now() + 0.1
        self.samples: list[tuple[float, Floats, Floats]] = []

    def meant(self, time: float) -> Floats:
        """Where the model wants the joints at a time."""
        since = max(0.0, time - self.began)
        gently = min(1.0, since / 1.5)
        return np.array([0.3, -0.2]) * gently**2 * (3.0 - 2.0 * gently) * np.sin(2.0 * since)

    def send(self, latency: float = 0.0, noise: float = 0.0) -> None:
        """Send a chunk that was planned `latency` s ago."""
        planned = self.node.now() - latency
        off = np.random.default_rng(len(self.samples)).normal(0.0, noise, 2)
        message = chunk(self.meant(planned + (i + 1) / RATE) + off for i in range(POINTS))
        message.header.stamp = time_message(round(planned * 1e9))
        self.follow_chunk(message, self.node.now())

    def after(self, seconds: float) -> None:
        for i in range(round(seconds / STEP)):
            status = self.node.held.after(STEP)
            if i % 2 == 0:
                self.node.supervisor.read(status)
            self.samples.append((status.time, status.pos_cmd, status.velocity_cmd))

    def run(self, seconds: float, latency: float = 0.0, noise: float = 0.0) -> None:
        for _ in range(round(seconds * RATE / REPLANNED)):
            self.send(latency, noise)
            self.after(REPLANNED / RATE)

    def furthest(self) -> float:
        """How far from what was meant the joints were commanded at most, u."""
        return max(float(np.abs(at - self.meant(time)).max()) for time, at, _ in self.samples)

    def hardest(self) -> float:
        """The greatest commanded acceleration, u/s^2."""
        speeds = np.array([speed for _, _, speed in self.samples])
        return float(np.abs(np.diff(speeds, axis=0)).max()) / STEP

    def lags(self) -> list[float]:
        return [message.data for message in self.node.published["~/chunk_lag"]]


@pytest.fixture
def make(held: HeldEngine, nodes: Callable[..., HeldNode]) -> Callable[..., Stream]:
    return lambda **parameters: Stream(nodes(held), **parameters)


@pytest.mark.parametrize("latency", [0.0, 0.2])
def test_chunks_are_followed_when_they_are_due_however_late_they_come(
    make: Callable[..., Stream], latency: float
) -> None:
    stream = make()
    stream.run(4.0, latency)
    assert stream.refused == []
    assert stream.furthest() < 0.002
    assert stream.hardest() < HARDEST
    assert np.abs(np.median(stream.lags())) < 0.035  # the motor is 25 ms behind its command


def test_chunks_that_do_not_agree_are_joined_without_a_leap(make: Callable[..., Stream]) -> None:
    stream = make()
    stream.run(4.0, 0.08, noise=0.005)
    assert stream.refused == []
    assert stream.furthest() < 0.03
    assert stream.hardest() < HARDEST * 1.05


def test_a_stream_that_ends_rests_at_its_last_point(make: Callable[..., Stream]) -> None:
    stream = make()
    stream.run(2.0)
    last = stream.meant(stream.node.now() - REPLANNED / RATE + POINTS / RATE)
    stream.after(1.5)
    assert stream.node.held.status().pos_cmd == pytest.approx(last, abs=1e-3)
    assert stream.hardest() < HARDEST


def test_chunks_that_are_appended_follow_each_other(make: Callable[..., Stream]) -> None:
    """All of their points are gone through, though each is sent before the last one is over."""
    stream = make(chunk_mode="append")
    sent: list[Floats] = []
    for _ in range(4):
        begin = stream.began + len(sent) / RATE
        positions = [stream.meant(begin + (i + 1) / RATE) for i in range(POINTS)]
        sent += positions
        stream.follow_chunk(chunk(positions), stream.node.now())
        stream.after(0.8)
    stream.after(2.0)
    assert stream.refused == []
    places = np.array([at for _, at, _ in stream.samples])
    for positions in sent:
        assert np.abs(places - positions).max(axis=1).min() < 0.003
    assert stream.hardest() < HARDEST


def test_a_stream_that_was_stopped_has_to_pause(
    make: Callable[..., Stream], nodes: Callable[..., HeldNode], held: HeldEngine
) -> None:
    stream = make()
    stream.run(2.0)
    nodes(held, "/other").gate.stop([0])
    stream.after(0.3)
    for _ in range(4):
        with pytest.raises(MustPause):
            stream.send()
        stream.after(REPLANNED / RATE)
        assert not held.status().velocity_cmd.any()
    stream.after(1.1)  # it pauses
    begun = len(stream.node.begins())
    stream.meant = lambda _: held.status().pos_cmd + 0.05  # type: ignore[method-assign]
    stream.send()
    stream.after(0.5)
    assert len(stream.node.begins()) == begun + 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"offset": 0.5}, r"joint1 is at 0 and asked to go 0.5 u in 0.06\d* s"),
        ({"latency": 0.99}, "its last point was due"),
        ({"latency": 1.5}, "header.stamp is 1.500 s in the past"),
    ],
    ids=["far away", "all of it is over", "stale"],
)
def test_what_would_throw_the_arm_is_refused(
    make: Callable[..., Stream], change: dict[str, float], words: str
) -> None:
    stream = make()
    stream.node.held.after(2.0)
    stream.meant = lambda _: np.array([change.get("offset", 0.0)] * 2)  # type: ignore[method-assign]
    stream.send(change.get("latency", 0.0))
    stream.after(0.5)
    [error] = stream.refused
    assert re.search(words, str(error)), str(error)
    assert not stream.node.held.status().velocity_cmd.any()


def test_a_chunk_of_more_joints_than_the_one_before_is_measured_by_its_own_points(
    make: Callable[..., Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the first status after it has begun, too."""
    stream = make(allow_partial_joints_goal=True)
    node, start = stream.node, executor.TrajectoryExecutor.start
    alone = chunk(np.array([0.002 * (i + 1)]) for i in range(150))
    alone.joint_names = ["joint1"]
    stream.follow_chunk(alone, node.now())
    stream.after(1.0)

    def seen_at_once(*given: Any, **options: Any) -> Execution:
        execution = start(*given, **options)
        node.supervisor.read(node.held.after(LAG_PERIOD))
        return execution

    monkeypatch.setattr(executor.TrajectoryExecutor, "start", seen_at_once)
    stream.follow_chunk(chunk(np.array([0.002 * (i + 16), 0.0]) for i in range(150)), node.now())
    stream.after(0.5)
    assert node.held.status().velocity_cmd.any()
    assert len(node.begins()) == 2


def test_an_empty_chunk_stops_the_joints(make: Callable[..., Stream]) -> None:
    stream = make()
    stream.run(2.0)
    stream.follow_chunk(JointTrajectory(), stream.node.now())
    stream.after(0.4)
    assert not stream.node.held.status().velocity_cmd.any()


# Interruptions of the node


def long_chunk() -> JointTrajectory:
    """10 s at 0.03 u/s."""
    return chunk(np.array([0.002 * (i + 1), 0.0]) for i in range(150))


def test_a_chunk_that_was_planned_when_the_node_was_interrupted_does_not_begin(
    make: Callable[..., Stream],
) -> None:
    stream = make()
    waiting: list[Callable[[], None]] = []
    stream.node.threads.planner.submit = waiting.append
    stream.follow_chunk(long_chunk(), stream.node.now())
    stream.node.leases.interrupt("the heartbeat of the engine node was missing")
    waiting.pop()()
    assert [type(error) for error in stream.refused] == [MustPause]
    assert stream.node.begins() == []


def test_an_interruption_while_a_chunk_begins_stops_it(
    make: Callable[..., Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = make()
    begin = stream.node.gate.issue

    def interrupted(*given: Any) -> None:
        begin(*given)
        stream.node.leases.interrupt("the heartbeat of the engine node was missing")

    monkeypatch.setattr(stream.node.gate, "issue", interrupted)
    stream.follow_chunk(long_chunk(), stream.node.now())
    stream.after(0.5)
    assert len(stream.node.begins()) == 1
    assert not stream.node.held.status().velocity_cmd.any()


def test_a_chunk_that_another_server_would_follow_too_moves_nothing(
    make: Callable[..., Stream],
) -> None:
    stream = make()
    graph = stream.node.graph
    graph.subscribers = lambda _: [graph.full_name, f"/right{graph.full_name}"]
    stream.send()
    stream.after(0.2)
    [error] = stream.refused
    assert "is served by" in str(error)
    assert not stream.node.events


def test_an_interruption_after_a_chunk_that_was_refused_stops_the_one_before(
    make: Callable[..., Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = make()
    stream.follow_chunk(long_chunk(), stream.node.now())
    stream.after(1.0)
    monkeypatch.setattr(executor, "ahead", lambda *_: 1 / 0)
    stream.follow_chunk(long_chunk(), stream.node.now())
    stream.after(0.1)
    assert stream.node.held.status().velocity_cmd.any()
    stream.node.leases.interrupt("the heartbeat of the engine node was missing")
    stream.after(0.5)
    assert not stream.node.held.status().velocity_cmd.any()


def test_what_takes_over_from_the_chunk_before_a_refused_one_makes_the_stream_pause(
    make: Callable[..., Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = make()
    node = stream.node
    stream.follow_chunk(long_chunk(), node.now())
    stream.after(1.0)
    with monkeypatch.context() as broken:
        broken.setattr(executor, "ahead", lambda *_: 1 / 0)
        stream.follow_chunk(long_chunk(), node.now())
    stream.after(1.1)  # it pauses
    stream.follow_chunk(chunk([np.array([9.0, 9.0])]), node.now())
    here = node.held.status().pos_cmd
    spline = SplineMove(
        axes=(0, 1), times=np.array([0.0, 1.0]), positions=np.array([here, here + 0.1])
    )
    request = node.request(0, 1, kind=MotionKind.TRAJECTORY, id=uuid4())
    node.gate.issue([request], lambda motion: motion.move_spline(spline))
    stream.after(0.1)
    with pytest.raises(MustPause, match="taken over"):
        stream.send()
