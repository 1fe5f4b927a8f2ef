"""One trajectory: how it is followed, and how it ends, whatever happens to its axes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from held_engine import HeldEngine, position_move, velocity_move
from held_node import HeldNode
from trajectory_server import BusyMotion, Server, goal

from wmx_ros2_package.control.execution import (
    END_TIME,
    REST_TIME,
    Execution,
    TrajectoryEnd,
)
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.control.shared_axis_file import StopCause
from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import (
    CommandMode,
    EmergencyStop,
    MotionStatus,
    OperationState,
)
from wmx_ros2_package.trajectories.tolerances import GoalTolerances, Tolerances

LONG = goal((4.0, 4.0))
STANDS = goal((0.5, 0.1), (9.5, 0.1), (10.0, 0.5))
"""Moves, stands for 9 s, and moves again."""


@pytest.fixture
def server(node: HeldNode) -> Server:
    return Server(node)


def tolerances(**fields: Any) -> GoalTolerances:
    """Of both joints, u and u/s; anything where none is given."""
    made = {}
    for kind in ("path", "goal"):
        given = {
            quantity: np.full(2, fields.get(f"{kind}_{quantity}", np.inf))
            for quantity in ("position", "velocity")
        }
        made[kind] = Tolerances(names=("a", "b"), **given)
    return GoalTolerances(**made, settling=fields.get("settling", 0.0))


# What is followed


def test_a_trajectory_is_one_motion_and_succeeds_at_its_goal(server: Server) -> None:
    execution = server.start(goal((1.0, 0.5), (2.0, 0.8)))
    assert execution.is_active
    assert server.end(execution).ending is TrajectoryEnd.SUCCEEDED
    assert server.held.status().pos_cmd.tolist() == pytest.approx([0.8, 0.8], abs=1e-9)
    assert not execution.is_active
    node = server.node
    node.after(0.1)
    assert (len(node.begins()), node.reasons()) == (1, [EndReason.ARRIVED])
    assert node.ends()[0].id == execution.request.id
    assert node.ends()[0].final == pytest.approx((0.8, 0.8), abs=1e-9)
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
    server.node.after(0.1)
    assert server.node.reasons() == [EndReason.ARRIVED]


def test_the_axes_are_brought_into_its_mode(server: Server) -> None:
    server.held.motion.set_command_mode(1, CommandMode.VELOCITY)
    server.held.after(0.1)
    assert (
        server.end(server.start(LONG, mode=CommandMode.POSITION)).ending is TrajectoryEnd.SUCCEEDED
    )


def test_the_path_is_watched_and_so_is_the_time_until_the_end(server: Server) -> None:
    execution = server.start(LONG, tolerances=tolerances(path_position=1e-3))
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "position of a" in outcome.text
    assert server.rests().pos_cmd[0] < 1.0
    server.node.after(0.1)
    assert server.node.reasons() == [EndReason.STOPPED]
    assert server.node.ends()[0].message == outcome.text


def test_the_velocity_along_the_path_is_watched(server: Server) -> None:
    execution = server.start(LONG, tolerances=tolerances(path_velocity=1e-3))
    assert "velocity of a" in server.end(execution).text


@pytest.mark.parametrize(
    ("position", "settling", "expected"),
    [
        (1e-9, 0.0, TrajectoryEnd.OFF_GOAL),
        (1e-4, 0.5, TrajectoryEnd.SUCCEEDED),
        (1e-9, 0.05, TrajectoryEnd.OFF_GOAL),
    ],
)
def test_joints_have_so_long_to_settle_at_the_goal(
    server: Server, position: float, settling: float, expected: TrajectoryEnd
) -> None:
    began = server.node.now()
    given = tolerances(goal_position=position, settling=settling)
    execution = server.start(goal((1.0, 2.0)), tolerances=given)
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
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.CANCELED
    status = server.rests()
    assert status.pos_cmd[0] == pytest.approx(status.pos_cmd[1])
    server.node.after(0.1)
    assert server.node.reasons() == [EndReason.CANCELED]
    assert server.counts == [1, 0]


def test_what_is_canceled_is_not_known_before_the_axes_rest(server: Server) -> None:
    execution = server.start(LONG)
    server.node.after(2.0)
    execution.cancel()
    server.node.after(0.05)
    assert server.held.status().velocity_cmd[0] > 0.0
    assert not execution.outcome.done()
    assert not execution.ended
    server.end(execution)


def test_a_cancel_while_it_stands_begins_nothing_more(server: Server) -> None:
    execution = server.start(STANDS)
    server.node.after(2.0)
    execution.cancel()
    assert server.end(execution).ending is TrajectoryEnd.CANCELED
    server.node.after(10.0)
    assert server.rests().pos_cmd[0] == pytest.approx(0.1)


def test_a_cancel_is_no_stop_for_what_was_sent_before_it(server: Server) -> None:
    asked_at = server.node.now()
    execution = server.start(LONG)
    server.node.after(1.0)
    execution.cancel()
    server.end(execution)
    server.start(goal((10.0, 5.0)), asked_at=asked_at)
    assert server.node.after(0.5).velocity_cmd[0] > 0.0


# What ends it

ENDS: dict[str, tuple[Callable[[HeldNode], object], EndReason, str]] = {
    "stop": (lambda node: node.gate.stop([1]), EndReason.STOPPED, "b (axis 1) was stopped"),
    "quick stop": (
        lambda node: node.gate.stop([1], quick=True),
        EndReason.STOPPED,
        "b (axis 1) was stopped",
    ),
    "refuse earlier": (
        lambda node: node.gate.refuse_earlier([1]),
        EndReason.STOPPED,
        "b (axis 1) was stopped",
    ),
    "servo off, which no status shows yet": (
        lambda node: node.gate.refuse_earlier([1], StopCause.SERVO_OFF),
        EndReason.STOPPED,
        "b (axis 1): servo off",
    ),
    "emergency stop, which no status shows yet": (
        lambda node: node.gate.refuse_earlier([1], StopCause.EMERGENCY_STOP),
        EndReason.STOPPED,
        "b (axis 1): emergency stop",
    ),
    "servo off": (
        lambda node: node.gate.set_servo(1, on=False),
        EndReason.SERVO_OFF,
        "b (axis 1): servo off",
    ),
    "alarm": (lambda node: node.held.raise_alarm(1), EndReason.ALARM, "b (axis 1): alarm"),
    "emergency stop": (
        lambda node: node.gate.emergency_stop(EmergencyStop.LEVEL1),
        EndReason.EMERGENCY_STOP,
        "emergency stop",
    ),
}


@pytest.mark.parametrize("at", [0.5, 2.0])
@pytest.mark.parametrize("wanted", [LONG, STANDS], ids=["moves", "stands"])
@pytest.mark.parametrize("end", ENDS)
def test_what_happens_to_one_axis_ends_it_for_all(
    server: Server, nodes: Callable[..., HeldNode], end: str, wanted: Any, at: float
) -> None:
    act, reason, words = ENDS[end]
    other = nodes(server.held, "/other")
    execution = server.start(wanted)
    server.node.after(at)
    act(other)
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert words in outcome.text
    server.node.after(20.0)
    assert not server.held.status().velocity_cmd.any()
    assert len(server.node.begins()) == 1
    assert server.node.reasons() == [reason]
    assert server.counts == [1, 0]


def test_the_reason_of_an_abort_is_known_before_the_axes_rest(server: Server) -> None:
    execution = server.start(LONG)
    server.node.after(2.0)
    server.held.motion.stop([1])
    server.node.after(0.02)
    assert server.held.status().velocity_cmd[1] > 0.0
    assert execution.outcome.result(0).ending is TrajectoryEnd.OFF_PATH
    assert not execution.ended
    server.end(execution)
    server.rests()


def test_a_device_that_stops_an_axis_past_the_nodes_ends_it(server: Server) -> None:
    execution = server.start(LONG)
    server.node.after(1.0)
    server.held.motion.stop([0])
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "was stopped" in outcome.text
    server.rests()


def test_a_limit_switch_is_named(held: HeldEngine, nodes: Callable[..., HeldNode]) -> None:
    held.apply(soft_limit_type=3, soft_limit_positive=0.3, soft_limit_negative=-0.3)
    held.motion.set_position(1, 0.0)  # soft limits are those of an axis that is homed
    server = Server(nodes(held))
    execution = server.start(LONG)
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    server.rests()
    server.node.after(0.1)
    assert server.node.reasons() == [EndReason.LIMIT]


def test_a_stop_by_the_node_itself_ends_it(server: Server) -> None:
    execution = server.start(LONG)
    server.node.after(1.0)
    server.node.gate.stop([1], reason=EndReason.CANCELED, message="by command", recorded=False)
    assert server.end(execution).ending is TrajectoryEnd.OFF_PATH
    server.rests()
    server.node.after(0.1)
    assert [(e.reason, e.message) for e in server.node.ends()] == [
        (EndReason.CANCELED, "by command")
    ]


def test_a_segment_that_the_engine_refuses_ends_it(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = BusyMotion(held)
    server = Server(nodes(held, motion=motion))
    execution = server.start(STANDS)
    server.node.after(5.0)

    def refuse(_: Any) -> None:
        raise CommandRefused(ErrorCode.StatusChannelError)

    motion.move_spline = refuse  # type: ignore[method-assign]
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "StatusChannelError" in outcome.text
    assert server.rests().pos_cmd[0] == pytest.approx(0.1)
    server.node.after(0.1)
    assert len(server.node.ends()) == 1


def test_a_closed_gate_ends_it_at_the_next_segment(server: Server) -> None:
    execution = server.start(STANDS)
    server.node.after(5.0)
    server.node.gate.close()
    assert server.end(execution).ending is TrajectoryEnd.OFF_PATH
    server.rests()


def test_a_spline_that_never_ends_is_given_up(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """An engine carries it out at a quarter of its speed."""
    motion = BusyMotion(held)
    motion.move_spline = lambda s: held.motion.move_spline(  # type: ignore[method-assign]
        type(s)(axes=s.axes, times=4.0 * s.times, positions=s.positions)
    )
    server = Server(nodes(held, motion=motion))
    began = server.node.now()
    execution = server.start(goal((1.0, 1.0)))
    server.node.after(5.0, execution.outcome.done)
    assert execution.outcome.result(0).ending is TrajectoryEnd.OFF_PATH
    assert "not at the end of the path" in execution.outcome.result(0).text
    assert server.node.now() - began == pytest.approx(1.0 + END_TIME, abs=0.02)
    server.end(execution)
    server.rests()


def test_a_command_that_the_engine_takes_and_does_not_carry_out_is_found(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = BusyMotion(held)
    motion.move_spline = lambda _: None  # type: ignore[method-assign]
    server = Server(nodes(held, motion=motion))
    began = server.node.now()
    outcome = server.end(server.start(LONG))
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "rests before the end" in outcome.text
    assert server.node.now() - began < 0.2


# How its axes are stopped


class Stubborn(BusyMotion):
    """Refuses the first `refusals` stops."""

    def __init__(self, held: HeldEngine, refusals: float) -> None:
        super().__init__(held)
        self.refusals = refusals
        self.stops = 0

    def stop(self, axes: Sequence[int]) -> None:
        self.stops += 1
        if self.stops <= self.refusals:
            raise CommandRefused(ErrorCode.StartingPreviousCommand)
        self._held.motion.stop(axes)


@pytest.mark.parametrize("refusals", [1, 5])
def test_a_stop_that_is_refused_is_given_again_and_logged_once(
    held: HeldEngine, nodes: Callable[..., HeldNode], refusals: int
) -> None:
    motion = Stubborn(held, refusals)
    server = Server(nodes(held, motion=motion))
    execution = server.start(LONG)
    server.node.after(1.0)
    execution.cancel()
    assert server.end(execution).ending is TrajectoryEnd.CANCELED
    server.rests()
    assert motion.stops == refusals + 1
    [line] = server.node.logged
    assert "axes [0, 1]" in line
    assert "StartingPreviousCommand" in line


def test_what_another_request_has_begun_is_not_stopped(server: Server) -> None:
    """Of one axis, while the other one slows down."""
    execution = server.start(LONG)
    server.node.after(1.0)
    server.held.motion.stop([0, 1])
    while server.held.after(0.001).busy.size:
        pass
    server.held.motion.jog([velocity_move(0)])
    outcome = server.end(execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "another client commands it" in outcome.text
    assert server.node.after(1.0).op_state[0] == OperationState.JOG


# Its axes


def test_its_axes_are_its_own_until_it_has_ended(
    server: Server, nodes: Callable[..., HeldNode]
) -> None:
    other = nodes(server.held, "/other")
    execution = server.start(STANDS)
    server.node.after(5.0)

    def refused() -> bool:
        return bool(other.ownership.owners([0, 1], server.held.status()))

    assert refused()
    execution.cancel()
    server.end(execution)
    assert not refused()


def test_another_command_of_the_node_takes_it_over(server: Server) -> None:
    """In the moment in which it stands."""
    execution = server.start(STANDS)
    server.node.after(5.0)
    request = server.node.request(0, purpose="trajectory")
    server.node.gate.issue([request], lambda motion: motion.move_absolute([position_move(0, 9.0)]))
    assert server.end(execution).ending is TrajectoryEnd.PREEMPTED
    assert server.node.after(0.5).velocity_cmd[0] > 0.0, "which goes on"
    assert server.node.reasons() == [EndReason.REPLACED]


def test_axes_that_cannot_be_stopped_are_reported_and_stopped_again_and_again(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = Stubborn(held, np.inf)
    server = Server(nodes(held, motion=motion))
    server.node.period = 0.02
    execution = server.start(goal((60.0, 60.0)))
    server.node.after(1.0)
    execution.cancel()
    server.node.after(REST_TIME - 0.1)
    assert not execution.outcome.done()
    server.node.after(0.2)
    outcome = execution.outcome.result(0)
    assert outcome.ending is TrajectoryEnd.CANCELED
    assert "axes [0, 1] still move" in outcome.text
    assert "StartingPreviousCommand" in outcome.text
    assert not execution.ended
    motion.refusals = 0
    server.node.after(15.0, lambda: execution.ended)
    assert execution.ended
    server.rests()
    assert len(server.node.logged) == 2
