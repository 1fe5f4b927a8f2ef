"""Which trajectory begins when, which takes over from which, and what never begins."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from trajectory_server import CYCLE, BusyMotion, Server, goal, steepest

from wmx_ros2_package.control import executor as module
from wmx_ros2_package.control.execution import LATE_PART, Execution, Repeat, TrajectoryEnd
from wmx_ros2_package.control.executor import LEADS
from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.drivers.values import CommandMode, OperationState
from wmx_ros2_package.trajectories.goal import Rules
from wmx_ros2_package.trajectories.plan import Plan, require_plan
from wmx_ros2_package.validation import BadRequest

SLOW = goal((40.0, 20.0))
"""0.5 u/s for most of its way."""
NEXT = goal((1.0, 0.6))


@pytest.fixture
def server(node: HeldNode) -> Server:
    return Server(node)


def reasons(server: Server) -> list[EndReason]:
    server.node.after(0.1)
    return server.node.reasons()


# Before it begins


def test_what_does_not_begin_moves_nothing_owns_nothing_and_ends_once(
    server: Server, nodes: Callable[..., HeldNode]
) -> None:
    """Another node owns one of its axes."""
    other = nodes(server.held, "/other")
    with other.gate.claim(other.request(1)):
        execution = server.start(SLOW)
    assert execution.ended
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    server.rests()
    assert reasons(server) == [EndReason.REFUSED]
    assert server.node.ends()[0].id == execution.request.id
    assert server.counts == []
    assert server.node.ownership.owners([0, 1], server.held.status()) == {}
    assert server.node.supervisor.names() == []


def test_the_mode_of_its_axes_is_what_it_was_when_it_does_not_begin(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    held.motion.set_command_mode(1, CommandMode.VELOCITY)
    motion = BusyMotion(held)
    motion.move_spline = lambda _: held.motion.home(9)  # type: ignore[method-assign]
    server = Server(nodes(held, motion=motion))
    held.after(0.1)
    execution = server.start(SLOW, mode=CommandMode.POSITION)
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert held.after(0.1).command_mode.tolist() == [CommandMode.POSITION, CommandMode.VELOCITY]


def test_a_closed_gate_and_an_error_of_any_kind_refuse_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.node.gate.close()
    assert server.start(SLOW).outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    server.node.gate.open()
    monkeypatch.setattr(module, "ahead", lambda *_: 1 / 0)
    outcome = server.start(SLOW).outcome.result(0)
    assert outcome.ending is TrajectoryEnd.NOT_STARTED
    assert "ZeroDivisionError" in outcome.text
    assert reasons(server) == [EndReason.REFUSED] * 2
    server.rests()


def test_axes_that_cannot_move_refuse_a_goal(server: Server) -> None:
    server.held.motion.set_servo(1, on=False)
    server.held.after(0.1)
    with pytest.raises(BadRequest, match=r"b \(axis 1\): servo off"):
        server.prepare(SLOW)


def test_what_was_sent_before_a_stop_does_not_begin_after_it(
    server: Server, nodes: Callable[..., HeldNode]
) -> None:
    """The goal takes longer to be read and planned than the stop to be carried out."""
    asked_at = server.node.now()
    server.held.after(0.1)
    nodes(server.held, "/other").gate.stop([1])
    execution = server.start(SLOW, asked_at=asked_at)
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    server.rests()
    assert reasons(server) == [EndReason.REFUSED]


# Starts that are still to come


class Later:
    """A goal that starts when it is `due`, planned by now."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.due = False
        self.execution = server.start(SLOW, at=lambda: self.due)
        server.node.after(1.0)

    def ending(self) -> TrajectoryEnd:
        """How it has ended, with its start due in vain."""
        self.due = True
        self.server.node.after(1.0)
        assert self.execution.ended
        self.server.rests()
        assert self.server.held.status().pos_cmd.tolist() == [0.0, 0.0]
        return self.execution.outcome.result(0).ending


def test_a_goal_begins_when_its_start_is_due(server: Server) -> None:
    later = Later(server)
    assert not server.held.status().velocity_cmd.any()
    assert (server.node.events, server.counts) == ([], [])
    later.due = True
    assert server.node.after(0.5).velocity_cmd.all()
    assert server.counts == [1]


@pytest.mark.parametrize("verb", ["stop", "refuse_earlier"])
def test_a_stop_before_its_start_lets_it_never_begin(
    server: Server, nodes: Callable[..., HeldNode], verb: str
) -> None:
    later = Later(server)
    getattr(nodes(server.held, "/other").gate, verb)([1])
    server.node.after(0.01)
    assert later.execution.ended, "it is known at once"
    assert later.ending() is TrajectoryEnd.NOT_STARTED
    assert reasons(server) == [EndReason.REFUSED]


def test_a_cancel_before_its_start_lets_it_never_begin(server: Server) -> None:
    later = Later(server)
    later.execution.cancel()
    assert later.ending() is TrajectoryEnd.CANCELED


def test_a_node_that_lets_go_forgets_it(server: Server) -> None:
    later = Later(server)
    server.executor.detach("let go")
    assert later.execution.outcome.result(0).text == "let go"
    assert later.ending() is TrajectoryEnd.NOT_STARTED


@pytest.mark.parametrize("end", ["detached", "canceled", "stopped"])
def test_what_ends_while_it_is_planned_anew_does_not_begin(
    server: Server, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Also where the node has attached again by then."""
    later = Later(server)
    planned = server.executor._planned

    def slow(*given: Any) -> Plan:
        match end:
            case "detached":
                server.executor.detach("the node lets go of the axes")
            case "canceled":
                later.execution.cancel()
            case "stopped":
                server.node.gate.refuse_earlier([0])
        return planned(*given)

    monkeypatch.setattr(module, "same_start", lambda *_: False)  # the axes have moved since
    monkeypatch.setattr(server.executor, "_planned", slow)
    expected = TrajectoryEnd.CANCELED if end == "canceled" else TrajectoryEnd.NOT_STARTED
    assert later.ending() is expected
    assert server.node.begins() == []
    assert server.counts == []
    assert server.node.ownership.owners([0, 1], server.held.status()) == {}


def test_a_start_that_finds_no_room_to_be_planned_is_tried_again(server: Server) -> None:
    def full(_: object) -> None:
        raise BadRequest(["20 messages wait already"])

    server.plan_in = full
    later = Later(server)
    later.due = True
    server.node.after(0.5)
    assert not server.held.status().velocity_cmd.any()
    server.plan_in = lambda work: work()
    assert server.node.after(0.5).velocity_cmd.all()


def test_a_waiting_goal_is_preempted_by_one_that_begins(server: Server) -> None:
    later = Later(server)
    second = server.start(NEXT)
    assert later.execution.outcome.result(0).ending is TrajectoryEnd.PREEMPTED
    later.due = True
    assert server.end(second).ending is TrajectoryEnd.SUCCEEDED
    assert len(server.node.begins()) == 1


# Taking over


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


# Side by side


def test_goals_without_a_common_axis_run_side_by_side(server: Server) -> None:
    one, other = (
        server.start(goal((2.0, 1.0), names="a")),
        server.start(goal((3.0, 1.0), names="b")),
    )
    assert server.counts == [1, 2]
    assert server.node.after(1.0).velocity_cmd.all()
    assert server.end(one).ending is TrajectoryEnd.SUCCEEDED
    assert server.end(other).ending is TrajectoryEnd.SUCCEEDED
    assert reasons(server) == [EndReason.ARRIVED] * 2


def test_a_goal_that_leaves_joints_of_another_out_is_refused(server: Server) -> None:
    first = server.start(SLOW)
    server.node.after(1.0)
    with pytest.raises(BadRequest, match=r"another trajectory leads a, b: must name b"):
        server.prepare(goal((2.0, 1.0), names="a"))
    assert not first.ended


def test_without_preemption_a_goal_waits_for_no_other(node: HeldNode) -> None:
    server = Server(node, preempt=False)
    prepared = server.prepare(NEXT)
    first = server.start(SLOW)
    server.node.after(1.0)
    with pytest.raises(BadRequest, match="another trajectory runs"):
        server.prepare(NEXT)
    second = server.executor.start(prepared, server.request(prepared))
    assert second.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert not first.ended
    first.cancel()
    server.end(first)
    server.prepare(NEXT)


# All of them


def test_a_cancel_of_all_leaves_nothing_to_begin(server: Server) -> None:
    one = server.start(goal((20.0, 9.0), names="a"))
    other = server.start(goal((20.0, 9.0), names="b"), at=lambda: False)
    server.node.after(1.0)
    server.executor.cancel_all()
    assert server.end(one).ending is TrajectoryEnd.CANCELED
    assert other.outcome.result(0).ending is TrajectoryEnd.CANCELED
    server.rests()


def test_a_node_that_lets_go_ends_all(server: Server) -> None:
    one, other = (
        server.start(goal((9.0, 9.0), names="a")),
        server.start(goal((9.0, 9.0), names="b")),
    )
    server.node.after(1.0)
    server.executor.detach("let go")
    for execution in (one, other):
        outcome = execution.outcome.result(0)
        assert (outcome.ending, outcome.text) == (TrajectoryEnd.OFF_PATH, "let go")
    assert server.counts == [1, 2, 1, 0]
    server.node.after(0.1)
    assert server.node.supervisor.names() == []
    assert server.executor.time_in_plan(server.held.status()) == 0.0


# Endless trajectories

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
def test_a_part_that_ends_at_rest_may_end_a_rounding_error_off(
    server: Server, towards: float
) -> None:
    swing = Swing(server, stands=True, span=float(np.nextafter(SPAN, towards)))
    server.node.after(5.0 * SPAN)
    assert not swing.execution.outcome.done(), swing.execution.outcome.result(0)


@pytest.mark.parametrize("towards", [-np.inf, np.inf])
@pytest.mark.parametrize("offset", [0.001, 0.002, 0.004])
def test_a_part_that_comes_to_rest_as_it_ends_goes_on(
    server: Server, towards: float, offset: float
) -> None:
    server.node.after(offset)  # other samples
    swing = Swing(server, rests=True, span=float(np.nextafter(SPAN, towards)))
    server.node.after(5.0 * SPAN)
    assert not swing.execution.outcome.done(), swing.execution.outcome.result(0)


def test_what_waits_when_the_node_lets_go_is_refused(server: Server) -> None:
    execution = server.start(SLOW, at=lambda: False)
    server.executor.detach("the node lets go")
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    [end] = server.node.ends()
    assert (end.id, end.reason) == (execution.request.id, EndReason.REFUSED)


def test_what_waits_may_be_withdrawn(server: Server) -> None:
    execution = server.start(SLOW, at=lambda: False)
    server.executor.withdraw([execution.request.id])
    assert server.end(execution).ending is TrajectoryEnd.CANCELED
    [end] = server.node.ends()
    assert (end.id, end.reason) == (execution.request.id, EndReason.REFUSED)
    assert server.node.begins() == []


def test_a_stop_ends_an_endless_trajectory_in_whatever_part_it_is(
    server: Server, nodes: Callable[..., HeldNode]
) -> None:
    swing = Swing(server)
    server.node.after(3.3 * SPAN)
    nodes(server.held, "/other").gate.stop([0])
    assert server.end(swing.execution).ending is TrajectoryEnd.OFF_PATH
    server.rests()
    assert reasons(server) == [EndReason.STOPPED]


def test_another_motion_of_its_axes_is_no_matter_of_it(server: Server) -> None:
    """A jog of an axis that it does not lead goes on when it ends."""
    execution = server.start(goal((3.0, 1.0), names="a"))
    jog = server.node.request(1, kind=MotionKind.JOG)
    server.node.gate.issue([jog], lambda motion: motion.jog([velocity_move(1)]))
    server.node.after(1.0)
    execution.cancel()
    server.end(execution)
    assert server.node.after(1.0).op_state.tolist() == [OperationState.IDLE, OperationState.JOG]


def test_a_goal_that_cannot_take_over_from_a_jog_is_refused(server: Server) -> None:
    """Which goes on."""
    prepared = server.prepare(NEXT)
    server.held.motion.jog([velocity_move(0)])
    server.held.after(0.5)
    with pytest.raises(CommandRefused):
        server.held.motion.move_velocity([velocity_move(0)])
    execution = server.executor.start(prepared, server.request(prepared))
    assert execution.ended
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert server.held.after(0.5).op_state[0] == OperationState.JOG
