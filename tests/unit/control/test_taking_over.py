"""A trajectory takes over from one under way."""

from collections.abc import Callable
from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from trajectory_server import CYCLE, NEXT, SLOW, BusyMotion, Server, goal, reasons, steepest

from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.control.trajectory_execution import Execution, TrajectoryEnd
from wmx_ros2_package.control.trajectory_executor import LEADS
from wmx_ros2_package.trajectories.plan import Plan


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
    taking_over.motion._per_status = 0.0
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
    planned = second.plan.start_at(second.time_in_plan(status) + CYCLE)
    assert status.pos_cmd == pytest.approx(planned.position, abs=5e-3)
    assert server.executor.time_in_plan(status) == second.time_in_plan(status)


@pytest.mark.parametrize("times", [1, len(LEADS) - 1])
def test_planning_that_takes_too_long_is_done_again(
    taking_over: TakeOver, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    executor, delays = taking_over.server.executor, [LEADS[-1] + 0.1] * times
    planned = executor._planned

    def slow(*given: Any) -> Plan:
        if delays:
            taking_over.server.held.after(delays.pop())
        return planned(*given)

    monkeypatch.setattr(executor, "_planned", slow)
    second = taking_over.start()
    assert second.is_active
    assert taking_over.server.end(second).ending is TrajectoryEnd.SUCCEEDED
    assert reasons(taking_over.server) == [EndReason.REPLACED, EndReason.ARRIVED]


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


def test_one_that_is_always_too_late_leaves_the_first_alone(
    taking_over: TakeOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor, held = taking_over.server.executor, taking_over.server.held
    planned = executor._planned
    monkeypatch.setattr(executor, "_planned", lambda *given: (held.after(1.0), planned(*given))[1])
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
    first: list[Execution] = []
    planned = server.executor._planned

    def move(*given: Any) -> Plan:
        made = planned(*given)
        if not first:
            first.append(server.start(SLOW))
            server.node.after(2.0)
        return made

    prepared = server.prepare(goal((2.0, 1.5)))
    monkeypatch.setattr(server.executor, "_planned", move)
    second = server.executor.start(prepared, server.request(prepared))
    assert server.node.after(0.3).velocity_cmd.all() or second.ended
