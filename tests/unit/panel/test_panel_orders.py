"""Orders of the panel: carried out for the holder of control, and only while they are of now."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future
from threading import Barrier, Event
from time import monotonic
from types import SimpleNamespace
from typing import Any, cast

import pytest
from motion_events import handle
from waits import eventually

from wmx_ros2_package.client import (
    EndReason,
    MachineError,
    Motion,
    NotAnswered,
    Result,
    SeveralSystems,
    SystemLost,
)
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.motion_ends import END_UNKNOWN
from wmx_ros2_package.panel.order import Order
from wmx_ros2_package.panel.orders import (
    MAY_GO_ON,
    NOT_ENDED,
    OTHER_MACHINE,
    STOPPED_AS_IT_BEGAN,
    Lane,
    Orders,
)
from wmx_ros2_package.panel.safety import emergency_stop
from wmx_ros2_package.panel.safety.heartbeat import MOST_KEPT, ORDER_VALIDITY, Click, Heartbeat
from wmx_ros2_package.panel.safety.page_control import PageSession


@pytest.fixture
def ann() -> PageSession:
    return PageSession("1", "10.0.0.1")


@pytest.fixture
def link() -> MachineLink:
    return MachineLink()


@pytest.fixture
def orders(link: MachineLink, ann: PageSession) -> Orders:
    orders = Orders(link)
    orders.take(ann, "Ann")
    orders.heartbeat.beat(monotonic())
    return orders


def test_the_age_of_a_heartbeat() -> None:
    heartbeat = Heartbeat()
    assert heartbeat.age(0, 5.0) == heartbeat.age(1, 5.0) == float("inf")
    for at in range(1, MOST_KEPT + 2):
        heartbeat.beat(float(at))
    now = MOST_KEPT + 3.0
    assert heartbeat.age(1, now) == float("inf"), "it is too long ago"
    assert heartbeat.age(2, now) == now - 2.0
    assert Click(heartbeat.number, 0.5).age(heartbeat, now) == 2.5


@pytest.mark.parametrize(
    ("sent", "click"),
    [
        ('{"heartbeat": 7, "delay": 0.25}', Click(7, 0.25)),
        ('{"heartbeat": 7, "delay": -3}', Click(7, 0.0)),
        ("null", Click()),
        ("[]", Click()),
        ('{"heartbeat": 7}', Click()),
        ('{"heartbeat": "x", "delay": 0}', Click()),
        ('{"heartbeat": 7, "delay": null}', Click()),
        ('{"heartbeat": Infinity, "delay": 0}', Click()),
    ],
)
def test_what_browsers_send_of_a_click(sent: str, click: Click) -> None:
    assert Click.read(json.loads(sent)) == click


@pytest.mark.parametrize(
    "sent",
    [
        '{"heartbeat": 1, "delay": NaN}',
        f'{{"heartbeat": 1, "delay": {ORDER_VALIDITY}}}',
        '{"heartbeat": 0, "delay": 0}',
        '{"heartbeat": 2, "delay": 0}',
        "null",
    ],
)
def test_an_order_that_is_not_of_now_is_refused(
    orders: Orders, ann: PageSession, sent: str
) -> None:
    done: list[str] = []
    click = Click.read(json.loads(sent))
    order = asyncio.run(orders.carry_out(ann, "move", lambda: done.append("move"), click))
    assert not order.done
    assert "it came too late" in order.answer
    assert not done


def both(orders: Orders, ann: PageSession, stopping: PageSession) -> tuple[Order, Order, list[str]]:
    """An order of now, and a stop; and which of them are carried out."""
    done: list[str] = []

    async def ask() -> tuple[Order, Order]:
        move = orders.carry_out(ann, "move", lambda: done.append("move"), Click(1, 0.0))
        stop = orders.carry_out(stopping, "stop", lambda: done.append("stop"), lane=Lane.STOP)
        return await move, await stop

    return *asyncio.run(ask()), done


def test_an_order_of_now_is_carried_out_and_a_stop_whenever_it_comes(
    orders: Orders, ann: PageSession
) -> None:
    move, stop, done = both(orders, ann, PageSession("2", "10.0.0.2"))
    assert (move.done, stop.done, done) == (True, True, ["move", "stop"])


def test_a_page_of_another_machine_orders_nothing_and_stops(
    orders: Orders, ann: PageSession
) -> None:
    ann.generation += 1
    move, stop, done = both(orders, ann, ann)
    assert (move.answer, stop.answer, done) == (OTHER_MACHINE, "", ["stop"])


@pytest.mark.parametrize("kind", [SeveralSystems, SystemLost])
def test_a_page_orders_nothing_of_another_system_and_stops(
    link: MachineLink, orders: Orders, ann: PageSession, kind: type[MachineError]
) -> None:
    """It has the names of the machine that the page shows: beside it, or in its place."""
    machine: Any = SimpleNamespace(require_own_system=raising(kind("another one runs")))
    link.machine = machine
    move, stop, done = both(orders, ann, ann)
    assert move.answer == "another one runs. Nothing was done"
    assert (stop.answer, done) == ("", ["stop"])


def test_what_nobody_answers_may_have_been_done(orders: Orders, ann: PageSession) -> None:
    silence = NotAnswered("wmx/axis/stop does not answer within 5 s")
    beside = SeveralSystems(silence.text)
    beside.__cause__ = silence
    for error in silence, beside:
        order = asyncio.run(orders.carry_out(ann, "stop axis 0", raising(error), lane=Lane.STOP))
        assert not order.done
        assert order.outcome == f"{END_UNKNOWN}: wmx/axis/stop does not answer within 5 s"


def test_an_error_that_nobody_has_foreseen_is_the_answer_of_its_order(
    orders: Orders, ann: PageSession, caplog: pytest.LogCaptureFixture
) -> None:
    missing = raising(ModuleNotFoundError("No module named 'control_msgs'"))
    order = asyncio.run(orders.carry_out(ann, "run x.csv", missing, Click(1, 0.0)))
    assert order is orders.kept[-1]
    assert not order.done
    why = """ModuleNotFoundError("No module named 'control_msgs'")"""
    assert order.outcome == f"{END_UNKNOWN}: {why}"
    assert "Traceback" in caplog.text


def test_an_emergency_stop_waits_for_no_other_stop(orders: Orders, ann: PageSession) -> None:
    go_on = Event()

    async def ask() -> bool:
        slow = [
            asyncio.create_task(orders.carry_out(ann, "stop", go_on.wait, lane=lane))
            for lane in (Lane.STOP, Lane.PAUSE)
            for _ in range(20)
        ]
        await asyncio.sleep(0)
        stopped = await orders.carry_out(ann, "emergency", lambda: None, lane=Lane.EMERGENCY)
        go_on.set()
        await asyncio.gather(*slow)
        return stopped.done

    assert asyncio.run(ask())


def test_an_order_that_has_waited_for_others_is_refused_and_a_stop_waits_for_none(
    orders: Orders, ann: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()
    done: list[str] = []
    begun = Barrier(9)  # of the eight threads of the lane, and the test

    def work() -> None:
        begun.wait(10.0)
        go_on.wait(10.0)

    async def ask() -> Any:
        click = Click(orders.heartbeat.number, 0.0)
        slow = [asyncio.create_task(orders.carry_out(ann, "slow", work, click)) for _ in range(8)]
        await asyncio.to_thread(begun.wait, 10.0)
        late = asyncio.create_task(
            orders.carry_out(ann, "move", lambda: done.append("move"), click)
        )
        await asyncio.sleep(0)
        stop = await orders.carry_out(ann, "stop", lambda: done.append("stop"), lane=Lane.STOP)
        # Time goes on while the order waits for a thread.
        monkeypatch.setattr(orders.heartbeat, "age", lambda number, now: ORDER_VALIDITY + 0.1)
        go_on.set()
        await asyncio.gather(*slow)
        return stop, await late

    stop, late = asyncio.run(ask())
    assert stop.done
    assert "it came too late" in late.answer
    assert done == ["stop"]


async def stopped_as_it_begins(
    orders: Orders, ann: PageSession, cancel: Callable[[], object]
) -> "asyncio.Task[Order]":
    """An order whose work has read something first: a stop was answered meanwhile."""
    begun, stopped = Event(), Event()

    def work() -> Motion:
        begun.set()
        stopped.wait(10.0)
        return handle(Future(), cancel=cancel)

    home = asyncio.create_task(orders.carry_out(ann, "home", work, Click(1, 0.0)))
    assert await asyncio.to_thread(begun.wait, 10.0)
    assert (await orders.carry_out(ann, "stop", lambda: None, lane=Lane.STOP)).done
    stopped.set()
    return home


def test_a_motion_that_begins_after_a_stop_is_stopped_before_that_is_said(
    orders: Orders, ann: PageSession
) -> None:
    canceling, go_on = Event(), Event()

    def cancel() -> None:
        canceling.set()
        go_on.wait(10.0)

    async def ask() -> Order:
        home = await stopped_as_it_begins(orders, ann, cancel)
        assert await asyncio.to_thread(canceling.wait, 10.0)
        assert not home.done()
        go_on.set()
        return await home

    order = asyncio.run(ask())
    assert (order.begun, order.answer) == (False, STOPPED_AS_IT_BEGAN)


def test_a_motion_that_begins_after_a_stop_and_may_go_on_is_told(
    orders: Orders, ann: PageSession
) -> None:
    silence = raising(NotAnswered("wmx/axis/stop does not answer"))

    async def ask() -> Order:
        return await (await stopped_as_it_begins(orders, ann, silence))

    order = asyncio.run(ask())
    assert order.outcome == f"{END_UNKNOWN}: {MAY_GO_ON}: wmx/axis/stop does not answer"
    assert not order.begun


def test_a_motion_of_a_page_that_lost_control_as_it_began_is_brought_to_rest(
    orders: Orders, ann: PageSession
) -> None:
    canceled = Event()

    def work() -> Motion:
        orders.control.give_back(ann)  # its page was closed meanwhile
        return handle(Future(), cancel=canceled.set)

    asyncio.run(orders.carry_out(ann, "move", work, Click(1, 0.0)))
    assert canceled.wait(5.0)


@pytest.mark.parametrize("page", ["closed", "closed as it began"])
def test_a_motion_that_ends_with_its_page_and_may_go_on_is_told_to_every_page(
    link: MachineLink, orders: Orders, ann: PageSession, page: str
) -> None:
    failed = raising(NotAnswered("wmx/axis/stop does not answer within 5 s"))
    ended: Future[Result] = Future()
    link.machine = cast(Any, SimpleNamespace(require_own_system=lambda: None))

    def work() -> Motion:
        if page != "closed":
            orders.control.give_back(ann)
        return handle(ended, cancel=failed)

    asyncio.run(orders.carry_out(ann, "move axis 0", work, Click(1, 0.0)))
    orders.give_back(ann, "its page was closed")

    def told() -> bool:
        orders.expire(monotonic())
        return [each.outcome for each in orders.kept if each.what == "axis 0 to 1"] == [
            f"{END_UNKNOWN}: {NOT_ENDED}: wmx/axis/stop does not answer within 5 s"
        ]

    eventually(told, "it is told")
    assert f"axis 0 to 1: {NOT_ENDED}" in link.alarms.words
    ended.set_result(Result(reason=EndReason.LEASE_EXPIRED))
    assert link.alarms.words == ""


def test_a_stop_that_comes_while_a_release_is_sent_is_not_released(
    link: MachineLink, orders: Orders, ann: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    steady, shown, released = [100.0], [], []
    monkeypatch.setattr(emergency_stop, "monotonic", lambda: steady[0])

    def release(before: Callable[[], object] = lambda: None) -> None:
        link.emergency_stop.press("Bob")  # while the engine node is met
        before()
        released.append(True)

    async def hold() -> None:
        held = {"release": True, "id": "1"}
        for _ in range(12):
            orders.hold(ann, held)
            steady[0] += 0.1
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})

    machine: Any = SimpleNamespace(release=release, require_own_system=lambda: None)
    link.machine = machine
    ann.show = lambda order: shown.append(order.answer)
    asyncio.run(hold())
    assert shown == ["the emergency stop was pressed meanwhile. Nothing was done"]
    assert not released


def raising(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize("replaced", [False, True], ids=["gone", "another one in its place"])
def test_the_end_of_a_motion_is_not_known_once_its_system_is_lost(
    link: MachineLink, orders: Orders, ann: PageSession, replaced: bool
) -> None:
    machine: Any = SimpleNamespace(require_own_system=lambda: None)
    shown: list[Any] = []
    link.machine = machine
    ann.connections, ann.show = 1, lambda order: shown.append(order.outcome)
    ended: Future[Result] = Future()
    motion = handle(ended)

    def seen() -> list[str]:
        orders.expire(monotonic())
        return shown

    async def move() -> None:
        order = await orders.carry_out(ann, "move axis 0", lambda: motion, Click(1, 0.0))
        assert order.outcome == "begun"
        assert seen() == []
        machine.require_own_system = raising(SeveralSystems("2 systems run"))
        assert seen() == [], "beside another one its end still comes"
        if replaced:
            link.machine = SimpleNamespace(require_own_system=lambda: None)  # type: ignore[assignment]
        else:
            machine.require_own_system = raising(SystemLost("it has ended"))
        unknown = "how it ended is not known: its system was lost before. Look at the machine"
        assert seen() == seen() == [unknown]
        ended.set_result(Result(reason=EndReason.ARRIVED))
        await asyncio.sleep(0)
        assert seen() == [unknown, "arrived"], "it is said where it comes all the same"

    asyncio.run(move())
    assert [order.outcome for order in orders.kept][-2:] == shown
