"""A homing ends as its motions do, whatever comes first, its answer or their ends.

What no handle is got of is stopped, as is an axis that follows another.
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import pytest
from motion_events import begun, ended
from wmx_ros2_message.srv import SetAxis

from wmx_ros2_package.client import EndReason, NotAnswered, Refused, Result, SeveralSystems
from wmx_ros2_package.client import session as sessions
from wmx_ros2_package.client.homing import EVENTS_TIMEOUT, Homing
from wmx_ros2_package.client.motions import Expected, Motions, OpenMotion
from wmx_ros2_package.client.session import Session
from wmx_ros2_package.client.states import STATUS_TIMEOUT
from wmx_ros2_package.control.request import MotionKind

LATE = "Homed axis 0; Failed to home axis 1. Error=65616 (WaitTimeout); "


class Bench:
    """A homing of axes 0 and 1, and what its node publishes and answers."""

    def __init__(self) -> None:
        self.expected = Expected(MotionKind.HOMING, [0, 1], since=0.0)
        self.answer: Future[Any] = Future()
        self.homing = Homing([0, 1], self.expected, self.answer)

    def begin(self, *axes: int) -> None:
        for axis in axes:
            self.expected.enter(OpenMotion([axis]))

    def end(self, axis: int, reason: EndReason = EndReason.ARRIVED) -> None:
        end = ended(begun(MotionKind.HOMING, axis), reason, axis + 0.5)
        self.expected.begun[axis].ended.set_result(end)

    def say(self, message: str, *, success: bool = False) -> None:
        self.answer.set_result(SetAxis.Response(success=success, message=message))

    @property
    def result(self) -> Result | None:
        return self.homing.ended.result() if self.homing.ended.done() else None


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_it_is_accepted_once_an_axis_has_begun(bench: Bench) -> None:
    assert not bench.homing.accepted.done()
    bench.begin(1)
    bench.say("Failed to home axis 0. Error=1567 (ServoOff); ")
    assert bench.homing.accepted.result(0.0) is None


def test_what_never_began_has_no_place_in_the_end() -> None:
    never = replace(ended(begun(MotionKind.HOMING, 0), EndReason.REFUSED, 0.0), final=())
    there = ended(begun(MotionKind.HOMING, 1), EndReason.ARRIVED, 1.5)
    assert Result(reason=EndReason.REFUSED, ends=(never, there)).positions == {1: 1.5}


def test_it_is_accepted_where_its_events_come_later_than_its_answer(bench: Bench) -> None:
    bench.say("Homed axis 0; Homed axis 1; ", success=True)
    assert bench.homing.accepted.result(0.0) is None


def test_it_is_refused_where_no_axis_has_begun(bench: Bench) -> None:
    bench.say("Failed to home axis 0. Error=1567 (ServoOff); ")
    with pytest.raises(Refused, match="Failed to home axis 0") as refused:
        bench.homing.accepted.result(0.0)
    assert (refused.value.code, refused.value.name) == (1567, "ServoOff")


class Connected:
    """A session whose link takes what is asked, and which the test answers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.link = MagicMock()
        for name in "Link", "Systems", "States", "Motions", "Description":
            monkeypatch.setattr(sessions, name, MagicMock(return_value=self.link))
        monkeypatch.setattr(Session, "require_one_system", lambda _: None)
        monkeypatch.setattr(Session, "remedy", lambda *_: "wmx on 0")
        self.expected = Expected(MotionKind.HOMING, [0, 1], since=0.0)
        monkeypatch.setattr(Session, "expected", lambda *_: nullcontext(self.expected))
        self.answer = self.link.ask.return_value = Future[Any]()
        self.session = Session("", None, 1.0, None)

    @property
    def stopped(self) -> list[list[int]]:
        """The axes of each stop."""
        calls = [each for each in self.link.call.call_args_list if "wmx/axis/stop" in each.args]
        return [each.kwargs["index"] for each in calls]


@pytest.mark.parametrize(("fresh", "timeout"), [(True, None), (False, STATUS_TIMEOUT)])
def test_a_machine_that_is_silent_is_not_asked_to_stop_for_long(
    monkeypatch: pytest.MonkeyPatch, fresh: bool, timeout: float | None
) -> None:
    connected = Connected(monkeypatch)
    connected.link.fresh, connected.link.axes = fresh, [1]
    connected.session.close()
    [stop] = [each for each in connected.link.call.call_args_list if "wmx/axis/stop" in each.args]
    assert stop.kwargs["timeout"] == timeout


def test_a_stop_names_an_axis_once_that_two_motions_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them began on it, whose name it has by now; the other one was to."""
    connected = Connected(monkeypatch)
    moves = [OpenMotion([axis]) for axis in (1, 2, 1)]
    connected.session.handle("axes 0 to 2", moves, [0, 1, 2]).cancel()
    assert connected.stopped == [[1, 2]]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), NotAnswered("it begins no homing")])
def test_a_homing_that_nothing_gets_a_handle_of_is_stopped(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    connected = Connected(monkeypatch)

    def wait(*_: object) -> None:
        motion = OpenMotion([0])
        connected.expected.enter(motion)
        motion.ended.set_result(ended(begun(MotionKind.HOMING, 0), EndReason.STOPPED))
        raise error

    connected.link.wait = wait
    with pytest.raises(type(error)):
        connected.session.home([0, 1])
    assert connected.stopped == [[1]], "the other one has ended"


@pytest.mark.parametrize("sent", [True, False])
def test_a_homing_that_ctrl_c_ends_as_it_is_sent_is_stopped(
    monkeypatch: pytest.MonkeyPatch, sent: bool
) -> None:
    connected = Connected(monkeypatch)

    def ask(*_: object, before: Callable[[], object]) -> None:
        if sent:
            before()
        raise KeyboardInterrupt

    connected.link.ask = ask
    with pytest.raises(KeyboardInterrupt):
        connected.session.home([0, 1])
    assert connected.stopped == [[0, 1]] * sent


def test_a_homing_that_is_refused_has_no_handle_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected = Connected(monkeypatch)
    connected.link.wait = lambda future, _: future.result(0.0)
    message = "Failed to home axis 0. Error=1567 (ServoOff); "
    connected.answer.set_result(SetAxis.Response(message=message))
    with pytest.raises(Refused) as refused:
        connected.session.home([0, 1])
    assert refused.value.remedy == "wmx on 0"
    assert connected.stopped == []


@pytest.mark.parametrize(
    ("error", "stopped"),
    [
        (NotAnswered("in time"), [[1]]),
        (Refused("it moves"), []),
        (SeveralSystems("another one has been started"), []),
    ],
)
def test_an_axis_that_may_follow_another_without_a_handle_is_stopped(
    monkeypatch: pytest.MonkeyPatch, error: Exception, stopped: list[list[int]]
) -> None:
    """Where it was refused, or not sent, it may be another client that moves it."""
    connected = Connected(monkeypatch)
    monkeypatch.setattr(connected.session, "request", MagicMock(side_effect=error))
    with pytest.raises(type(error)):
        connected.session.gear(1, 0, 1.0)
    assert connected.stopped == stopped


def test_a_homing_that_cannot_be_asked_for_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next one, of whichever client, would be taken for it."""
    connected = Connected(monkeypatch)
    motions = connected.session.motions = Motions(connected.link, MagicMock())
    monkeypatch.setattr(Session, "expected", lambda _, *of: motions.expected(*of, since=0.0))
    connected.link.ask.side_effect = SeveralSystems("another system has been started")
    with pytest.raises(SeveralSystems):
        connected.session.home([0])
    assert connected.link.ask.called
    assert not motions.awaited


def test_a_homing_whose_events_are_lost_ends_with_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected = Connected(monkeypatch)
    connected.answer.set_result(SetAxis.Response(success=True))
    homing = connected.session.home([0])
    period, give_up = connected.link.create_timer.call_args.args
    assert (period, homing.done) == (EVENTS_TIMEOUT, False)
    give_up()
    connected.link.create_timer.return_value.assert_called_once_with()
    assert homing.result is not None
    assert homing.result.arrived


def test_its_cancel_leaves_alone_what_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another motion may have taken those axes over."""
    connected, stopped = Connected(monkeypatch), list[list[int]]()
    connected.link.wait = lambda *_: None
    homing = connected.session.home([0, 1])
    monkeypatch.setattr(connected.session, "stop", stopped.append)
    for axis in (0, 1):
        connected.expected.enter(OpenMotion([axis]))
    for axis, motion in enumerate(connected.expected.begun):
        motion.see(ended(begun(MotionKind.HOMING, axis), EndReason.ARRIVED))
        homing.cancel()
    assert stopped == [[1]], "a stop of none would be one of all"


def test_its_axes_are_those_that_have_not_ended(bench: Bench) -> None:
    assert bench.homing.axes == [0, 1]
    bench.begin(0, 1)
    bench.end(0)
    assert bench.homing.axes == [1]


def test_an_axis_that_was_refused_is_not_its_own(bench: Bench) -> None:
    bench.begin(0)
    bench.say("Failed to home axis 0. Error=65616 (WaitTimeout); Failed to home axis 1. ")
    assert bench.homing.axes == [0]


def test_an_answer_that_comes_first_waits_for_the_end(bench: Bench) -> None:
    bench.begin(0, 1)
    bench.end(0)
    bench.say(LATE)
    assert bench.result is None
    bench.end(1, EndReason.TIMED_OUT)
    assert bench.result is not None
    assert (bench.result.reason, bench.result.code) == (EndReason.TIMED_OUT, 65616)
    assert bench.result.positions == {0: 0.5, 1: 1.5}


def test_what_has_arrived_has_its_positions(bench: Bench) -> None:
    """Its events may come after the answer, or be lost."""
    bench.say("Homed axis 0; Homed axis 1; ", success=True)
    bench.begin(0)
    bench.end(0)
    assert bench.result is None
    bench.begin(1)
    bench.end(1)
    assert bench.result is not None
    assert (bench.result.arrived, bench.result.positions) == (True, {0: 0.5, 1: 1.5})


def test_an_end_that_comes_late_ends_it_though_a_begin_was_lost(bench: Bench) -> None:
    bench.begin(0)
    bench.say("Homed axis 0; Homed axis 1; ", success=True)
    bench.homing.see(late=True)
    assert bench.result is None
    bench.end(0)
    assert bench.result is not None
    assert (bench.result.arrived, bench.result.positions) == (True, {0: 0.5})


def test_what_has_not_begun_is_refused(bench: Bench) -> None:
    bench.begin(0)
    bench.end(0)
    bench.say("Homed axis 0; Failed to home axis 1. Error=1567 (ServoOff); ")
    assert bench.result is not None
    assert bench.result.reason is EndReason.REFUSED
    assert bench.result.positions == {0: 0.5}


@pytest.mark.parametrize("first", [EndReason.OWNER_LOST, EndReason.ARRIVED])
def test_a_node_that_was_killed_answers_no_more(bench: Bench, first: EndReason) -> None:
    bench.begin(0, 1)
    bench.end(0, first)
    assert bench.result is None
    assert not bench.homing.ended.cancel(), "by nothing that waits for it"
    bench.end(1, EndReason.OWNER_LOST)
    assert bench.result is not None
    assert bench.result.reason is EndReason.OWNER_LOST


def test_an_axis_that_begins_again_does_so_for_another(bench: Bench) -> None:
    bench.begin(0)
    begins = [begun(MotionKind.HOMING, axis) for axis in (0, 1)]
    assert [bench.expected.fits(begin) for begin in begins] == [False, True]
