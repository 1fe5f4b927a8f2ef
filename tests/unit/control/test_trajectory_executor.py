"""Which trajectory begins when, which takes over from which, and what never begins."""

from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from stubborn import Stubborn
from trajectory_server import NEXT, SLOW, BusyMotion, Server, goal, reasons

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, RefusalCode
from wmx_core.values import EmergencyStop, MotionStatus, SplineMove
from wmx_ros2_package.control.following import executor as module
from wmx_ros2_package.control.following.context import TrajectoryEnd
from wmx_ros2_package.control.leases import StreamLeases
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.trajectories.plan import Plan
from wmx_ros2_package.validation import BadRequest

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


def test_what_the_engine_has_taken_is_stopped_where_what_follows_fails(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """A status that is refused just then: nothing would watch the axes."""

    class Unseen(BusyMotion):
        statuses = 9

        def move_spline(self, spline: SplineMove) -> None:
            super().move_spline(spline)
            self.statuses = 2

        def status(self) -> MotionStatus:
            self.statuses -= 1
            if self.statuses == 0:
                raise CommandRefused(ErrorCode.WaitTimeout)
            return super().status()

    server = Server(nodes(held, motion=Unseen(held)))
    outcome = server.start(SLOW).outcome.result(0)
    assert outcome.ending is TrajectoryEnd.OFF_PATH, outcome
    assert "it was taken, and is stopped" in outcome.text
    server.node.after(0.1)
    assert server.rests().pos_cmd.max() < 1e-3
    assert reasons(server) == [EndReason.STOPPED]
    assert server.executor.alive == server.node.supervisor.names() == []


@pytest.mark.parametrize("answers", [0, 1])
def test_an_engine_that_seems_lost_as_a_goal_begins_is_let_go_of(
    held: HeldEngine, nodes: Callable[..., HeldNode], answers: int
) -> None:
    """It may live, and lead the axes along the spline: its node has to stop them then."""

    class Late(Stubborn):
        answers = inf

        def move_spline(self, spline: SplineMove) -> None:
            held.motion.move_spline(spline)
            self.answers = answers

        def _ask(self, *given: Any, **options: Any) -> Any:
            self.answers -= 1
            self.refusals = 0 if self.answers >= 0 else 1
            return super()._ask(*given, **options)

    server = Server(nodes(held, motion=Late(held, "status", "stop", error=EngineLost)))
    execution = server.start(SLOW)
    assert execution.outcome.result(0).ending is TrajectoryEnd.NOT_STARTED
    assert len(server.node.lost) == 1
    assert server.executor.alive == []


@pytest.mark.parametrize(
    ("fail", "code", "words"),
    [
        (lambda h: h.motion.set_servo(1, on=False), ErrorCode.ServoOff, r"b \(axis 1\): servo off"),
        (lambda h: h.raise_alarm(1, 0x7121), ErrorCode.AxisAmpAlarm, r"b \(axis 1\): alarm"),
        (lambda h: h.motion.emergency_stop(EmergencyStop.LEVEL1), 65632, "emergency stop"),
        (lambda h: h.engine.stop_communication(), RefusalCode.NOT_READY, "does not communicate"),
    ],
)
def test_what_blocks_its_axes_refuses_it_with_the_code_of_any_motion(
    server: Server, fail: Callable[[HeldEngine], None], code: int, words: str
) -> None:
    fail(server.held)
    server.held.after(0.1)
    with pytest.raises(BadRequest, match=words) as caught:
        server.start(SLOW)
    assert caught.value.code == code


def test_a_closed_gate_and_an_error_of_any_kind_refuse_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.node.gate.close()
    refused = server.start(SLOW).outcome.result(0)
    assert (refused.ending, refused.code) == (TrajectoryEnd.NOT_STARTED, RefusalCode.NOT_READY)
    server.node.gate.open()
    monkeypatch.setattr(module, "ahead", lambda *_: 1 / 0)
    outcome = server.start(SLOW).outcome.result(0)
    assert outcome.ending is TrajectoryEnd.NOT_STARTED
    assert "ZeroDivisionError" in outcome.text
    assert reasons(server) == [EndReason.REFUSED] * 2
    server.rests()


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


@pytest.mark.parametrize("due", [True, False])
def test_a_suspension_before_its_start_lets_it_never_begin(server: Server, *, due: bool) -> None:
    """Also where its start comes only after the process goes on."""
    later = Later(server)
    server.require_awake = StreamLeases(server.node.clock).require_sent_after_suspension
    server.held.after(6.0)
    later.due = due
    server.node.after(0.01)
    assert later.execution.outcome.result(0).text.startswith("it has waited while this process was")
    assert later.ending() is TrajectoryEnd.NOT_STARTED
    assert reasons(server) == [EndReason.REFUSED]


def test_what_is_withdrawn_before_its_start_never_begins(server: Server) -> None:
    later = Later(server)
    server.executor.withdraw([later.execution.request.id])
    assert later.ending() is TrajectoryEnd.CANCELED
    [end] = server.node.ends()
    assert (end.id, end.reason) == (later.execution.request.id, EndReason.REFUSED)


def test_a_node_that_lets_go_forgets_it(server: Server) -> None:
    later = Later(server)
    server.executor.detach("let go")
    assert later.execution.outcome.result(0).text == "let go"
    assert later.ending() is TrajectoryEnd.NOT_STARTED
    [end] = server.node.ends()
    assert (end.id, end.reason) == (later.execution.request.id, EndReason.REFUSED)


@pytest.mark.parametrize("attached", [False, True])
@pytest.mark.parametrize("due", [False, True])
def test_what_is_planned_while_a_node_lets_go_never_begins(
    server: Server, *, attached: bool, due: bool
) -> None:
    """Nor once the node has attached again."""
    prepared = server.prepare(NEXT)
    request = server.request(prepared)
    server.held.after(0.1)
    server.node.gate.close()
    server.executor.detach("let go")
    if attached:
        server.node.gate.open()
    execution = server.executor.start(prepared, request, at=lambda: due)
    outcome = execution.outcome.result(0)
    assert (outcome.ending, outcome.code) == (TrajectoryEnd.NOT_STARTED, RefusalCode.NOT_READY)
    assert server.executor.alive == []
    server.node.gate.open()
    server.node.after(1.0)
    assert server.node.begins() == []
    assert reasons(server) == [EndReason.REFUSED]


@pytest.mark.parametrize("end", ["detached", "canceled", "stopped"])
def test_what_ends_while_it_is_planned_anew_does_not_begin(
    server: Server, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Also where the node has attached again by then."""
    later = Later(server)
    planned = server.executor.planned

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
    monkeypatch.setattr(server.executor, "planned", slow)
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
    assert [begin.id for begin in server.node.begins()] == [second.request.id]
    assert reasons(server) == [EndReason.REFUSED, EndReason.ARRIVED]
    assert server.node.ends()[0].id == later.execution.request.id


# Side by side


def test_goals_without_a_common_axis_run_side_by_side(server: Server) -> None:
    one = server.start(goal((2.0, 1.0), names="a"))
    other = server.start(goal((3.0, 1.0), names="b"))
    assert server.counts == [1, 2]
    assert server.node.after(1.0).velocity_cmd.all()
    assert server.end(one).ending is TrajectoryEnd.SUCCEEDED
    assert server.end(other).ending is TrajectoryEnd.SUCCEEDED
    assert reasons(server) == [EndReason.ARRIVED] * 2


def test_a_cancel_of_one_goal_is_none_of_another(server: Server) -> None:
    one, other = (server.start(goal((3.0, 1.0), names=name)) for name in "ab")
    server.node.after(1.0)
    one.cancel()
    assert server.end(one).ending is TrajectoryEnd.CANCELED
    assert server.end(other).ending is TrajectoryEnd.SUCCEEDED


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
    executions = [server.start(goal((9.0, 9.0), names=name)) for name in "ab"]
    server.node.after(1.0)
    server.executor.detach("let go")
    for execution in executions:
        outcome = execution.outcome.result(0)
        assert (outcome.ending, outcome.text) == (TrajectoryEnd.OFF_PATH, "let go")
    assert server.counts == [1, 2, 1, 0]
    server.node.after(0.1)
    assert server.node.supervisor.names() == []
    assert server.executor.time_on_path(server.held.status()) == 0.0
