"""A stop reaches every trajectory that was sent before it, wherever that has got to."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_ros2_package.features.trajectory_leader import TrajectoryLeader
from wmx_ros2_package.trajectories.execution import Execution
from wmx_ros2_package.trajectories.goal import Goal, Joints, Rules
from wmx_ros2_package.trajectories.outcome import Ending
from wmx_ros2_package.trajectories.setting import Demands
from wmx_ros2_package.trajectories.tolerances import Tolerances

NAMES = "a", "b"
ANYTHING = np.full(2, np.inf)
DEMANDS = Demands(
    path=Tolerances(names=NAMES, position=ANYTHING, velocity=ANYTHING),
    goal=Tolerances(names=NAMES, position=ANYTHING, velocity=ANYTHING),
    settling=0.0,
)
GOAL = Goal(
    joint_names=NAMES,
    times=[1.0],
    positions=[[1.0, 1.0]],
    velocities=[[]],
    accelerations=[[]],
)


class Node:
    """What a leader needs of its node, whose axes belong to `held`."""

    name = "server"
    motions = None

    def __init__(self, held: HeldEngine) -> None:
        self.marks = [b"", b""]
        self.driver = SimpleNamespace(motion=held.motion, owners=None)
        self.stop_marks = lambda axes: tuple(self.marks[axis] for axis in axes)
        self.motion = lambda describe: held.motion
        self.on_attach = self.on_detach = lambda hook: None
        self.say = self.say_error = lambda text: None
        self.log = SimpleNamespace(error=pytest.fail)
        self.commanding = nullcontext


@pytest.fixture
def held() -> HeldEngine:
    return HeldEngine().servo_on()


@pytest.fixture
def node(held: HeldEngine) -> Node:
    return Node(held)


@pytest.fixture
def leader(node: Node) -> TrajectoryLeader:
    active = SimpleNamespace(begin=lambda: None, end=lambda: None)
    joints = Joints(names=NAMES, axes=(0, 1), lower=-ANYTHING, upper=ANYTHING, top_speed=ANYTHING)
    return TrajectoryLeader(node, joints, Rules(), active, preempt=True)  # type: ignore[arg-type]


def over(execution: Execution, held: HeldEngine) -> Ending:
    """Let time pass until the execution has ended: how."""
    while not execution.ended.wait(0.001):
        held.after(0.005)
    assert execution.outcome is not None
    return execution.outcome.ending


def test_without_a_stop_it_begins(leader: TrajectoryLeader, held: HeldEngine) -> None:
    execution = leader.lead(GOAL, DEMANDS, receipt=leader.receipt())
    while not execution.leads:
        held.after(0.001)
    leader.cancel_all()
    assert over(execution, held) is Ending.CANCELED
    assert held.status().pos_cmd.any()


def test_the_topic_stops_what_is_about_to_begin(leader: TrajectoryLeader, held: HeldEngine) -> None:
    receipt = leader.receipt()
    leader.cancel_all()
    assert over(leader.lead(GOAL, DEMANDS, receipt=receipt), held) is Ending.NOT_STARTED
    assert not held.status().pos_cmd.any()


def test_somebody_else_stops_what_waits_for_its_time(
    leader: TrajectoryLeader, held: HeldEngine, node: Node
) -> None:
    execution = leader.lead(replace(GOAL, starts_in=1e3), DEMANDS, receipt=leader.receipt())
    assert not execution.ended.wait(0.05)
    node.marks[1] = b"stopped"
    assert over(execution, held) is Ending.NOT_STARTED
    assert not held.status().pos_cmd.any()


def test_somebody_else_stops_what_stands(
    leader: TrajectoryLeader, held: HeldEngine, node: Node
) -> None:
    stands = replace(
        GOAL,
        times=[0.5, 9.5, 10.0],
        positions=[[0.1, 0.1], [0.1, 0.1], [0.5, 0.5]],
        velocities=[[]] * 3,
        accelerations=[[]] * 3,
    )
    execution = leader.lead(stands, DEMANDS, receipt=leader.receipt())
    while held.after(0.01).pos_cmd[0] < 0.1 or held.status().velocity_cmd.any():
        assert not execution.ended.wait(0.001)
    node.marks[0] = b"stopped"
    assert over(execution, held) is Ending.OFF_PATH
    assert execution.outcome is not None
    assert execution.outcome.text == "somebody stopped the joints"
    held.after(20.0)
    assert held.status().pos_cmd == pytest.approx([0.1, 0.1])


def test_a_stop_by_the_topic_is_one_for_everybody(leader: TrajectoryLeader, node: Node) -> None:
    marked: list[tuple[int, ...]] = []
    node.driver.owners = SimpleNamespace(mark_stop=marked.append)
    leader.cancel_all()
    assert marked == [(0, 1)]
