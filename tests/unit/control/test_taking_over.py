"""A trajectory takes over from one under way."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest
from cases import cases
from held_engine import HeldEngine, position_move
from held_node import HeldNode
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_speed import set_speed
from trajectory_server import CYCLE, LONG, NEXT, SLOW, BusyMotion, Server, goal, reasons, steepest

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import MotionStatus, SplineMove
from wmx_ros2_package.control.following.context import TrajectoryEnd
from wmx_ros2_package.control.following.execution import Execution
from wmx_ros2_package.control.following.executor import LEADS
from wmx_ros2_package.control.request import EndReason, MotionRequest
from wmx_ros2_package.trajectories.goal import Goal
from wmx_ros2_package.trajectories.plan import Plan
from wmx_ros2_package.validation import BadRequest


class TakeOver:
    """A trajectory that moves at 0.5 u/s, on a machine on which time passes with each status."""

    def __init__(self, held: HeldEngine, nodes: Callable[..., HeldNode]) -> None:
        self.motion = BusyMotion(held, 0.001)
        self.server = Server(nodes(held, motion=self.motion))
        self.first = self.server.start(SLOW)
        self.server.node.after(3.0)
        assert held.status().velocity_cmd.all()
        self.motion.samples.clear()

    def start(self, **options: Any) -> Execution:
        return self.server.start(NEXT, **options)


@pytest.fixture
def taking_over(held: HeldEngine, nodes: Callable[..., HeldNode]) -> TakeOver:
    return TakeOver(held, nodes)


def test_a_goal_takes_over_in_motion_without_a_jolt(taking_over: TakeOver) -> None:
    server = taking_over.server
    second = taking_over.start()
    assert taking_over.first.outcome.result(0).ending is TrajectoryEnd.PREEMPTED
    taking_over.motion.per_status = 0.0
    server.node.period = 0.001
    samples: list[Any] = []
    server.node.after(2.0, lambda: samples.append(server.held.status()) or second.ended)
    assert second.outcome.result(0).ending is TrajectoryEnd.SUCCEEDED
    assert server.held.status().pos_cmd == pytest.approx([0.6, 0.6], abs=1e-9)
    assert steepest([*taking_over.motion.samples, *samples]) < 20.0
    assert reasons(server) == [EndReason.REPLACED, EndReason.ARRIVED]
    assert server.node.ends()[0].replaced_by == second.request.id
    assert server.counts == [1, 2, 1, 0]


def test_it_keeps_to_its_plan(taking_over: TakeOver) -> None:
    second = taking_over.start()
    server = taking_over.server
    status = server.node.after(0.6)
    planned = second.plan.start_at(second.time_on_path(status) + CYCLE)
    assert status.pos_cmd == pytest.approx(planned.position, abs=5e-3)
    assert server.executor.time_on_path(status) == second.time_on_path(status)


@pytest.mark.parametrize("times", [1, len(LEADS) - 1])
def test_planning_that_takes_too_long_is_done_again(
    taking_over: TakeOver, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    executor, delays = taking_over.server.executor, [LEADS[-1] + 0.1] * times
    planned = executor.planned

    def slow(*given: Any) -> Plan:
        if delays:
            taking_over.server.held.after(delays.pop())
        return planned(*given)

    monkeypatch.setattr(executor, "planned", slow)
    second = taking_over.start()
    assert second.is_active
    assert taking_over.server.end(second).ending is TrajectoryEnd.SUCCEEDED
    assert reasons(taking_over.server) == [EndReason.REPLACED, EndReason.ARRIVED]


def test_one_that_is_canceled_while_the_next_is_planned_comes_to_rest_first(
    taking_over: TakeOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, first = taking_over.server, taking_over.first
    planned = server.executor.planned

    def slow(*given: Any) -> Plan:
        first.cancel()
        server.node.after(0.02)
        return planned(*given)

    monkeypatch.setattr(server.executor, "planned", slow)
    second = taking_over.start()
    assert server.end(second).ending is TrajectoryEnd.SUCCEEDED
    assert reasons(server) == [EndReason.CANCELED, EndReason.ARRIVED]


@pytest.mark.parametrize("times", [1, len(LEADS) - 1])
def test_a_command_that_reaches_the_engine_too_late_is_planned_again(
    taking_over: TakeOver, times: int
) -> None:
    taking_over.motion.delays = [0.2] * times
    second = taking_over.start()
    assert len(taking_over.motion.refused) == times
    assert taking_over.server.end(second).ending is TrajectoryEnd.SUCCEEDED
    assert reasons(taking_over.server) == [EndReason.REPLACED, EndReason.ARRIVED]
    assert taking_over.server.node.ends()[-1].id == second.request.id


def test_a_command_that_is_refused_late_for_another_reason_is_not_given_again(
    taking_over: TakeOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The axes may have been stopped for that, as those of what is not answered in time."""
    given: list[SplineMove] = []

    def refuse(spline: SplineMove) -> None:
        given.append(spline)
        taking_over.server.held.after(0.2)
        raise CommandRefused(ErrorCode.WaitTimeout)

    monkeypatch.setattr(taking_over.motion, "move_spline", refuse)
    outcome = taking_over.start().outcome.result(0)
    assert (outcome.ending, outcome.code) == (TrajectoryEnd.NOT_STARTED, ErrorCode.WaitTimeout)
    assert len(given) == 1


def test_one_that_is_always_too_late_leaves_the_first_alone(
    taking_over: TakeOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor, held = taking_over.server.executor, taking_over.server.held
    planned = executor.planned
    monkeypatch.setattr(executor, "planned", lambda *given: (held.after(1.0), planned(*given))[1])
    second = taking_over.start()
    assert second.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert str(len(LEADS)) in second.outcome.result(0).text
    assert not taking_over.first.outcome.done()
    assert taking_over.server.node.after(0.5).velocity_cmd.all()
    assert reasons(taking_over.server) == [EndReason.REFUSED]


def test_a_stop_while_it_takes_over_stops_both(
    taking_over: TakeOver, nodes: Callable[..., HeldNode]
) -> None:
    other = nodes(taking_over.server.held, "/other")
    taking_over.motion.delays = [0.2]
    taking_over.motion.on_refused = lambda: other.gate.stop([0, 1])
    second = taking_over.start()
    assert second.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert taking_over.server.end(taking_over.first).ending is TrajectoryEnd.OFF_PATH
    taking_over.server.rests()
    assert not taking_over.server.node.tracker


def test_axes_that_begin_to_move_while_it_is_planned_are_taken_over_in_motion(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, node = server.executor.planned, server.node
    begun: list[MotionRequest] = []

    def move(*given: Any) -> Plan:
        made = planned(*given)
        if not begun:
            begun.append(node.request(0, purpose="trajectory"))
            node.gate.issue(begun, lambda motion: motion.move_absolute([position_move()]))
            node.after(0.2)
        return made

    prepared = server.prepare(goal((2.0, 1.5)))
    monkeypatch.setattr(server.executor, "planned", move)
    second = server.executor.start(prepared, server.request(prepared))
    assert second.plan.start_at(0.0).velocity.any()


def test_one_that_begins_to_move_again_is_taken_over_where_it_is(
    held: HeldEngine, nodes: Callable[..., HeldNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is planned in a thread of its own, while the first one is commanded."""
    motion = BusyMotion(held)
    server = Server(nodes(held, motion=motion))
    server.node.period = CYCLE
    server.start(LONG)
    server.node.after(1.0)
    set_speed(server.node, paused=True)
    server.node.after(5.0)
    prepared = server.prepare(goal((6.0, 2.0)))
    request = server.request(prepared)
    take_over = Thread(target=lambda: server.executor.start(prepared, request))
    is_ready, may_plan = Event(), Event()
    monkeypatch.setattr(
        server.executor, "require_free", lambda *_: (is_ready.set(), may_plan.wait(10.0))
    )
    take_over.start()
    is_ready.wait(10.0)
    move, status = motion.move_spline, motion.status

    def moved(spline: SplineMove) -> None:
        move(spline)
        if not may_plan.is_set():
            monkeypatch.setattr(motion, "status", shown)

    def shown() -> MotionStatus:
        monkeypatch.setattr(motion, "status", status)
        held.after(0.002)
        may_plan.set()
        take_over.join(0.1)
        return status()

    monkeypatch.setattr(motion, "move_spline", moved)
    set_speed(server.node)
    motion.samples.clear()
    server.node.after(0.1, may_plan.is_set)
    take_over.join(10.0)
    server.node.after(2.0, lambda: motion.samples.append(held.status()))
    assert steepest(motion.samples) < 20.0


# Goals whose joints stand at first: nothing is commanded until those before it rest

END = goal((1.0, 0.5))


@pytest.mark.parametrize("before", [0.005, 0.02, 0.045, 0.05, 0.055])
@pytest.mark.parametrize(
    ("wanted", "lasts"),
    [
        (goal((1.0, 0.5)), 1.0),
        (goal((0.02, 0.5)), 0.02),
        (goal((0.0, 0.5), (1.0, 0.5), (2.0, 0.9)), 2.0),
    ],
    ids=["the same end", "a short one", "stands, then moves"],
)
def test_a_goal_that_begins_where_the_one_before_it_ends_follows_it(
    server: Server, before: float, wanted: Goal, lasts: float
) -> None:
    server.start(END)
    status = server.node.after(1.0 - before)
    assert status.velocity_cmd.all()
    second = server.start(wanted)
    samples: list[Any] = []
    server.node.after(4.0, lambda: samples.append(server.held.status()) or second.ended)
    outcome = second.outcome.result(0)
    assert outcome.ending is TrajectoryEnd.SUCCEEDED, outcome.text
    assert server.held.status().actual_pos == pytest.approx([wanted.positions[-1][0]] * 2, abs=0.01)
    assert server.node.now() - status.time == pytest.approx(lasts + before, abs=0.06)
    assert steepest(samples) < 10.0
    assert server.executor.alive == []
    first, last = reasons(server)
    assert first in (EndReason.ARRIVED, EndReason.REPLACED)
    assert last is EndReason.ARRIVED


def test_one_that_stands_where_the_one_before_it_turns_is_planned_again(server: Server) -> None:
    """The joints do not rest there; so it takes over in motion, and leads them back."""
    first = server.start(goal((1.0, 0.5), (2.0, 0.0)))
    server.node.period = CYCLE
    before = 1.0 - LEADS[0] - 0.5 * CYCLE
    status = server.node.after(1.0, lambda: first.time_on_path(server.held.status()) > before)
    assert server.end(server.start(END)).ending is TrajectoryEnd.SUCCEEDED
    assert server.held.status().pos_cmd == pytest.approx([0.5, 0.5], abs=1e-6)
    assert server.node.now() - status.time < 1.5


def test_a_stop_ends_one_that_waits_for_the_rest_of_those_before_it(
    server: Server, other: HeldNode
) -> None:
    first = server.start(END)
    server.node.after(0.97)
    second = server.start(goal((0.0, 0.5), (1.0, 0.5), (2.0, 0.9)))
    other.gate.stop([0])
    assert server.end(second).ending is TrajectoryEnd.NOT_STARTED
    server.end(first)
    assert server.rests().pos_cmd == pytest.approx([0.5, 0.5], abs=0.01)


_POSITIONS = st.sampled_from([0.0, 0.2, 0.2000001, 0.5])
_STRETCHES = st.lists(st.tuples(st.sampled_from([0.001, 0.03, 0.2, 0.7]), _POSITIONS), min_size=1)


@pytest.mark.long
@settings(
    max_examples=cases(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    goals=st.lists(
        st.tuples(_STRETCHES.map(lambda s: s[:4]), st.sampled_from([0.0, 0.01, 0.06, 0.4, 1.5])),
        min_size=2,
        max_size=5,
    )
)
def test_goals_that_follow_each_other_at_any_time_end_as_their_plans_say(
    server: Server, goals: list[tuple[list[tuple[float, float]], float]]
) -> None:
    """None ends for an error of ours, and what is not replaced arrives."""
    executions = []
    for stretches, wait in goals:
        times = [sum(each for each, _ in stretches[: i + 1]) for i in range(len(stretches))]
        points = [(time, position) for time, (_, position) in zip(times, stretches, strict=True)]
        try:
            executions.append(server.start(goal(*points)))
        except BadRequest:  # too abrupt for the engine
            continue
        server.node.after(max(wait, 0.005))
    for execution in executions:
        outcome = server.end(execution)
        assert "internal error" not in outcome.text
        assert outcome.ending is not TrajectoryEnd.OFF_PATH, outcome.text
    if executions and executions[-1].outcome.result(0).ending is TrajectoryEnd.SUCCEEDED:
        target = executions[-1].plan.target
        assert server.rests().pos_cmd == pytest.approx(target, abs=1e-6)
    assert server.executor.alive == []
