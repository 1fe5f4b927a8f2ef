"""Trajectories at another pace: paused and resumed on their paths, and at an override."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from axis_files import axis_file
from held_engine import HeldEngine
from held_node import HeldNode
from test_endless_executions import Swing
from test_speed import set_speed
from trajectory_server import (
    LONG,
    SLOW,
    STANDS,
    BusyMotion,
    Server,
    goal,
    reasons,
    steepest,
    tolerances,
)

from wmx_core.errors import RefusalCode
from wmx_core.values import Floats, MotionStatus, OperationState
from wmx_ros2_package.control.axis_file.records import AxisPause
from wmx_ros2_package.control.following.context import TrajectoryEnd
from wmx_ros2_package.control.following.execution import NOT_PAUSED, Execution
from wmx_ros2_package.control.following.pacing import PAUSE_TIMEOUT
from wmx_ros2_package.control.leases import StreamLeases
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.trajectories.goal import Goal, Rules

CURVED = Goal(
    joint_names=("a", "b"),
    times=[1.0, 2.0, 3.0, 4.0],
    positions=[[0.5, 0.1], [0.6, 0.4], [0.2, 0.7], [0.0, 0.2]],
    velocities=[[]] * 4,
    accelerations=[[]] * 4,
)
"""Of two joints that do different things, so that leaving the path shows."""


def positions(samples: list[MotionStatus]) -> Floats:
    return np.array([sample.pos_cmd[:2] for sample in samples])


def off_path(execution: Execution, samples: list[MotionStatus]) -> float:
    """How far the commands were from the path at most, u: from the lines between its points."""
    path = execution.prepared.plan.curve
    on_path = path.at(np.linspace(path.times[0], path.times[-1], 4_001))
    lines = np.diff(on_path, axis=0)
    lengths = np.maximum((lines**2).sum(axis=1), 1e-30)

    def off(there: Floats) -> float:
        along = ((there - on_path[:-1]) * lines).sum(axis=1) / lengths
        nearest = on_path[:-1] + lines * np.clip(along, 0.0, 1.0)[:, np.newaxis]
        return float(np.abs(nearest - there).max(axis=1).min())

    return max(map(off, positions(samples)))


class Watched:
    """A server whose samples are kept, every 4 ms."""

    def __init__(self, server: Server) -> None:
        server.node.period = 0.004
        self.server = server
        self.samples: list[MotionStatus] = []

    def after(self, seconds: float, until: Callable[[], object] = lambda: False) -> MotionStatus:
        def look() -> object:
            self.samples.append(self.server.held.status())
            return until()

        return self.server.node.after(seconds, look)

    def succeeds(self, execution: Execution, within: float) -> None:
        self.after(within, lambda: execution.ended)
        assert execution.outcome.result(0).ending is TrajectoryEnd.SUCCEEDED


@pytest.fixture
def watched(server: Server) -> Watched:
    return Watched(server)


@pytest.mark.long
@pytest.mark.parametrize("wanted", [CURVED, LONG], ids=["curved", "straight"])
def test_a_trajectory_rests_on_its_path_and_goes_on_to_its_end(
    watched: Watched, wanted: Goal
) -> None:
    server, node = watched.server, watched.server.node
    execution = server.start(wanted)
    began = node.now()
    watched.after(1.3)
    set_speed(node, paused=True)
    asked = node.now()
    watched.after(2.0, lambda: not server.held.status().velocity_cmd.any())
    assert node.now() - asked < 0.4
    watched.after(2.0)
    rests = watched.samples[-1]
    assert not rests.velocity_cmd.any()
    assert (rests.op_state == OperationState.IDLE).all()
    assert node.ownership.owned(rests) == [0, 1], "whom the axes belong to"
    assert execution.is_active
    assert not execution.outcome.done()
    assert node.ends() == []
    assert server.executor.rate(rests) == 0.0
    there = server.executor.time_on_path(rests)
    assert 1.3 < there < 1.6
    assert rests.pos_cmd == pytest.approx(
        execution.prepared.plan.start_at(there).position, abs=1e-6
    )
    set_speed(node)
    resumed = node.now()
    watched.succeeds(execution, within=10.0)
    assert server.held.status().pos_cmd.tolist() == pytest.approx(wanted.positions[-1], abs=1e-6)
    left = wanted.times[-1] - there
    assert node.now() - resumed == pytest.approx(left + 0.125, abs=0.06)
    assert off_path(execution, watched.samples) < 1e-6
    hardest = steepest(watched.samples, 0)
    fastest = max(float(np.abs(s.velocity_cmd).max()) for s in watched.samples)
    assert hardest < fastest / 0.25 + 5.0, "evenly in a quarter of a second, and its own"
    assert reasons(server) == [EndReason.ARRIVED]
    assert len(node.begins()) == 1
    assert node.now() - began > 5.0


@pytest.mark.long
def test_it_is_as_much_slower_as_is_set(watched: Watched) -> None:
    server, node = watched.server, watched.server.node
    set_speed(node, 50)
    began = node.now()
    execution = server.start(CURVED)
    assert server.executor.rate(server.held.status()) == 0.5
    arrival = node.begins()[0].arrival
    assert arrival == pytest.approx(began + 8.0, abs=0.02)
    watched.succeeds(execution, within=60.0)
    assert node.now() - began == pytest.approx(8.0, abs=0.02)
    assert off_path(execution, watched.samples) < 1e-6


@pytest.mark.long
def test_it_changes_its_speed_while_it_runs_without_a_step(watched: Watched) -> None:
    server, node = watched.server, watched.server.node
    execution = server.start(CURVED)
    for percent in (30, 100, 10, 60):
        watched.after(0.7)
        set_speed(node, percent)
    watched.after(0.5)
    assert server.executor.rate(server.held.status()) == pytest.approx(0.6)
    watched.succeeds(execution, within=60.0)
    assert off_path(execution, watched.samples) < 1e-6
    fastest = max(float(np.abs(s.velocity_cmd).max()) for s in watched.samples)
    for axis in (0, 1):
        assert steepest(watched.samples, axis) < fastest / 0.25 + 5.0
    assert reasons(server) == [EndReason.ARRIVED]


@pytest.mark.parametrize("at", [0.2, 3.0, 9.4, 9.7])
def test_one_that_stands_in_between_is_paused_all_the_same(watched: Watched, at: float) -> None:
    server, node = watched.server, watched.server.node
    execution = server.start(STANDS)
    watched.after(at)
    set_speed(node, paused=True)
    watched.after(3.0)
    assert not server.held.status().velocity_cmd.any()
    assert not execution.outcome.done()
    before = node.now()
    there = server.executor.time_on_path(server.held.status())
    assert there == pytest.approx(at, abs=0.2)
    set_speed(node)
    watched.succeeds(execution, within=20.0)
    assert node.now() - before == pytest.approx(10.0 - there, abs=0.2)
    assert server.held.status().pos_cmd[0] == pytest.approx(0.5, abs=1e-9)


def test_one_whose_pause_is_over_in_a_suspension_ends(server: Server) -> None:
    execution = server.start(LONG)
    leases = StreamLeases(server.node.clock)
    server.require_awake = leases.require_sent_after_suspension
    server.node.after(1.0, leases.detect_suspension)
    set_speed(server.node, paused=True)
    server.node.after(2.0, leases.detect_suspension)
    server.held.after(6.0)
    set_speed(server.node)
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "suspended" in outcome.text
    server.rests()


@pytest.mark.parametrize("before_end", [0.02, 0.1, 0.2])
def test_one_that_is_nearly_there_arrives_or_rests(watched: Watched, before_end: float) -> None:
    server, node = watched.server, watched.server.node
    execution = server.start(LONG)
    watched.after(4.0 - before_end)
    set_speed(node, paused=True)
    watched.after(3.0)
    if not execution.ended:
        assert server.executor.rate(server.held.status()) == 0.0
        set_speed(node)
        watched.after(3.0, lambda: execution.ended)
    assert execution.outcome.result(0).ending is TrajectoryEnd.SUCCEEDED
    assert server.held.status().pos_cmd[0] == pytest.approx(4.0, abs=1e-9)


@pytest.mark.long
def test_a_pause_that_is_over_at_once_does_not_end_it(watched: Watched) -> None:
    server, node = watched.server, watched.server.node
    execution = server.start(CURVED)
    watched.after(1.0)
    for _ in range(8):
        set_speed(node, paused=True)
        watched.after(0.11)
        set_speed(node)
        watched.after(0.13)
    watched.succeeds(execution, within=10.0)
    assert off_path(execution, watched.samples) < 1e-6


ENDS: dict[str, tuple[Callable[[Server, Execution], object], TrajectoryEnd, str]] = {
    "cancel": (lambda s, e: e.cancel(), TrajectoryEnd.CANCELED, "canceled"),
    "stop": (lambda s, e: s.node.gate.stop([1]), TrajectoryEnd.OFF_PATH, "b (axis 1) was stopped"),
    "servo off": (
        lambda s, e: s.node.gate.set_servo(1, on=False),
        TrajectoryEnd.OFF_PATH,
        "b (axis 1): servo off",
    ),
    "alarm": (lambda s, e: s.held.raise_alarm(0), TrajectoryEnd.OFF_PATH, "a (axis 0): "),
    "emergency stop": (
        lambda s, e: s.held.motion.emergency_stop(1),
        TrajectoryEnd.OFF_PATH,
        "emergency stop",
    ),
    "lost engine": (
        lambda s, e: s.executor.detach("the engine was lost"),
        TrajectoryEnd.OFF_PATH,
        "the engine was lost",
    ),
}


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("end", ENDS)
def test_what_ends_a_trajectory_ends_one_that_is_paused(
    server: Server, end: str, *, moving: bool
) -> None:
    act, ending, text = ENDS[end]
    execution = server.start(LONG)
    server.node.after(1.0)
    set_speed(server.node, paused=True)
    server.node.after(0.1 if moving else 3.0)
    act(server, execution)
    outcome = server.end(execution, 5.0)
    assert outcome.ending is ending
    assert text in outcome.text
    set_speed(server.node)
    rests = server.node.after(2.0)
    assert not rests.velocity_cmd.any(), "nothing goes on by itself"
    assert rests.pos_cmd[0] < 1.5


@pytest.mark.parametrize("waits", [0.0, 1.0])
def test_nothing_begins_while_the_system_is_paused(server: Server, waits: float) -> None:
    """Also what waits for its time, once that comes."""
    prepared, due = server.prepare(LONG), server.node.now() + waits
    set_speed(server.node, paused=not waits)
    execution = server.executor.start(
        prepared, server.request(prepared), at=lambda: server.node.now() >= due
    )
    set_speed(server.node, paused=True)
    server.node.after(waits + 0.5)
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert server.node.ends()[0].code == RefusalCode.PAUSED
    set_speed(server.node)
    server.rests()


def test_a_joint_that_leaves_its_place_is_reported_and_does_not_end_it(server: Server) -> None:
    execution = server.start(CURVED, tolerances=tolerances(path_position=0.4))
    server.node.after(1.0)
    set_speed(server.node, paused=True)
    server.node.after(2.0)
    file = axis_file(server.node)
    assert file.pauses() == {0: AxisPause.HELD, 1: AxisPause.HELD}
    status = server.held.status()
    moved = status.actual_pos.copy()
    moved[1] += 0.5  # by hand
    execution.update(replace(status, actual_pos=moved))
    assert file.pauses() == {0: AxisPause.HELD, 1: AxisPause.AWAY}
    assert not execution.outcome.done()
    server.node.after(0.01)
    assert file.pauses() == {0: AxisPause.HELD, 1: AxisPause.HELD}


# What is planned late, or cannot be


@pytest.mark.parametrize("percent", [0, 50])
def test_one_whose_second_segment_begins_late_is_slowed_down_where_it_is(
    held: HeldEngine, nodes: Callable[..., HeldNode], percent: int
) -> None:
    motion = BusyMotion(held)
    watched = Watched(Server(nodes(held, motion=motion)))
    server, node = watched.server, watched.server.node
    node.period = 0.001  # in time, as `update` asks for: what is late is led up to
    server.start(goal((0.5, 0.1), (0.6, 0.1), (4.6, 2.1)))
    watched.after(0.5)
    motion.delays = [0.2]
    watched.after(2.0)
    assert not motion.delays
    set_speed(node, percent or 100, paused=not percent)
    watched.after(1.0)
    assert steepest(watched.samples) < 6.0


def test_a_segment_that_begins_late_makes_none_after_it_late(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = BusyMotion(held)
    watched = Watched(Server(nodes(held, motion=motion)))
    execution = watched.server.start(goal((1.0, 0.1), (2.0, 0.1), (3.0, 1.1), (4.0, 1.1), (5.0, 0)))
    began = watched.server.node.now()
    watched.after(1.5)
    motion.delays = [0.2]
    watched.succeeds(execution, within=10.0)
    assert watched.server.node.now() - began == pytest.approx(5.0, abs=0.02)


def test_a_pause_that_is_planned_late_is_planned_again(watched: Watched) -> None:
    server, node = watched.server, watched.server.node
    execution = server.start(CURVED)
    watched.after(1.0)
    waiting: list[Callable[[], object]] = []
    server.plan_in = waiting.append
    set_speed(node, paused=True)
    watched.after(0.3)
    server.plan_in = lambda work: work()
    [late] = waiting
    late()
    watched.after(1.0)
    assert server.executor.rate(server.held.status()) == 0.0
    assert not execution.ended
    assert off_path(execution, watched.samples) < 1e-6


def test_a_trajectory_that_cannot_be_paused_is_stopped(server: Server) -> None:
    execution = server.start(SLOW)
    server.node.after(1.0)
    server.plan_in = lambda _: None
    set_speed(server.node, paused=True)
    server.node.after(PAUSE_TIMEOUT + 1.0)
    outcome = execution.outcome.result(0)
    assert (outcome.ending, outcome.text) == (
        TrajectoryEnd.OFF_PATH,
        "it could not be paused on its path, and was stopped",
    )
    server.rests()


@pytest.mark.long
def test_the_limits_of_the_joints_hold_while_the_speed_changes(node: HeldNode) -> None:
    server = Server(node)
    server.joints = replace(server.joints, top_acceleration=1.6)
    watched = Watched(server)
    server.node.period = 0.001  # in time, as `update` asks for: what is late is led up to
    execution = server.start(LONG)  # at 1.5 u/s at most, with 1.5 u/s^2 at its ends
    watched.after(2.0)
    set_speed(node, paused=True)
    watched.after(3.0)
    assert server.executor.rate(server.held.status()) == 0.0
    set_speed(node)
    watched.succeeds(execution, within=10.0)
    assert steepest(watched.samples) < 1.6 * 1.1


@pytest.mark.long
def test_the_limits_of_the_joints_hold_for_one_that_takes_over_as_the_speed_changes(
    node: HeldNode,
) -> None:
    server = Server(node)
    server.joints = replace(server.joints, top_acceleration=1.6)
    watched = Watched(server)
    node.period = 0.001  # in time, as `update` asks for: what is late is led up to
    server.start(LONG)
    watched.after(2.0)
    set_speed(node, 30)
    watched.after(0.15)
    second = server.start(goal((3.0, 4.0)))
    watched.succeeds(second, within=20.0)
    assert steepest(watched.samples) < 1.6 * 1.1


# Beside each other, and one after the other


def test_one_that_takes_over_in_motion_goes_on_at_the_speed_that_is_set(watched: Watched) -> None:
    server, node = watched.server, watched.server.node
    set_speed(node, 50)
    first = server.start(SLOW)
    watched.after(2.0)
    began = node.now()
    second = server.start(goal((4.0, 3.0)))
    watched.after(20.0, lambda: second.ended)
    assert first.outcome.result(0).ending is TrajectoryEnd.PREEMPTED
    assert second.outcome.result(0).ending is TrajectoryEnd.SUCCEEDED
    assert node.now() - began == pytest.approx(8.0, abs=0.2)
    assert steepest(watched.samples) < 3.0


def test_one_that_takes_over_while_the_speed_changes_has_no_step(watched: Watched) -> None:
    server, node = watched.server, watched.server.node
    server.start(goal((8.0, 4.0)))
    watched.after(3.0)
    set_speed(node, 30)
    watched.after(0.15)
    second = server.start(goal((2.0, 3.0)))
    watched.succeeds(second, within=60.0)
    assert steepest(watched.samples) < 6.0


def test_one_with_accelerations_that_takes_over_while_the_speed_changes_does_not_turn_back(
    watched: Watched,
) -> None:
    server, node = watched.server, watched.server.node
    server.start(goal((8.0, 8.0)))
    watched.after(3.0)
    set_speed(node, 10)
    here = watched.after(0.2).pos_cmd[0]
    still = [[0.0, 0.0]]
    further = replace(goal((0.5, here + 0.3)), velocities=still, accelerations=still)
    second = server.start(further)
    watched.succeeds(second, within=60.0)
    assert np.diff(positions(watched.samples), axis=0).min() > -1e-6


@pytest.mark.long
def test_an_endless_trajectory_is_paused_and_goes_on(watched: Watched) -> None:
    swing = Swing(watched.server)
    node = watched.server.node
    watched.after(1.1)
    for at in (0.7, 1.3, 1.9, 2.3):
        set_speed(node, paused=True)
        watched.after(1.0)
        assert not watched.samples[-1].velocity_cmd.any()
        assert not swing.execution.outcome.done(), swing.execution.outcome.result(0)
        set_speed(node, 70)
        watched.after(at)
    assert swing.parts >= 2
    assert steepest(watched.samples) < 12.0
    assert positions(watched.samples).max() < 0.32
    assert positions(watched.samples).min() > -0.02


def test_an_endless_trajectory_whose_parts_are_too_short_to_be_paused_is_stopped(
    watched: Watched,
) -> None:
    swing = Swing(watched.server, span=0.15)
    watched.after(0.3)
    set_speed(watched.server.node, paused=True)
    watched.after(2.0)
    assert not watched.samples[-1].velocity_cmd.any()
    assert swing.execution.outcome.result(0).text == NOT_PAUSED


def test_an_endless_trajectory_goes_on_at_another_speed(watched: Watched) -> None:
    set_speed(watched.server.node, 60)
    swing = Swing(watched.server)
    watched.after(6.5 / 0.6)
    assert not swing.execution.outcome.done(), swing.execution.outcome.result(0)
    assert swing.parts == 3
    assert positions(watched.samples).max() < 0.32


def test_a_stream_is_stopped_by_a_pause_and_keeps_its_speed_before(server: Server) -> None:
    window = Goal(
        joint_names=("a", "b"),
        times=[2.0],
        positions=[[1.0, 1.0]],
        velocities=[[0.5, 0.5]],
        accelerations=[[]],
    )
    rules = Rules(allow_end_in_motion=True)
    set_speed(server.node, 50)
    prepared = server.executor.prepare(window, server.joints, rules)
    execution = server.executor.start(prepared, server.request(prepared))
    server.node.after(1.0)
    assert server.executor.rate(server.held.status()) == 1.0
    set_speed(server.node, paused=True)
    outcome = server.end(execution, 2.0)
    assert (outcome.ending, outcome.text) == (TrajectoryEnd.OFF_PATH, "the system is paused")
    server.rests()


# At any phase of any path, however slow


SLOW_WAY = 0.01
"""How fast the slow joints are at full speed at most, u/s."""


def some_way(random: np.random.Generator) -> Goal:
    """Through points that are dense or not, from rest to rest, now and then back or to a stand."""
    fastest = random.choice([SLOW_WAY, 0.05, 0.5])
    duration, count = random.choice([1.0, 2.0, 4.0]), int(random.choice([2, 8, 101]))
    shares = np.linspace(0.0, 1.0, count + 1)[1:]
    out = (1.0 - np.cos(random.choice([1.0, 2.0]) * np.pi * shares)) / 2.0
    ways = np.array([fastest, fastest * random.choice([0.0, 0.3, 1.0])]) * duration / np.pi
    return Goal(
        joint_names=("a", "b"),
        times=(shares * duration).tolist(),
        positions=np.outer(out, ways).tolist(),
        velocities=[[]] * count,
        accelerations=[[]] * count,
    )


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_pauses_and_speeds_in_any_order_leave_no_path_and_end_none(
    watched: Watched, seed: int
) -> None:
    random = np.random.default_rng(seed)
    server, node = watched.server, watched.server.node
    wanted = some_way(random)
    set_speed(node, int(random.choice([1, 10, 100])))
    execution = server.start(wanted)
    for _ in range(8):
        watched.after(random.uniform(0.0, random.choice([0.1, 0.4, 3.0])))
        if random.random() < 0.7:
            set_speed(node, paused=True)
            watched.after(random.uniform(0.0, random.choice([0.1, 0.4, 4.0])))
        set_speed(node, int(random.choice([1, 10, 100])))
        assert not execution.ended or execution.outcome.result(0).ending is TrajectoryEnd.SUCCEEDED
    set_speed(node)
    watched.after(20.0, lambda: execution.ended)
    outcome = execution.outcome.result(0)
    assert outcome.ending is TrajectoryEnd.SUCCEEDED, outcome.text
    end = server.held.status().pos_cmd[:2]
    assert end == pytest.approx(np.array(wanted.positions[-1]), abs=1e-5)
    assert off_path(execution, watched.samples[:: len(watched.samples) // 200 + 1]) < 1e-6
