"""How a machine is opened, without a system."""

from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY, MagicMock, PropertyMock
from uuid import UUID

import pytest
from std_srvs.srv import SetBool
from waits import WAIT_TIMEOUT
from wmx_ros2_message.srv import ExplainAxes, SetAxis

from wmx_ros2_package.client import (
    Closed,
    Machine,
    MachineError,
    NoPart,
    SeveralSystems,
    SystemLost,
    UnknownAxis,
    discovery,
    machine,
    move,
)
from wmx_ros2_package.client import session as sessions
from wmx_ros2_package.client.axes import Axes, Axis
from wmx_ros2_package.client.link import Link, Publisher
from wmx_ros2_package.client.plans import plan_of
from wmx_ros2_package.client.session import Session
from wmx_ros2_package.client.speed import PAUSE_TIMEOUT, pause
from wmx_ros2_package.messages.motions import uuid_message


def test_two_threads_that_open_a_machine_get_one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two would be closed by nobody, and its motions would end by no stop."""
    made: list[object] = []
    second_made = Event()
    client = Machine()
    second = Thread(target=client.open)

    class Session:
        connected = False

        def __init__(self, *_: Any, **__: Any) -> None:
            self.link = SimpleNamespace(is_forked=False, require_other_thread=lambda: None)
            made.append(self)
            if len(made) == 1:
                second.start()
                second_made.wait(0.05)
            else:
                second_made.set()

        def connect(self) -> None:
            self.connected = True

        def close(self) -> None:
            made.remove(self)

    at_exit: set[object] = set()
    monkeypatch.setattr(machine, "Session", Session)
    monkeypatch.setattr("atexit.register", at_exit.add)
    monkeypatch.setattr("atexit.unregister", at_exit.discard)
    client.open()
    second.join()
    assert len(made) == 1
    assert at_exit == {client.close}
    client.close()
    assert made == []
    assert at_exit == set()


@pytest.mark.parametrize(
    ("ask", "service", "fields"),
    [
        (Machine.stop, "wmx/axis/stop", {"index": [], "data": [0]}),
        (lambda client: client.stop(quick=True), "wmx/axis/stop", {"index": [], "data": [1]}),
        (Machine.estop, "wmx/engine/estop", {"data": True}),
        (Machine.disarm, "wmx/actuator/disarm", {}),
        (Machine.pause, "wmx/engine/set_speed", {"action": 1, "timeout": PAUSE_TIMEOUT}),
    ],
)
def test_every_system_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
    ask: Callable[[Machine], None],
    service: str,
    fields: dict[str, Any],
) -> None:
    session = MagicMock(connected=True)
    session.link.timeout = 1.0
    monkeypatch.setattr(machine, "Session", lambda *_, **__: session)
    with Machine() as client:
        ask(client)
    session.request.assert_called_once_with(ANY, service, (), to_all=True, **fields)


def test_what_takes_long_may_take_as_long_as_the_client_waits_for_any_answer() -> None:
    link, session = MagicMock(timeout=120.0), MagicMock()
    session.link.timeout = 120.0
    Link.call_after(link, (SetBool, "first"), SetBool, "service", timeout=60.0)
    assert 120.0 in link.wait.call_args.args
    pause(session)
    assert session.request.call_args.kwargs["timeout"] == 120.0


@pytest.mark.parametrize("kind", [SeveralSystems, SystemLost])
@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.io.inputs[0, 3],
        lambda client: client.io.outputs.set({(0, 3): True}),
        lambda client: client.network.state(),
        lambda client: client.network.hot_connect(),
        lambda client: client.network.write_object(0, 0x6060, 0, b"\1"),
        lambda client: client.parameters.export(),
        lambda client: client.parameters.load("parameters.xml"),
        lambda client: client.simulation.fault("crash_engine"),
        lambda client: client.simulation.time,
        lambda client: client.engine.start(),
        lambda client: client.engine.stop(),
        lambda client: client.nodes.change("wmx_io_node", "activate"),
        lambda client: client.axes.stop_inputs(),
        lambda client: client.axes.arm_touch_probe(0, 3),
        lambda client: client.speed,
        Machine.save_recording,
        Machine.release,
    ],
)
def test_nothing_but_stops_is_sent_to_another_system(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[Machine], object], kind: type[MachineError]
) -> None:
    """It runs beside that of the client, or in its place, and has the same names."""
    session = MagicMock(connected=True, names=("joint1",), units=("rad",))
    session.description.driver, session.motions.axes = "fake", []
    type(session.systems_heard).own = PropertyMock(side_effect=kind("another one runs"))
    for name in "call", "call_after", "call_once", "require_no_other":
        setattr(session, name, partial(getattr(Session, name), session))
    monkeypatch.setattr(machine, "Session", lambda *_, **__: session)
    with Machine() as client:
        with pytest.raises(kind, match="another one runs"):
            ask(client)
        assert not session.link.mock_calls


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.set_speed(50),
        Machine.resume,
        Machine.release,
        lambda client: client.engine.stop(),
        lambda client: client.network.write_object(0, 0x6060, 0, b"\1"),
    ],
)
def test_a_system_that_is_replaced_before_a_request_is_sent(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[Machine], object]
) -> None:
    """The node is met before, which may take seconds."""
    link, heard, done = MagicMock(), MagicMock(), list[str]()
    type(heard).own = own = PropertyMock(return_value=UUID(int=1))
    heard.is_lost.return_value = False

    def met(*_: object, before: Callable[[], object], **__: object) -> None:
        done.append("met")
        own.side_effect = SystemLost("another one runs")
        before()
        done.append("sent")

    link.call_once = link.call_after = met
    session = MagicMock(link=link, systems_heard=heard, connected=True)
    session.motions.axes = []
    for name in "call_after", "call_once", "require_alive", "require_no_other", "require_own":
        setattr(session, name, partial(getattr(Session, name), session))
    monkeypatch.setattr(machine, "Session", lambda *_, **__: session)
    with Machine() as client, pytest.raises(SystemLost, match="another one runs"):
        ask(client)
    assert done == ["met"]


@pytest.mark.parametrize(
    "order",
    [
        Session.connect,
        lambda session: session.home([0]),
        lambda session: session.gear(1, 0, 1.0),
        lambda session: session.send_goal(SetAxis, "move", None, [0], None, list),
        lambda session: plan_of(session, Axes(session, [Axis(session, 0)]), [move({0: 1.0})]),
    ],
)
def test_nothing_is_asked_of_a_system_that_has_found_another(
    monkeypatch: pytest.MonkeyPatch, order: Callable[[Session], object]
) -> None:
    """Of which this client knows nothing yet."""
    link, own = MagicMock(), UUID(int=1)
    link.own, link.actuator = own, str
    explained = {"system_id": uuid_message(own), "other_systems": True, "message": "two run"}
    link.call.return_value = SimpleNamespace(**explained)
    for name in "Link", "Systems", "States", "Motions", "Description":
        monkeypatch.setattr(sessions, name, MagicMock(return_value=link))
    with pytest.raises(SeveralSystems, match="two run"):
        order(Session("", None, 1.0, None))
    link.call.assert_called_once_with(ExplainAxes, "wmx/axis/explain", index=[0], timeout=None)
    for sent in link.ask, link.call_once, link.meet, link.send_goal:
        assert not sent.called


def test_axes_are_stopped_in_every_system_by_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine consists of takes seconds to ask where a node of it was killed."""
    session = MagicMock(connected=True)
    monkeypatch.setattr(machine, "Session", lambda *_, **__: session)
    with Machine() as client:
        client.stop([4, 2])
        with pytest.raises(UnknownAxis, match="no axis is named"):
            client.stop([])
    session.request.assert_called_once_with(
        ANY, "wmx/axis/stop", (4, 2), to_all=True, index=[4, 2], data=[0, 0]
    )


def test_real_hardware_has_no_faults_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    session = MagicMock(connected=True)
    session.description.driver, session.motions.axes = "wmx3", []
    monkeypatch.setattr(machine, "Session", lambda *_, **__: session)
    with Machine() as client, pytest.raises(NoPart, match=r"real hardware.* no time be held"):
        client.simulation.hold()


def test_a_fork_stops_and_closes_nothing_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    ros = SimpleNamespace(node=None, domain=0, namespace="/", is_current=False)
    monkeypatch.setattr(discovery, "RosThread", lambda *_: ros)
    session, sent = MagicMock(connected=True, link=Link("", None, 1.0)), MagicMock()
    session.motions.axes = [0]
    monkeypatch.setattr(machine, "Session", lambda *_, **__: session)
    client = Machine().open()
    topic = Publisher(sent, client.ros.require_unforked)
    with monkeypatch.context() as fork:
        fork.setattr("os.getpid", lambda: -1)
        with client:
            pass
        for request in (client.ros.require_open, lambda: topic.publish(None)):
            with pytest.raises(Closed, match="fork"):
                request()
        assert not session.close.called
        assert not sent.publish.called
    client.close()
    session.close.assert_called_once_with()


@pytest.mark.parametrize("other", ["first", "second"])
def test_an_entity_is_made_once_and_keeps_no_other_thread_waiting(
    monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """That thread may be the one that makes it: its callbacks send stops, too."""
    asked: list[str] = []
    waiting: list[bool] = []

    def do(work: Callable[[], None], _timeout: float) -> None:
        asked.append("in thread")
        if len(asked) == 1:
            asking = Thread(target=link.offered, args=(SetBool, other))
            asking.start()
            asking.join(WAIT_TIMEOUT)
            waiting.append(asking.is_alive())
        work()

    node = MagicMock()
    ros = SimpleNamespace(node=node, domain=0, namespace="/", is_current=False, do=do)
    monkeypatch.setattr(discovery, "RosThread", lambda *_: ros)
    link = Link("", None, 1.0)
    link.offered(SetBool, "first")
    assert waiting == [False]
    assert node.create_client.call_count == len({"first", other})


def test_a_field_beside_a_request_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request would be sent without it."""
    node = MagicMock()
    ros = SimpleNamespace(node=node, domain=0, namespace="/", is_current=False)
    monkeypatch.setattr(discovery, "RosThread", lambda *_: ros)
    with pytest.raises(ValueError, match="data is given beside a request: must be in it"):
        Link("", None, 1.0).call(SetBool, "wmx/engine/estop", SetBool.Request(), data=True)
    assert not node.create_client.called
