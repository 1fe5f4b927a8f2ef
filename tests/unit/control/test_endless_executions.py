"""Endless trajectories: one part takes over from the other."""

from collections.abc import Callable

import numpy as np
import pytest
from held_engine import velocity_move
from trajectory_server import NEXT, Server, goal, reasons

from wmx_core.values import OperationState
from wmx_ros2_package.control.following.context import Repeat, TrajectoryEnd
from wmx_ros2_package.control.following.execution import LATE_PART
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.trajectories.goal import Rules
from wmx_ros2_package.trajectories.plan import Plan, require_plan
from wmx_ros2_package.validation import BadRequest

SPAN = 2.0


class Swing:
    """An endless trajectory of both joints, whose parts are planned by the test."""

    def __init__(
        self, server: Server, *, stands: bool = False, rests: bool = False, span: float = SPAN
    ) -> None:
        self.server = server
        self.parts = 0
        self.error: Exception | None = None
        swing = 0.0 if stands else 0.3
        points = [(0.5 * i, swing if i % 2 else 0.0) for i in range(1, 9)]
        if stands:
            points = [(t, 0.3 if t % SPAN == 0.5 else 0.0) for t, _ in points]
        if rests:  # from 0.5 s before each end of a part
            points = [(t, 0.3 if t % SPAN == 1.0 else 0.0) for t, _ in points]
        self.goal = goal(*points)
        repeat = Repeat(span=span, part=self._part)
        self.execution = server.start(self.goal, repeat=repeat, lasts=np.inf)

    def _part(self, before: Plan, time: float) -> Plan:
        self.parts += 1
        if self.error is not None:
            raise self.error
        return require_plan(self.goal, self.server.joints, before.start_at(time), Rules())


@pytest.mark.long
@pytest.mark.parametrize("stands", [False, True])
def test_an_endless_trajectory_goes_on_in_time(server: Server, *, stands: bool) -> None:
    swing = Swing(server, stands=stands)
    server.node.after(10.0 * SPAN + 0.5)
    assert not swing.execution.outcome.done(), swing.execution.outcome.result(0)
    assert swing.parts == 10
    assert server.held.status().pos_cmd[0] == pytest.approx(0.3, abs=0.02)
    assert (len(server.node.begins()), server.node.ends()) == (1, [])
    swing.execution.cancel()
    assert server.end(swing.execution).ending is TrajectoryEnd.CANCELED
    server.rests()
    assert reasons(server) == [EndReason.CANCELED]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BadRequest(["b would go too far"]), "b would go too far"),
        (ZeroDivisionError("of a plan"), "internal error: ZeroDivisionError('of a plan')"),
    ],
)
def test_a_part_that_cannot_be_planned_ends_it(server: Server, error: Exception, text: str) -> None:
    swing = Swing(server)
    swing.error = error
    outcome = server.end(swing.execution)
    assert (outcome.ending, outcome.text) == (TrajectoryEnd.OFF_PATH, text)
    server.rests()
    assert reasons(server) == [EndReason.STOPPED]


def test_a_part_that_is_never_planned_is_no_success(server: Server) -> None:
    swing = Swing(server)
    server.plan_in = lambda _: None
    outcome = server.end(swing.execution)
    assert outcome.ending is TrajectoryEnd.OFF_PATH
    assert "next part" in outcome.text
    server.rests()
    assert reasons(server) == [EndReason.STOPPED]


def test_a_part_that_finds_no_room_to_be_planned_is_tried_again(server: Server) -> None:
    swing = Swing(server)

    def full(_: object) -> None:
        raise BadRequest(["20 messages wait already"])

    server.plan_in = full
    server.node.after(SPAN - 0.1)
    server.plan_in = lambda work: work()
    server.node.after(4.0 * SPAN)
    assert not swing.execution.ended
    assert swing.parts >= 4


def test_a_part_that_comes_late_goes_on_from_rest_as_it_was_planned(server: Server) -> None:
    swing = Swing(server, stands=True)
    server.node.after(SPAN - 0.25)
    waiting: list[Callable[[], object]] = []
    server.plan_in = waiting.append
    assert not server.node.after(0.25 + 0.45).velocity_cmd.any(), "it stands until then"
    server.plan_in = lambda work: work()
    [part] = waiting
    part()
    fastest = max(abs(server.node.after(0.005).velocity_cmd[0]) for _ in range(200))
    assert 0.1 < fastest < 3.0, "0.3 u in half a second"
    assert not swing.execution.outcome.done()


def test_a_part_of_moving_axes_that_comes_late_ends_it(server: Server) -> None:
    swing = Swing(server)
    server.node.after(SPAN - 0.25)
    waiting: list[Callable[[], object]] = []
    server.plan_in = waiting.append
    server.node.after(0.25 + 0.2)
    [part] = waiting
    part()
    outcome = server.end(swing.execution)
    assert (outcome.ending, outcome.text) == (TrajectoryEnd.OFF_PATH, LATE_PART)
    server.rests()


@pytest.mark.parametrize("towards", [-np.inf, np.inf])
@pytest.mark.parametrize(
    ("rests", "offset"), [(False, 0.005), *((True, 0.001 * i) for i in (1, 2, 4))]
)
def test_a_part_that_stands_or_comes_to_rest_as_it_ends_may_end_a_rounding_error_off(
    server: Server, towards: float, offset: float, *, rests: bool
) -> None:
    server.node.after(offset)  # other samples
    span = float(np.nextafter(SPAN, towards))
    swing = Swing(server, stands=not rests, rests=rests, span=span)
    server.node.after(5.0 * SPAN)
    assert not swing.execution.outcome.done(), swing.execution.outcome.result(0)


def test_a_goal_that_cannot_take_over_from_a_jog_is_refused(server: Server) -> None:
    """Which goes on."""
    prepared = server.prepare(NEXT)
    server.held.motion.jog([velocity_move(0)])
    server.held.after(0.5)
    execution = server.executor.start(prepared, server.request(prepared))
    assert execution.ended
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert server.held.after(0.5).op_state[0] == OperationState.JOG
