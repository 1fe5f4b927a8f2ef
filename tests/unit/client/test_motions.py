"""Motions of this client: which answer counts, what is stopped, and how far they are."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from itertools import count
from math import nan
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock
from uuid import UUID, uuid4

import pytest
from motion_events import begun, ended
from wmx_ros2_message.msg import ActuatorCommand

from wmx_core.errors import RefusalCode
from wmx_ros2_package.client import (
    EndReason,
    MachineError,
    MotionBegin,
    NotAnswered,
    Refused,
    SeveralSystems,
    SystemLost,
)
from wmx_ros2_package.client.link import CHECK_PERIOD, Link
from wmx_ros2_package.client.motions import Motions, OpenMotion, way
from wmx_ros2_package.client.session import Session
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.messages.motions import uuid

SERVO_OFF = 1567


@pytest.mark.parametrize(
    ("nodes", "code", "begins", "raised", "stopped"),
    [
        (1, 0, False, None, []),
        (1, None, True, None, []),
        (1, None, False, NotAnswered, [0, 1]),
        (1, SERVO_OFF, False, Refused, []),
        (1, RefusalCode.OTHER_SYSTEM, False, SystemLost, []),
        (2, RefusalCode.OTHER_SYSTEM, True, None, []),
        (2, RefusalCode.NOT_READY, True, None, []),
        (2, RefusalCode.OTHER_SYSTEM, False, SeveralSystems, [0, 1]),
        (2, SERVO_OFF, False, Refused, []),
    ],
)
def test_a_refusal_of_another_system_is_no_answer(
    nodes: int,
    code: int | None,
    begins: bool,
    raised: type[MachineError] | None,
    stopped: list[int],
) -> None:
    """The one that is meant may have begun it. What may move without a handle is stopped."""

    def ask(_kind: Any, _service: str, request: Any, before: Callable[[], object]) -> Future[Any]:
        answer: Future[Any] = Future()
        before()
        if code is not None:
            answer.set_result(SimpleNamespace(accepted=not code, message="", code=code))
        for axis, sent in enumerate([request.command, *request.others] * begins):
            motions.see(begun(MotionKind.POSITION, axis, id=uuid(sent.command_id)))
        return answer

    def wait(answer: Future[Any], complaint: str, **_: Any) -> Any:
        if not answer.done():
            raise NotAnswered(complaint)
        return answer.result()

    link, stops = MagicMock(ask=ask, wait=wait), list[int]()
    link.servers.return_value = nodes
    motions = Motions(link, stops.extend)
    command = {"type": ActuatorCommand.POSITION, "value": 1.0}
    ends: Any = pytest.raises(raised) if raised else nullcontext()
    with ends as error:
        motions.begin({0: command, 1: command}, uuid4())
    assert not raised or error.type is raised
    if raised is SeveralSystems:
        assert isinstance(error.value.__cause__, NotAnswered), "it may have begun"
    assert (stops, motions.axes) == (stopped, [] if raised else [0, 1])


def test_the_first_refusal_of_axes_that_begin_together_is_that_of_all() -> None:
    """The node publishes one for each before its answer. Another client may move the others."""
    asked: list[Any] = []

    def ask(_kind: Any, _service: str, request: Any, before: Callable[[], object]) -> Future[Any]:
        before()
        asked.extend([request.command, *request.others])
        return Future()

    def wait(begins: Future[Any], _: str, **__: Any) -> Any:
        refused = ended(begun(MotionKind.POSITION, 0), EndReason.REFUSED)
        motions.see(replace(refused, id=uuid(asked[0].command_id)))
        return begins.result(0.0)

    stops = list[int]()
    motions = Motions(MagicMock(ask=ask, wait=wait), stops.extend)
    command = {"type": ActuatorCommand.POSITION, "value": 1.0}
    with pytest.raises(Refused):
        motions.begin({0: command, 1: command}, uuid4())
    assert (stops, motions.axes) == ([], [])


@pytest.mark.parametrize(
    ("answered_first", "reason"),
    [(False, EndReason.STOPPED), (True, EndReason.ARRIVED), (True, EndReason.ALARM)],
)
def test_a_name_that_is_that_of_another_axis_by_now(
    answered_first: bool, reason: EndReason
) -> None:
    """A node was restarted with other axes: that one is stopped, and so are the others."""
    asked: list[Any] = []

    def ask(_kind: Any, _service: str, request: Any, before: Callable[[], object]) -> Future[Any]:
        before()
        asked.extend([request.command, *request.others])
        answer: Future[Any] = Future()
        answer.set_result(SimpleNamespace(accepted=True, message="", code=0))
        if not answered_first:
            motions.see(begins())
        return answer

    def begins() -> MotionBegin:
        return begun(MotionKind.POSITION, 2, id=uuid(asked[0].command_id))

    stops: list[Sequence[int]] = []
    motions = Motions(
        MagicMock(ask=ask, wait=lambda future, *_, **__: future.result(0.0)), stops.append
    )
    commands = {axis: {"type": ActuatorCommand.POSITION, "value": 1.0} for axis in (0, 1)}
    if not answered_first:
        with pytest.raises(MachineError, match=r"axes \[2\] have the names") as error:
            motions.begin(commands, uuid4())
        assert "machine.describe()" in error.value.remedy
        assert (stops, motions.axes) == ([[1, 2], [2, 1]], [])
        motions.see(begun(MotionKind.POSITION, 3, id=uuid(asked[1].command_id)))
        assert stops[2:] == [[3]], "which begins with it, and is heard of later"
        return
    moved, other = motions.begin(commands, uuid4())
    motions.see(begins())
    assert (stops, moved.moving, motions.axes) == ([[1, 2]], [2], [1, 2])
    motions.see(replace(ended(begins(), reason), message="its alarm 7"))
    end = moved.ended.result(0.0)
    assert end.reason is (EndReason.STOPPED if reason is EndReason.ARRIVED else reason)
    for why in "axes [2] have the names", "its alarm 7", "machine.describe()":
        assert why in end.message
    motions.see(replace(ended(begun(MotionKind.POSITION, 1), reason), id=other.id))
    end = other.ended.result(0.0)
    assert end.reason is reason
    assert ("axes [2] have the names" in end.message) is (reason is not EndReason.ARRIVED)


def test_what_moves_other_axes_is_not_leased_any_more() -> None:
    """So it ends also where the stop does not come through."""
    answer: Future[Any] = Future()
    answer.set_result(SimpleNamespace(accepted=True, message="", code=0))
    leased: list[UUID] = []
    link = MagicMock(ask=lambda *_, **__: answer, wait=lambda future, *_, **__: future.result(0.0))
    link.publisher().publish = lambda message: leased.append(uuid(message))
    motions = Motions(link, MagicMock(side_effect=NotAnswered("it does not answer")))
    [[_, renew]] = [call.args for call in link.create_timer.call_args_list]
    command = {"type": ActuatorCommand.POSITION, "value": 1.0}
    moved, _ = motions.begin({0: command, 1: command}, uuid4())
    [right] = motions.begin({4: command}, uuid4())
    motions.see(begun(MotionKind.POSITION, 2, id=moved.id))
    renew()
    assert leased == [right.id]


class Leases:
    """The motions of a client whose requests are accepted, and which of them it renews."""

    def __init__(self) -> None:
        answer: Future[Any] = Future()
        answer.set_result(SimpleNamespace(accepted=True, message="", code=0))
        self.ids: list[UUID] = []
        self.link = MagicMock(
            ask=lambda *_, **__: answer, wait=lambda future, *_, **__: future.result()
        )
        self.link.publisher().publish = lambda message: self.ids.append(uuid(message))
        self.motions = Motions(self.link, MagicMock())
        [[_, self._renew]] = [call.args for call in self.link.create_timer.call_args_list]

    def begin(self, axis: int) -> OpenMotion:
        command = {"type": ActuatorCommand.VELOCITY, "value": 1.0}
        [motion] = self.motions.begin({axis: command}, uuid4())
        return motion

    def renewed(self) -> list[UUID]:
        self.ids.clear()
        self._renew()
        return [*self.ids]


def test_what_is_to_stop_is_not_leased_until_its_stop_is_answered() -> None:
    """So it ends where no stop reaches the machine, and as it was stopped where one does."""
    leases = Leases()
    stopped, other = leases.begin(0), leases.begin(1)
    during: list[UUID] = []
    session: Any = MagicMock(motions=leases.motions, _handle=lambda *given: given)
    session.stop = lambda _: during.extend(leases.renewed())
    made: Any = Session.handle(session, "jog", [stopped], [0])
    [*_, cancel, _] = made
    cancel()
    assert during == [other.id]
    assert leases.renewed() == [stopped.id, other.id]
    session.stop = MagicMock(side_effect=NotAnswered("wmx/axis/stop does not answer"))
    with pytest.raises(NotAnswered):
        cancel()
    assert leases.renewed() == [other.id]
    assert leases.motions.axes == [0, 1], "a client that leaves stops it once more"


def test_a_goal_whose_cancel_is_not_answered_is_leased_no_more() -> None:
    leases = Leases()
    link, other = leases.link, leases.begin(1)
    sent: list[UUID] = []

    def ask_goal(*_: object, id: Any, **__: object) -> Any:
        sent.append(uuid(id))
        accepted: Future[Any] = Future()
        accepted.set_result(SimpleNamespace(accepted=True, goal_id=id))
        return accepted

    link.ask_goal = ask_goal
    handle = leases.motions.send_goal(None, "follow", None, [0])
    leases.motions.cancel_goal(handle)
    assert leases.renewed() == [other.id, *sent]
    link.cancel_goal.side_effect = NotAnswered("its server does not answer")
    with pytest.raises(NotAnswered):
        leases.motions.cancel_goal(handle)
    assert leases.renewed() == [other.id]


@pytest.mark.parametrize(("code", "moving"), [(0, [1]), (SERVO_OFF, [0, 1])])
def test_axes_that_a_later_command_has_are_not_moving_for_an_earlier_one(
    code: int, moving: list[int]
) -> None:
    """Its end may be heard later: a cancel until then would stop what has taken over."""

    def answered(code: int) -> Future[Any]:
        answer: Future[Any] = Future()
        answer.set_result(SimpleNamespace(accepted=not code, message="", code=code))
        return answer

    ask = MagicMock(side_effect=[answered(0), answered(0), answered(code)])
    motions = Motions(
        MagicMock(ask=ask, wait=lambda future, *_, **__: future.result()), MagicMock()
    )
    command = {"type": ActuatorCommand.POSITION, "value": 1.0}
    both = motions.begin({0: command, 1: command}, uuid4())
    other = motions.begin({2: command}, uuid4())
    with pytest.raises(Refused) if code else nullcontext():
        motions.begin({0: command}, uuid4())
    assert [axis for each in both for axis in each.moving] == moving
    assert other[0].moving == [2]
    motions.see(replace(ended(begun(MotionKind.POSITION, 1), EndReason.STOPPED), id=both[1].id))
    assert both[1].moving == []


def test_what_is_not_wanted_any_more_is_not_sent_and_stops_nothing() -> None:
    """Another client may move the axes, and a stop is one of theirs as well."""

    def forbid() -> None:
        raise ZeroDivisionError

    def ask(*_: object, before: Callable[[], object]) -> Future[Any]:
        before()
        raise AssertionError

    stops = list[int]()
    motions = Motions(MagicMock(ask=ask), stops.extend)
    with pytest.raises(ZeroDivisionError):
        motions.begin({0: {"type": ActuatorCommand.VELOCITY, "value": 1.0}}, uuid4(), forbid)
    assert (stops, motions.axes) == ([], [])


@pytest.mark.parametrize("stopped", [True, False])
def test_what_is_not_wanted_any_more_before_it_is_known_to_have_begun_is_stopped(
    *, stopped: bool
) -> None:
    """As a jog whose button is let go while the answer is on its way, or is lost.

    Where that stop has no answer either, it is told that it may move.
    """
    wanted = True

    def before() -> None:
        if not wanted:
            raise ZeroDivisionError

    def ask(*_: object, before: Callable[[], object]) -> Future[Any]:
        nonlocal wanted
        before()
        wanted = False
        return Future()

    now = count()
    clock: Any = SimpleNamespace(now=now.__next__, result=MagicMock(side_effect=NotInTime))
    link = MagicMock(ask=ask, clock=clock, timeout=5.0)
    link.wait = partial(Link.wait, link)
    stops = list[int]()

    def stop(axes: Iterable[int]) -> None:
        stops.extend(axes)
        if not stopped:
            raise NotAnswered("no stop")

    motions = Motions(link, stop)
    with pytest.raises(ZeroDivisionError if stopped else NotAnswered):
        motions.begin({0: {"type": ActuatorCommand.VELOCITY, "value": 1.0}}, uuid4(), before)
    assert (stops, motions.axes) == ([0], [])


def test_an_answer_is_waited_for_until_its_time_is_over() -> None:
    times = iter([0.0, 0.0, 4.0, 4.0, 5.0])
    result, checked = MagicMock(side_effect=NotInTime), list[int]()
    clock: Any = SimpleNamespace(now=lambda: next(times), result=result)
    link: Any = MagicMock(clock=clock, timeout=5.0)
    answer: Future[None] = Future()
    with pytest.raises(NotAnswered, match="it does not answer within 5 s"):
        Link.wait(link, answer, "it does not answer", check=lambda: checked.append(1))
    assert [call.args for call in result.call_args_list] == [(answer, CHECK_PERIOD)] * 2
    assert checked == [1]
    times, result.side_effect = iter([0.0, 0.0]), Future.result
    answer.set_exception(NotAnswered("the node has ended"))
    with pytest.raises(NotAnswered, match="the node has ended"):
        Link.wait(link, answer, "it does not answer", check=lambda: checked.append(2))
    assert checked == [1]


@pytest.mark.parametrize("sent", [True, False])
def test_what_ctrl_c_leaves_without_a_handle_is_stopped_once_it_may_be_sent(sent: bool) -> None:
    """It may come as soon as that, in the call that sends."""

    def send(*_: object, before: Callable[[], object], **__: object) -> Future[Any]:
        if sent:
            before()
        raise KeyboardInterrupt

    stops = list[int]()
    motions = Motions(MagicMock(ask=send, ask_goal=send), stops.extend)
    with pytest.raises(KeyboardInterrupt):
        motions.send_goal(None, "follow", None, [0, 1])
    with pytest.raises(KeyboardInterrupt):
        motions.begin({2: {"type": ActuatorCommand.VELOCITY, "value": 1.0}}, uuid4())
    assert (stops, motions.axes) == ([0, 1, 2] * sent, [])


@pytest.mark.parametrize(("axis", "stopped"), [(0, []), (3, [[3]])])
def test_what_begins_after_it_was_given_up_is_stopped_where_it_was_not(
    axis: int, stopped: list[Sequence[int]]
) -> None:
    """On its own axis it has been: a newer motion of the same program may be there by now.

    So it may where the begin comes again, from a node that is discovered anew.
    """
    asked: list[Any] = []

    def ask(_kind: Any, _service: str, request: Any, before: Callable[[], object]) -> Future[Any]:
        before()
        asked.append(request.command)
        return Future()

    stops: list[Sequence[int]] = []
    motions = Motions(MagicMock(ask=ask, **{"wait.side_effect": KeyboardInterrupt}), stops.append)
    with pytest.raises(KeyboardInterrupt):
        motions.begin({0: {"type": ActuatorCommand.POSITION, "value": 1.0}}, uuid4())
    for _ in range(2):
        motions.see(begun(MotionKind.POSITION, axis, id=uuid(asked[0].command_id)))
    motions.see(begun(MotionKind.POSITION, 4))
    assert stops == [[0], *stopped]


def test_a_goal_is_leased_as_it_is_sent() -> None:
    """A program may be killed at once, and its goal does not say that it is leased.

    A lease of before reaches no server that is not discovered yet.
    """
    order: list[object] = []

    def ask_goal(*_: object, id: Any, before: Callable[[], object], **__: object) -> Any:
        order.append("discovered")
        before()
        order.extend(["sent", uuid(id)])
        return MagicMock()

    link = MagicMock(ask_goal=ask_goal)
    link.publisher().publish = lambda message: order.append(uuid(message))
    Motions(link, MagicMock()).send_goal(None, "follow", None, [0])
    discovered, leased, sent, id = order
    assert (discovered, leased, sent) == ("discovered", id, "sent")


def test_a_motion_that_begins_under_an_id_of_its_node_is_leased_at_once() -> None:
    leased: list[UUID] = []
    link = MagicMock()
    link.publisher().publish = lambda message: leased.append(uuid(message))
    motions, begin = Motions(link, MagicMock()), begun(MotionKind.GEARING, 0)
    with motions.expected(MotionKind.GEARING, [0], since=begin.time):
        motions.see(begin)
        motions.see(begun(MotionKind.GEARING, 1))
    assert leased == [begin.id]


@pytest.mark.parametrize("at_once", [False, True])
def test_an_end_that_comes_before_its_begin_is_of_it(at_once: bool) -> None:
    """They are on two topics, and DDS keeps no order of these.

    The caller, in its own thread, may expect no more as soon as the motion is there.
    """
    motions = Motions(MagicMock(), MagicMock())
    begin = begun(MotionKind.HOMING, 0)
    with ExitStack() as caller:
        awaited = motions.expected(MotionKind.HOMING, [0], since=begin.time)
        expected = caller.enter_context(awaited)
        if at_once:
            expected.first.add_done_callback(lambda _: caller.close())
        motions.see(ended(begin, EndReason.ARRIVED))
        motions.see(begin)
        assert [end.reason for end in expected.ends] == [EndReason.ARRIVED]
    assert not motions.axes


def test_a_begin_of_the_past_that_comes_late_is_no_motion_of_this_client() -> None:
    """What nodes keep for who comes later arrives some time after the client has."""
    motions = Motions(MagicMock(), MagicMock())
    begin = begun(MotionKind.STREAM, 0, time=9.9)
    with motions.expected(MotionKind.STREAM, [0], since=10.0) as expected:
        motions.see(begin)
        assert not expected.first.done()
        motions.see(replace(begin, time=10.0))
        assert expected.first.done()


@pytest.mark.parametrize(
    ("initial", "target", "command", "share"),
    [
        (1.0, 3.0, 1.0, 0.0),
        (1.0, 3.0, 2.5, 0.75),
        (1.0, 3.0, 3.5, 1.0),
        (1.0, 3.0, 0.5, 0.0),
        (1.0, -3.0, 0.0, 0.25),
        (1.0, 3.0, nan, 0.0),
        (2.0, 2.0, 2.0, 1.0),
        (1.0, nan, 2.0, nan),
    ],
)
def test_the_way_of_a_motion_is_that_of_the_axis_which_has_most_left(
    initial: float, target: float, command: float, share: float
) -> None:
    """Nothing of it is known to be gone before the motion has begun, and a status has come."""
    motion = OpenMotion([0, 1])
    assert way(motion, lambda _: command) == 0.0
    places: dict[str, Any] = {"initial": (0.0, initial), "targets": (0.0, target)}
    motion.see(begun(MotionKind.POSITION, 0, 1, **places))
    assert way(motion, [0.0, command].__getitem__) == pytest.approx(share, nan_ok=True)


@pytest.mark.parametrize(
    ("reason", "final", "share"),
    [
        (EndReason.STOPPED, (0.0, 2.5), 0.75),
        (EndReason.OWNER_LOST, (0.0, nan), 0.0),
        (EndReason.OWNER_LOST, (), 0.0),
        (EndReason.ARRIVED, (0.0, 2.9), 1.0),
    ],
)
def test_the_way_of_a_motion_that_has_ended_stays_as_it_was(
    reason: EndReason, final: tuple[float, ...], share: float
) -> None:
    """What moves its axes since is another motion."""
    motion = OpenMotion([0, 1])
    begin = begun(MotionKind.POSITION, 0, 1, initial=(0.0, 1.0), targets=(0.0, 3.0))
    motion.see(begin)
    motion.see(replace(ended(begin, reason), final=final))
    assert way(motion, lambda _: 2.0) == pytest.approx(share)
