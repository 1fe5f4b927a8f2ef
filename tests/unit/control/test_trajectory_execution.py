"""One trajectory: how it is followed, and how it ends, whatever happens to its axes."""

from typing import Any

import numpy as np
import pytest
from trajectory_server import LONG, STANDS, Server, goal, reasons, tolerances

from wmx_core.values import CommandMode, MotionStatus, OperationState
from wmx_ros2_package.control.following.context import Outcome, TrajectoryEnd
from wmx_ros2_package.control.following.execution import Execution
from wmx_ros2_package.control.request import EndReason

# What is followed


def test_a_trajectory_is_one_motion_and_succeeds_at_its_goal(server: Server) -> None:
    execution = server.start(goal((1.0, 0.5), (2.0, 0.8)))
    assert execution.is_active
    assert server.end(execution) == Outcome(ending=TrajectoryEnd.SUCCEEDED)
    assert server.held.status().pos_cmd.tolist() == pytest.approx([0.8, 0.8], abs=1e-9)
    assert not execution.is_active
    node = server.node
    node.after(0.1)
    assert (len(node.begins()), node.reasons()) == (1, [EndReason.ARRIVED])
    assert node.ends()[0].id == execution.request.id
    assert node.ends()[0].final == pytest.approx((0.8, 0.8), abs=0.001)
    assert server.counts == [1, 0]
    assert node.supervisor.names() == []
    assert node.logged == []


def test_it_is_followed_in_the_time_of_its_plan(server: Server) -> None:
    reports: list[tuple[float, float, float]] = []

    def report(execution: Execution, status: MotionStatus, now: float) -> None:
        planned = execution.plan.start_at(now)
        if status.op_state[0] == OperationState.INTPL:
            reports.append((now, float(status.pos_cmd[0]), float(planned.position[0])))

    server.node.period = 0.01
    server.end(server.start(goal((1.0, 0.5), (2.0, 0.8)), report=report))
    times, commanded, planned = zip(*reports, strict=True)
    assert len(times) > 190
    assert np.abs(np.diff(times) - 0.01).max() < 1e-6
    assert commanded == pytest.approx(planned, abs=1.5e-3), "a cycle of 1 ms or so, at 0.6 u/s"


@pytest.mark.parametrize("period", [0.001, 0.005])
@pytest.mark.parametrize(
    ("wanted", "stands"),
    [
        (STANDS, [(0.6, 9.4)]),
        (goal((1.0, 0.0), (2.0, 0.5)), [(0.0, 0.99)]),
        (goal((1.0, 0.5), (2.0, 0.5)), [(1.01, 1.99)]),
        (goal((1.0, 0.0), (2.0, 0.5), (3.0, 0.5), (4.0, 0.0)), [(0.0, 0.99), (2.01, 2.99)]),
    ],
)
def test_where_a_trajectory_stands_its_axes_rest_and_go_on_in_time(
    server: Server, wanted: Any, stands: list[tuple[float, float]], period: float
) -> None:
    server.node.period = period
    began = server.node.now()
    execution = server.start(wanted)
    moved: list[float] = []

    def look() -> bool:
        status = server.held.status()
        if status.op_state[0] == OperationState.INTPL:
            moved.append(status.time - began)
        return execution.ended

    server.node.after(20.0, look)
    assert execution.outcome.result(0).ending is TrajectoryEnd.SUCCEEDED
    assert not [t for t in moved for first, last in stands if first < t < last]
    assert server.node.now() - began == pytest.approx(wanted.times[-1], abs=3 * 0.005)
    last = wanted.positions[-1][0]
    assert server.held.status().pos_cmd[0] == pytest.approx(last, abs=1e-9)
    assert server.node.after(0.1) is not None
    assert server.node.reasons() == [EndReason.ARRIVED]
    assert len(server.node.begins()) == 1


def test_a_trajectory_that_only_stands_succeeds_after_its_time(server: Server) -> None:
    began = server.node.now()
    execution = server.start(goal((1.0, 0.0), (2.0, 0.0)))
    assert server.end(execution).ending is TrajectoryEnd.SUCCEEDED
    assert server.node.now() - began == pytest.approx(2.0, abs=0.01)
    assert reasons(server) == [EndReason.ARRIVED]


def test_the_axes_are_brought_into_its_mode(server: Server) -> None:
    server.held.motion.set_command_mode(1, CommandMode.VELOCITY)
    server.held.after(0.1)
    assert (
        server.end(server.start(LONG, mode=CommandMode.POSITION)).ending is TrajectoryEnd.SUCCEEDED
    )


@pytest.mark.parametrize("what", ["position", "velocity"])
def test_position_and_velocity_are_watched_along_the_path(server: Server, what: str) -> None:
    execution = server.start(LONG, tolerances=tolerances(**{f"path_{what}": 1e-3}))
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert f"{what} of a" in outcome.text
    assert server.rests().pos_cmd[0] < 1.0
    assert reasons(server) == [EndReason.STOPPED]
    assert server.node.ends()[0].message == outcome.text


@pytest.mark.parametrize(
    ("given", "settling", "expected"),
    [
        ({"goal_position": 1e-9}, 0.0, TrajectoryEnd.OFF_GOAL),
        ({"goal_position": 1e-4}, 0.5, TrajectoryEnd.SUCCEEDED),
        ({"goal_position": 1e-9}, 0.05, TrajectoryEnd.OFF_GOAL),
        ({"goal_velocity": 1e-9}, 0.05, TrajectoryEnd.OFF_GOAL),
    ],
)
def test_joints_have_so_long_to_settle_at_the_goal(
    server: Server, given: dict[str, float], settling: float, expected: TrajectoryEnd
) -> None:
    began = server.node.now()
    judged_by = tolerances(**given, settling=settling)
    execution = server.start(goal((1.0, 2.0)), tolerances=judged_by)
    server.node.after(5.0, execution.outcome.done)
    outcome = execution.outcome.result(0)
    assert outcome.ending is expected
    took = server.node.now() - began
    assert 1.0 <= took <= 1.0 + settling + 0.02
    if expected is TrajectoryEnd.OFF_GOAL:
        assert took == pytest.approx(1.0 + settling, abs=0.02)
        assert "its goal" in outcome.text


def test_goal_tolerances_do_not_hold_on_the_path(server: Server) -> None:
    """Nor do those of the path while the joints settle."""
    given = tolerances(goal_position=1e-3, path_position=0.5, settling=1.0)
    assert server.end(server.start(LONG, tolerances=given)).ending is TrajectoryEnd.SUCCEEDED


# How it is canceled


@pytest.mark.parametrize("after", [0.0, 0.3, 2.0])
def test_a_cancel_slows_down_along_the_path(server: Server, after: float) -> None:
    execution = server.start(LONG)
    if after:
        server.node.after(after)
    execution.cancel()
    assert not execution.outcome.done()
    if after > 1.0:
        assert server.node.after(0.05).velocity_cmd[0] > 0.0
        assert not execution.outcome.done(), "before the axes rest"
        assert not execution.ended
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.CANCELED
    status = server.rests()
    assert status.pos_cmd[0] == pytest.approx(status.pos_cmd[1])
    assert reasons(server) == [EndReason.CANCELED]
    assert server.counts == [1, 0]


def test_a_cancel_while_it_stands_begins_nothing_more(server: Server) -> None:
    execution = server.start(STANDS)
    server.node.after(2.0)
    execution.cancel()
    assert server.end(execution).ending is TrajectoryEnd.CANCELED
    server.node.after(10.0)
    assert server.rests().pos_cmd[0] == pytest.approx(0.1)
