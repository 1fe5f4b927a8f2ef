"""A system that is gone, its engine that does not communicate, and a machine that is closed."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from math import inf
from threading import Condition
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock
from uuid import UUID, uuid4

import pytest
from builtin_interfaces.msg import Time
from motion_events import begun, ended
from rclpy.serialization import serialize_message
from std_msgs.msg import Header
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import AxisState, BeginMotion
from wmx_ros2_message.srv import SetAxis

from wmx_ros2_package.client import (
    Closed,
    EndReason,
    Explanation,
    Machine,
    MotionBegin,
    NotAnswered,
    NotReady,
    SeveralSystems,
    Status,
    Stream,
    SystemLost,
)
from wmx_ros2_package.client.motions import OpenMotion
from wmx_ros2_package.client.parameters import Parameters
from wmx_ros2_package.client.session import Session
from wmx_ros2_package.client.states import STATUS_TIMEOUT, States
from wmx_ros2_package.client.systems import Systems
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.diagnosis.blockers import Blocker, BlockerCode
from wmx_ros2_package.messages.motions import uuid_message


class Link:
    """A link without ROS, whose time passes where it is waited for."""

    namespace, domain, is_forked = "/", 0, False

    def __init__(self) -> None:
        self.now = 1000.0
        self.open = True
        self.published: dict[Any, Callable[[Any], None]] = {}
        self.heartbeats: list[UUID] = []
        """The systems that publish their heartbeats."""
        self.heartbeat_at = self.now
        self.clock = SimpleNamespace(now=lambda: self.now, sleep=self.sleep, condition=Condition)

    def require_open(self) -> None:
        if not self.open:
            raise Closed("the machine is closed")

    def require_other_thread(self) -> None:
        """It has no callbacks."""

    def subscribe(self, kind: Any, _topic: str, act: Callable[[Any], None], **_: Any) -> Any:
        self.published[kind] = act
        return lambda: None

    def create_timer(self, _period: float, _act: Callable[[], None]) -> Callable[[], None]:
        return lambda: None

    def close(self) -> None:
        self.open = False

    def publishers(self, _topic: str) -> int:
        return 1  # one that was killed is counted for 20 s

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now >= self.heartbeat_at + 1.0:
            self.beat()

    def beat(self) -> None:
        self.heartbeat_at = self.now
        for id in self.heartbeats:
            self.published[UuidMessage](uuid_message(id))

    def publish(self) -> None:
        state = AxisState(header=Header(stamp=Time()), pos_cmd=[0.0])
        self.published[AxisState](serialize_message(state))


@pytest.fixture
def link() -> Link:
    return Link()


@pytest.fixture
def systems(link: Link) -> Systems:
    systems = Systems(link)  # type: ignore[arg-type]
    link.heartbeats = [uuid4()]
    link.beat()
    assert systems.own == link.heartbeats[0]
    return systems


@pytest.fixture
def states(link: Link, systems: Systems) -> Stream[Status]:
    states = States(link, systems)  # type: ignore[arg-type]
    link.publish()
    return Stream(states.take, states.require_current, read=states.read)


@pytest.fixture
def without_ros(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each session has `link`."""
    monkeypatch.setattr("wmx_ros2_package.client.session.Link", lambda *_, **__: link)
    monkeypatch.setattr("wmx_ros2_package.client.session.Description", MagicMock())


@pytest.fixture
def connect(link: Link, without_ros: None) -> Callable[..., Session]:
    """Connects to a system, whose status has come."""

    def connect(*, to_stop: bool = False) -> Session:
        session = Session("", None, None, None, to_stop=to_stop)
        link.heartbeats = [uuid4()]
        link.beat()
        session.require_own()
        link.publish()
        return session

    return connect


def test_a_loop_ends_when_the_system_was_killed(link: Link, states: Stream[Status]) -> None:
    link.heartbeats.clear()
    link.sleep(2.1)
    with pytest.raises(SystemLost):
        next(iter(states))
    for timeout in 0.0, 60.0:  # which is not waited for
        with pytest.raises(SystemLost):
            states.get(timeout)


def test_a_loop_ends_when_the_engine_does_not_communicate(
    link: Link, states: Stream[Status]
) -> None:
    link.sleep(2.1)
    with pytest.raises(NotReady):
        next(iter(states))


def test_a_node_that_has_ended_is_not_the_system(
    link: Link, states: Stream[Status], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heartbeat of the system goes on, and so do its motions."""
    monkeypatch.setattr(link, "publishers", lambda _: 0)
    link.sleep(2.1)
    with pytest.raises(NotReady, match="wmx_core_motion_node is not active"):
        next(iter(states))
    link.heartbeats.clear()
    link.sleep(3.1)
    with pytest.raises(SystemLost):
        next(iter(states))


def test_what_waits_is_read_at_once(link: Link, states: Stream[Status]) -> None:
    link.publish()
    link.publish()
    assert [status.command.tolist() for status in states.waiting()] == [[0.0], [0.0]]
    assert states.waiting() == []


def test_what_has_come_is_read_first(link: Link, states: Stream[Status]) -> None:
    link.publish()
    link.heartbeats.clear()
    link.sleep(5.0)
    loop = iter(states)
    next(loop)
    with pytest.raises(SystemLost):
        next(loop)


def test_a_short_gap_is_none(link: Link, states: Stream[Status]) -> None:
    link.sleep(1.9)
    with pytest.raises(NotAnswered):
        states.get(0.0)


def test_a_machine_that_is_closed(link: Link, states: Stream[Status]) -> None:
    link.open = False
    with pytest.raises(Closed):
        next(iter(states))
    states.close()
    assert list(states) == []


class Once(Condition):
    """One for which nothing is worth a wait."""

    def wait_for(self, predicate: Any, timeout: float | None = None) -> Any:
        return predicate()


def test_a_status_of_before_a_request_is_not_the_newest(link: Link, systems: Systems) -> None:
    """The first one after it may have been on its way."""
    link.clock.condition = Once
    states = States(link, systems)  # type: ignore[arg-type]
    for asked in False, True:
        if asked:
            states.outdate()
            link.publish()
        with pytest.raises(NotReady):
            states.newest()
        link.publish()
        assert states.newest().command.tolist() == [0.0]
    link.sleep(STATUS_TIMEOUT)
    with pytest.raises(NotReady):
        states.newest()


@pytest.mark.parametrize(
    ("ask", "raised"),
    [
        (lambda session: Parameters(session, 1).change("gears.xml"), None),
        (lambda session: Parameters(session, 1).load("gears.xml"), None),
        (lambda session: Session.commanded(session, [0]), NotReady),
    ],
)
def test_a_status_of_before_may_be_in_another_unit(
    link: Link, systems: Systems, ask: Callable[[Any], object], raised: type[Exception] | None
) -> None:
    """A file of parameters may have another gear ratio: a way is added to what is newer."""
    link.clock.condition = Once
    states = States(link, systems)  # type: ignore[arg-type]
    session = MagicMock(states=states, status=states.newest)
    link.publish()
    assert states.newest().command.tolist() == [0.0]
    ends: Any = pytest.raises(raised) if raised else nullcontext()
    with ends:
        ask(session)
    link.publish()
    with pytest.raises(NotReady):
        states.newest()
    link.publish()
    assert states.newest().command.tolist() == [0.0]


@pytest.mark.parametrize("homes", [False, True])
def test_a_status_of_before_the_end_of_a_motion_is_not_the_newest(
    link: Link, connect: Callable[..., Session], monkeypatch: pytest.MonkeyPatch, homes: bool
) -> None:
    """What waits for the end reads one at once, and a homing changes the number of a position."""
    session, answer = connect(), Future[Any]()
    session.states.names, session.states.units = ("axis_0",), ("rad",)
    if homes:
        own = uuid_message(link.heartbeats[0])
        does = {
            "call": SimpleNamespace(system_id=own, other_systems=False),
            "ask": answer,
            "publisher": MagicMock(),
            **dict.fromkeys(("meet", "require_one", "wait")),
        }
        for name, result in does.items():
            give = MagicMock(return_value=result)
            monkeypatch.setattr(link, name, give, raising=False)
        motion = session.home([0])
    else:
        moves = OpenMotion([0])
        motion = session.handle("axis 0", [moves], [0])
    ended_before: list[bool] = []
    monkeypatch.setattr(session.states, "outdate", lambda: ended_before.append(motion.done))
    if homes:
        answer.set_result(SetAxis.Response(success=True))
        begin = begun(MotionKind.HOMING, 0, time=inf)
        session.motions.see(begin)
        session.motions.see(ended(begin, EndReason.ARRIVED))
    else:
        moves.see(ended(begun(MotionKind.POSITION, 0), EndReason.ARRIVED))
    assert (ended_before, motion.done) == ([False], True)


def test_a_status_a_second_is_no_silence(link: Link, systems: Systems) -> None:
    """The second one after a request comes up to 2 s later, and shows it for sure."""

    class Each(Condition):
        def wait_for(self, predicate: Any, timeout: float | None = None) -> Any:
            link.sleep(1.0)
            link.publish()
            return predicate()

    link.clock.condition = Each
    states = States(link, systems)  # type: ignore[arg-type]
    states.outdate()
    asked_at = link.now
    assert states.newest().command.tolist() == [0.0]
    assert link.now == asked_at + 2.0


def test_another_system_beside_it(link: Link, systems: Systems) -> None:
    link.heartbeats.append(uuid4())
    link.beat()
    with pytest.raises(SeveralSystems):
        _ = systems.own


@pytest.mark.parametrize(("to_stop", "raised"), [(False, SeveralSystems), (True, None)])
def test_a_status_is_of_no_other_system(
    link: Link, connect: Callable[..., Session], to_stop: bool, raised: type[Exception] | None
) -> None:
    """One of both tells nothing but to a client that stops both."""
    session = connect(to_stop=to_stop)
    session.status()
    link.heartbeats.append(uuid4())
    link.beat()
    ends: Any = pytest.raises(raised) if raised else nullcontext()
    with ends:
        session.status()


def test_the_id_of_a_system_is_asked_for_before_it_is_published(
    link: Link, without_ros: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, session = uuid4(), Session("", None, None, None)
    explained = SimpleNamespace(system_id=uuid_message(own), other_systems=False)
    for name, result in ("call", explained), ("require_one", None):
        monkeypatch.setattr(link, name, MagicMock(return_value=result), raising=False)
    assert session.systems_heard.own is None
    assert session.system_id() == own


def test_another_system_in_its_place(link: Link, systems: Systems) -> None:
    link.heartbeats[:] = [uuid4()]
    link.sleep(2.0)
    with pytest.raises(SeveralSystems):  # until the heartbeat of the first one is lost
        _ = systems.own
    link.sleep(2.0)
    with pytest.raises(SystemLost):
        _ = systems.own
    with pytest.raises(SystemLost):
        systems.require_own(link.heartbeats[0])


@pytest.mark.parametrize("other", [True, False])
def test_a_wait_ends_where_another_system_is_in_its_place(
    link: Link, connect: Callable[..., Session], other: bool
) -> None:
    """It publishes under the same names; a killed engine node has all others publish on."""
    session = connect()
    link.heartbeats[:] = [uuid4()] if other else []
    link.sleep(2.0)
    link.publish()
    session.check()
    link.sleep(2.0)
    link.publish()
    ends: Any = pytest.raises(SystemLost) if other else nullcontext()
    with ends:
        session.check()


@pytest.mark.parametrize("other", [True, False])
def test_a_client_that_leaves_does_not_stop_another_system_in_its_place(
    link: Link, connect: Callable[..., Session], monkeypatch: pytest.MonkeyPatch, other: bool
) -> None:
    """Its axes have the same numbers, and are moved by others."""
    session, call = connect(), MagicMock()
    for name, act in ("call", call), ("publisher", MagicMock()):
        monkeypatch.setattr(link, name, act, raising=False)
    session.motions.enter(OpenMotion([2]))
    if other:
        link.heartbeats[:] = [uuid4()]
    link.sleep(4.0)
    link.beat()
    leaves: Any = pytest.warns(UserWarning, match="another one runs") if other else nullcontext()
    with leaves:
        session.close()
    assert call.called == (not other)
    assert not link.open


@pytest.mark.parametrize("published", [True, False])
def test_a_loop_ends_where_another_system_is_in_its_place(
    link: Link, without_ros: None, published: bool
) -> None:
    class Passing(Condition):
        def wait(self, timeout: float | None = None) -> bool:
            link.sleep(timeout or 0.0)
            return True

    link.clock.condition = Passing
    begin = BeginMotion(type=BeginMotion.POSITION)
    with Machine().open(to_stop=True) as machine:
        link.heartbeats[:] = [uuid4()]
        link.beat()
        machine.require_own_system()
        states, events = machine.states(), machine.events()
        link.publish()
        link.published[BeginMotion](begin)
        assert len(states.get()) == 1
        assert isinstance(events.get(), MotionBegin)
        link.heartbeats[:] = [uuid4()]
        link.sleep(4.0)
        if published:
            link.publish()
            link.published[BeginMotion](begin)
        for stream in (states, events) if published else (events,):
            with pytest.raises(SystemLost, match="another one"):
                next(iter(stream))


def test_a_system_that_is_back_is_the_same(link: Link, systems: Systems) -> None:
    own, link.heartbeats = link.heartbeats, []
    link.sleep(60.0)
    assert systems.is_lost()
    link.heartbeats = own
    link.beat()
    assert not systems.is_lost()
    assert systems.own == own[0]


def test_one_without_a_heartbeat_is_not_lost(link: Link) -> None:
    systems = Systems(link)  # type: ignore[arg-type]
    systems.require_own(UUID(int=0))
    assert systems.own is None
    assert not systems.lost


@pytest.mark.parametrize(
    ("after_motion", "lines"), [(False, ["wait", "wmx on 0"]), (True, ["wmx on 0"])]
)
def test_nobody_is_told_to_stop_what_slows_down_by_itself(
    after_motion: bool, lines: list[str]
) -> None:
    remedies = {BlockerCode.SLOWING_DOWN: "wait", BlockerCode.SERVO_OFF: "wmx on 0"}
    found = tuple(
        Blocker(axis=0, code=code, reason="", remedy=what) for code, what in remedies.items()
    )
    session = MagicMock(explain=lambda *_: [Explanation("", found)])
    assert Session.remedy(session, [0], after_motion=after_motion).splitlines() == lines
