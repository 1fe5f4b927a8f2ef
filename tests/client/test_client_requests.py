"""What must not be sent twice is sent once, however long a node takes to answer a new client."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
import system as systems
from lifecycle_msgs.srv import (
    ChangeState,
    GetAvailableStates,
    GetAvailableTransitions,
    GetState,
)
from rcl_interfaces.srv import GetParameterTypes
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from ros import eventually
from stand_in import stand_in
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from wmx_ros2_message.srv import (
    EcatResetStatistics,
    EcatScanNetwork,
    EcatSdoDownload,
    EcatStartHotconnect,
    SetAxis,
    SetEngine,
)

from wmx_ros2_package.client import Machine
from wmx_ros2_package.client import link as links
from wmx_ros2_package.client.all_systems import ask_all
from wmx_ros2_package.client.axis_group import AxisGroup
from wmx_ros2_package.client.engine import Engine, Nodes
from wmx_ros2_package.client.link import DISARM, Link
from wmx_ros2_package.client.network import Network
from wmx_ros2_package.client.session import Session

RESEND_PERIOD = 0.1
SLOW = 0.15
"""How long a node takes that answers late, s."""


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> Iterator[Link]:
    """A client that no service has answered yet."""
    monkeypatch.setattr(links, "RESEND_PERIOD", RESEND_PERIOD)
    with systems.place() as place:
        link = Link("", place.domain, 30.0)
        yield link
        link.close()


def slow(
    link: Link,
    kind: Any,
    service: str,
    taken: list[Any],
    when: Callable[[Any], bool] = lambda _: True,
) -> Callable[[Node], object]:
    """What offers a service that answers late `when` it says so, and notes what it has taken."""

    def take(request: Any, response: Any) -> Any:
        taken.append(request)
        if when(request):
            link.clock.sleep(SLOW)
        response.success = kind not in (SetAxis, EcatSdoDownload) or filled(request)
        return response

    return lambda node: node.create_service(kind, service, take)


def filled(request: Any) -> bool:
    """False for the empty request, with which a client only asks whether it is answered."""
    return bool(request.data)


def test_an_emergency_stop_is_released_once(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[SetBool.Request] = []
    offer = slow(link, SetBool, "wmx/engine/estop", taken, lambda request: not request.data)
    own = {"connect": lambda: None, "close": list, "require_no_other": lambda: None}
    connected: Any = SimpleNamespace(link=link, connected=True, **own)
    connected.call_after = partial(Session.call_after, connected)
    monkeypatch.setattr("wmx_ros2_package.client.machine.Session", lambda *_, **__: connected)
    machine = Machine().open()
    with stand_in(link.domain, "wmx_engine_node", offer):
        machine.release()
        link.call(SetBool, "wmx/engine/estop", data=True)
    machine.close()
    assert [request.data for request in taken] == [False, True]


@pytest.mark.parametrize(
    ("kind", "service", "ask"),
    [
        (SetEngine, "wmx/engine/set_device", lambda s: Engine(s).start()),
        (SetBool, "wmx/engine/set_comm", lambda s: Engine(s).stop()),
        (Trigger, "wmx/engine/scan_network", lambda s: Network(s).scan()),
        (EcatScanNetwork, "wmx/ecat/scan_network", lambda s: Network(s).scan(0)),
        (EcatStartHotconnect, "wmx/ecat/start_hotconnect", lambda s: Network(s).hot_connect()),
        (EcatResetStatistics, "wmx/ecat/reset_statistics", lambda s: Network(s).reset_statistics()),
    ],
)
def test_what_takes_seconds_is_asked_once(
    link: Link, kind: Any, service: str, ask: Callable[[Any], object]
) -> None:
    """A second request would be carried out after what others have asked for since."""
    taken: list[object] = []
    offer_slow = slow(link, kind, service, taken)
    node = "wmx_ethercat_node" if service.startswith("wmx/ecat/") else "wmx_engine_node"

    def state(_: object, response: Trigger.Response) -> Trigger.Response:
        response.success = True
        response.message = "Communicating" if taken else "Idle"
        return response

    def offer(engine: Node) -> None:
        offer_slow(engine)
        engine.create_service(Trigger, "wmx/engine/get_status", state)
        states = "~/get_available_states"  # which every managed node offers
        engine.create_service(GetAvailableStates, states, lambda _, response: response)

    session: Any = SimpleNamespace(link=link, require_no_other=list)
    for name in "call", "call_after":
        setattr(session, name, partial(getattr(Session, name), session))
    with stand_in(link.domain, node, offer):
        ask(session)
        link.call(GetParameterTypes, f"{node}/get_parameter_types")  # after all it has sent
    assert len(taken) == 1


def test_axes_are_disarmed_once(link: Link) -> None:
    """A second one would switch servos off that the client has switched on after its answer."""
    taken: list[Trigger.Request] = []
    with stand_in(link.domain, "wmx_actuator_node", slow(link, Trigger, DISARM, taken)):
        # What is made before this is known to the node: else its answer may be lost.
        link.discovered(Trigger, [DISARM])
        link.call(GetParameterTypes, "wmx_actuator_node/get_parameter_types")
        link.call(Trigger, DISARM, to_all=True)
        link.call(Trigger, DISARM, to_all=True)
    assert len(taken) == 2


def test_servos_are_switched_on_once(link: Link) -> None:
    taken: list[SetAxis.Request] = []
    offer = slow(link, SetAxis, "wmx/axis/set_on", taken, lambda request: any(request.data))

    def request(kind: Any, service: str, _: Sequence[int], **fields: Any) -> None:
        link.call(kind, service, **fields)

    axes = AxisGroup(cast(Any, SimpleNamespace(link=link, request=request)), [3])
    with stand_in(link.domain, "wmx_core_motion_node", offer):
        axes.on()
        axes.off()
    asked = [(*request.index, *request.data) for request in taken]
    assert [each for each in asked if each] == [(3, 1), (3, 0)]


def test_what_is_written_is_written_once(link: Link) -> None:
    taken: list[EcatSdoDownload.Request] = []
    offer = slow(link, EcatSdoDownload, "wmx/ecat/sdo_download", taken, filled)
    session: Any = SimpleNamespace(link=link, require_no_other=list)
    session.call_once = partial(Session.call_once, session)
    with stand_in(link.domain, "wmx_ethercat_node", offer):
        Network(session).write_object(0, 0x1010, 1, b"save")
    assert [bytes(request.data) for request in taken if filled(request)] == [b"save"]


def test_a_node_knows_the_client_before_it_is_asked_to_change(link: Link) -> None:
    """Its answer would be lost otherwise, and is waited for as long as an engine may take."""
    taken: list[str] = []

    def take(request: object, response: Any) -> Any:
        taken.append(type(request).__name__)
        if isinstance(request, ChangeState.Request):
            link.clock.sleep(SLOW)
            response.success = True
        if isinstance(request, GetState.Request):
            response.current_state.label = "active"
        return response

    def offer(node: Node) -> None:
        for kind, name in (
            (ChangeState, "change_state"),
            (GetState, "get_state"),
            (GetAvailableTransitions, "get_available_transitions"),
        ):
            node.create_service(kind, f"~/{name}", take)

    with stand_in(link.domain, "wmx_io_node", offer):
        session: Any = SimpleNamespace(link=link, require_no_other=list)
        session.call_after = partial(Session.call_after, session)
        assert Nodes(session).change("wmx_io_node", "activate") == "active"
    assert [*dict.fromkeys(taken)] == [
        "GetAvailableTransitions_Request",
        "ChangeState_Request",
        "GetState_Request",
    ]
    assert taken.count("ChangeState_Request") == 1


@pytest.mark.parametrize(
    ("kind", "service", "fields"),
    [(SetBool, "wmx/engine/estop", {"data": True}), (SetAxis, "wmx/axis/stop", {})],
)
def test_a_stop_without_an_answer_is_sent_again(
    link: Link, kind: Any, service: str, fields: dict[str, Any]
) -> None:
    """Also to a node that was met, for the middleware may lose what is sent."""
    held: list[RosFuture[None]] = []
    holds = False

    def offer(node: Node) -> None:
        async def stop(_: object, response: Any) -> Any:
            if holds and not held:
                held.append(RosFuture(executor=node.executor))
                await held[0]
            elif holds:
                held[0].set_result(None)
            response.success = True
            return response

        group = ReentrantCallbackGroup()
        node.create_service(kind, service, stop, callback_group=group)

    with stand_in(link.domain, "wmx_engine_node", offer):
        for _ in range(2):  # the second one after all that the first has sent
            link.call(kind, service, to_all=True, **fields)
        holds = True
        link.call(kind, service, to_all=True, **fields)
    assert held


def test_what_is_no_stop_is_sent_once_to_a_node_that_was_met(link: Link) -> None:
    taken: list[SetBool.Request] = []
    offer = slow(link, SetBool, "wmx/engine/set_comm", taken, lambda request: not request.data)
    with stand_in(link.domain, "wmx_engine_node", offer):
        for data in True, True, False, True:  # each after all that was sent before it
            link.call(SetBool, "wmx/engine/set_comm", data=data, to_all=True)
    assert [request.data for request in taken].count(False) == 1


def test_systems_of_other_namespaces_are_found(link: Link) -> None:
    def offer(node: Node) -> None:
        for name in (
            "/cell2/wmx/axis/state",
            "/wmx/axis/state",
            "/cell3/wmx/axis/states",
        ):
            node.create_publisher(Bool, name, 10)
        node.create_subscription(Bool, "/cell4/wmx/axis/state", lambda _: None, 10)

    with stand_in(link.domain, "cells", offer):
        eventually(lambda: link.other_namespaces("wmx/axis/state") == ["/cell2"], "it is found")


def test_a_request_to_all_gets_the_answer_of_each_server(link: Link) -> None:
    """Both are of one node, which the middleware finds as a whole."""
    taken: list[str] = []

    def offer(node: Node) -> None:
        for name in ("first", "second"):
            node.create_service(SetBool, "wmx/engine/estop", partial(estop, name))

    def estop(name: str, _: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        taken.append(name)
        response.success, response.message = True, name
        return response

    request = SetBool.Request(data=True)
    with stand_in(link.domain, "wmx_engine_node", offer):
        ask = partial(ask_all, link, SetBool, "wmx/engine/estop", request)
        answers = ask(lambda: 2, lambda: False, timeout=30.0)
        assert sorted(each.message for each in answers) == ["first", "second"]
        assert {*taken} == {"first", "second"}
        link.call(SetBool, "wmx/engine/estop", data=True, to_all=True)  # the first answer alone
