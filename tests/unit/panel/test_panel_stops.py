"""Stops of pages reach every system, also while the panel is connected to none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from threading import Event
from typing import Any
from unittest.mock import MagicMock

import pytest

from wmx_ros2_package.client import NoPart, NotAnswered, NotConnected, NotReady, SystemLost
from wmx_ros2_package.panel import stops
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.motion_ends import END_UNKNOWN
from wmx_ros2_package.panel.orders import Orders
from wmx_ros2_package.panel.stops import (
    ALL_AXES,
    AXES_INSTEAD,
    EMERGENCY_STOP,
    NOT_STOPPED_EITHER,
    PAUSE,
    STOPPED_INSTEAD,
    PageStops,
)


class StandIn:
    """A machine that does what stops need, and nothing else."""

    def __init__(self, name: str, systems: int = 1, error: Exception | None = None) -> None:
        self.name, self.systems, self.error = name, systems, error
        self.asked: list[str] = []

    def __call__(self, *_: Any, **__: Any) -> StandIn:
        return self

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *_: object) -> None:
        self.asked.append("close")

    def open(self, *, to_stop: bool = False) -> StandIn:
        """As the client library does beside several systems."""
        assert to_stop, "several systems are refused otherwise"
        self.asked.append("open")
        return self

    def estop(self) -> None:
        self._ask("estop")

    def stop(self, axes: Sequence[int] = (), *, quick: bool = False) -> None:
        self._ask(" ".join(map(str, ["stop", *axes, *["quick"] * quick])))

    def pause(self) -> None:
        self._ask("pause")

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.error is not None:
            raise self.error


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> MachineLink:
    """However busy the computer is, an emergency stop is answered in time."""
    monkeypatch.setattr(stops, "ENGINE_TIMEOUT", 60.0)
    return MachineLink("/cell1")


def pressed(link: MachineLink, what: Any = None, orders: Orders | None = None) -> dict[str, Any]:
    """The answer to a page that asks for a stop."""
    page_stops = PageStops(link, orders or Orders(link), lambda _: None)
    return asyncio.run(page_stops.stop("", "127.0.0.1", what))


@pytest.mark.parametrize(
    ("what", "call"), [(None, "estop"), (ALL_AXES, "stop"), (4, "stop 4"), (PAUSE, "pause")]
)
def test_a_panel_that_is_connected_to_none_of_two_systems_stops_both(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch, what: Any, call: str
) -> None:
    own = StandIn("own", systems=2)
    monkeypatch.setattr(stops, "Machine", own)
    assert pressed(link, what)["done"]
    assert own.asked == ["open", call, "close"], "nothing is asked before"


ALONE = StandIn("alone")
BESIDE = StandIn("beside another", systems=2)
GONE = StandIn("gone", error=SystemLost("it has ended"))
SILENT = StandIn("silent", error=NotAnswered("the client's own thread does not answer"))


@pytest.mark.parametrize("connected", [ALONE, BESIDE, GONE, SILENT], ids=lambda each: each.name)
def test_what_the_connected_machine_may_not_reach_is_stopped_as_well(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch, connected: StandIn
) -> None:
    own = StandIn("own", systems=2)
    monkeypatch.setattr(stops, "Machine", own)
    link.machine = connected  # type: ignore[assignment]
    assert pressed(link)["done"]
    assert connected.asked == ["estop"]
    assert own.asked == ([] if connected is ALONE else ["open", "estop", "close"])


def test_a_press_of_long_ago_stops_again(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = StandIn("connected")
    link.machine = connected  # type: ignore[assignment]
    page_stops = PageStops(link, Orders(link), lambda _: None)
    now = 100.0
    monkeypatch.setattr(stops, "monotonic", lambda: now)

    async def pressed() -> None:
        nonlocal now
        for later in 0.0, stops.PRESS_TIME - 0.1, 0.2:
            now += later
            await page_stops.stop("ann", "10.0.0.1", "emergency", 7)

    asyncio.run(pressed())
    assert connected.asked == ["estop"] * 2


class EngineAway(StandIn):
    """A machine whose engine node does not answer; the nodes that move axes do unless `all_away`.

    It answers that not before the axes are asked to stop.
    """

    def __init__(self, *, all_away: bool = False) -> None:
        super().__init__("engine away")
        self.all_away, self.axes_asked = all_away, Event()

    def estop(self) -> None:
        self.asked.append("estop")
        assert self.axes_asked.wait(10.0)
        raise NotAnswered("wmx/engine/estop does not answer within 5 s")

    def stop(self, axes: Sequence[int] = (), *, quick: bool = False) -> None:
        self.error = NotAnswered("wmx/axis/stop does not answer within 5 s")
        self.error = self.error if self.all_away else None
        self.axes_asked.set()
        super().stop(axes, quick=quick)


@pytest.mark.parametrize("all_away", [False, True])
def test_where_the_engine_node_does_not_answer_the_axes_are_stopped(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch, all_away: bool
) -> None:
    machine, orders = EngineAway(all_away=all_away), Orders(link)
    monkeypatch.setattr(stops, "ENGINE_TIMEOUT", 0.0)
    monkeypatch.setattr(stops, "Machine", StandIn("own", error=NoPart("it is not offered")))
    link.machine = machine  # type: ignore[assignment]
    answer = pressed(link, orders=orders)
    assert machine.asked == ["estop", "stop quick"]
    instead = f"{NOT_STOPPED_EITHER}: it is not offered" if all_away else STOPPED_INSTEAD
    assert (answer["done"], answer["answer"]) == (False, f"it is not offered. {instead}")
    ends = {order.what: order.outcome for order in orders.kept}
    unknown = f"{END_UNKNOWN}: it is not offered"
    assert ends == {EMERGENCY_STOP: unknown, AXES_INSTEAD: unknown if all_away else "done"}


def test_an_emergency_stop_that_is_answered_late_is_done_and_has_stopped_the_axes_before(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = EngineAway()
    monkeypatch.setattr(stops, "ENGINE_TIMEOUT", 0.0)
    monkeypatch.setattr(stops, "Machine", StandIn("own"))
    link.machine = machine  # type: ignore[assignment]
    assert pressed(link) == {"done": True, "what": EMERGENCY_STOP, "answer": ""}
    assert machine.asked == ["estop", "stop quick"]


def test_an_emergency_stop_is_answered_though_the_axes_are_being_stopped_beside_it(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node that stops them may hang."""
    answered, ended = Event(), list[str]()

    class MotionAway(EngineAway):
        def estop(self) -> None:
            assert self.axes_asked.wait(10.0)

        def stop(self, axes: Sequence[int] = (), *, quick: bool = False) -> None:
            self.axes_asked.set()
            answered.wait(10.0)
            ended.append("stop")

    async def press() -> dict[str, Any]:
        answer = await page_stops.stop("", "127.0.0.1", None)
        assert not ended, "the answer has waited for that"
        answered.set()
        return answer

    monkeypatch.setattr(stops, "ENGINE_TIMEOUT", 0.0)
    monkeypatch.setattr(stops, "Machine", StandIn("own"))
    link.machine = MotionAway()  # type: ignore[assignment]
    page_stops = PageStops(link, Orders(link), lambda _: None)
    assert asyncio.run(press())["done"]


def test_where_the_emergency_stop_is_refused_the_axes_are_stopped_at_once(
    link: MachineLink,
) -> None:
    machine = StandIn("no engine")
    machine.estop = MagicMock(side_effect=NotReady("not initialized"))  # type: ignore[method-assign]
    link.machine = machine  # type: ignore[assignment]
    assert pressed(link)["answer"] == f"not initialized. {STOPPED_INSTEAD}"
    assert machine.asked == ["stop quick"]


def test_a_press_that_is_sent_twice_is_one_stop_unless_it_has_failed(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = StandIn("connected", error=NotAnswered("it does not answer"))
    monkeypatch.setattr(stops, "Machine", StandIn("own", error=NotConnected("no system runs")))
    link.machine = connected  # type: ignore[assignment]
    orders = Orders(link)
    page_stops = PageStops(link, orders, lambda _: None)

    async def press(client: str, number: object, what: Any = "emergency") -> bool:
        answer = await page_stops.stop(client, "10.0.0.1", what, number)
        return bool(answer["done"])

    async def both_ways() -> list[bool]:
        """On the connection of the stops, and as a request."""
        return await asyncio.gather(press("ann", 7), press("ann", "7", None))

    async def pressed() -> None:
        assert await both_ways() == [False, False]
        assert connected.asked == ["estop", "stop quick"]
        connected.error = None
        assert await both_ways() == [True, True]
        assert await press("ann", 7), "when its connection is back"
        assert connected.asked[2:] == ["estop"], "what has failed is tried again, and no more"
        assert len(orders.kept) == 3
        for other in ("ann", 8), ("bob", 7), ("ann", None), ("", 7), ("", 7), ("ann", 7, ALL_AXES):
            assert await press(*other)
        assert connected.asked[2:] == ["estop"] * 6 + ["stop"], "all others are stops of their own"

    asyncio.run(pressed())


@pytest.mark.parametrize(
    "error", [NotAnswered("1 of 2 systems has not answered"), NotConnected("no system runs")]
)
def test_a_stop_that_has_not_reached_all_is_not_done(
    link: MachineLink, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(stops, "Machine", StandIn("own", systems=2, error=error))
    answer = pressed(link)
    assert not answer["done"]
    assert str(error) in answer["answer"]
