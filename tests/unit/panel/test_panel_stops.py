"""Stops of pages reach every system, also while the panel is connected to none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from wmx_ros2_package.client import NotAnswered, NotConnected, SystemLost
from wmx_ros2_package.panel import stops
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.orders import Orders
from wmx_ros2_package.panel.stops import ALL_AXES, PAUSE, PageStops


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

    def stop(self, axes: Sequence[int] = ()) -> None:
        self._ask(" ".join(map(str, ["stop", *axes])))

    def pause(self) -> None:
        self._ask("pause")

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.error is not None:
            raise self.error


@pytest.fixture
def link() -> MachineLink:
    return MachineLink("/cell1")


def pressed(link: MachineLink, what: Any = None) -> dict[str, Any]:
    """The answer to a page that asks for a stop."""
    page_stops = PageStops(link, Orders(link), lambda _: None)
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


@pytest.mark.parametrize("connected", [ALONE, BESIDE, GONE], ids=lambda each: each.name)
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


def test_a_press_that_is_sent_twice_is_one_stop_unless_it_has_failed(link: MachineLink) -> None:
    connected = StandIn("connected", error=NotAnswered("it does not answer"))
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
        assert connected.asked == ["estop"]
        connected.error = None
        assert await both_ways() == [True, True]
        assert await press("ann", 7), "when its connection is back"
        assert connected.asked == ["estop"] * 2, "what has failed is tried again, and no more"
        assert len(orders.kept) == 2
        for other in ("ann", 8), ("bob", 7), ("ann", None), ("", 7), ("", 7), ("ann", 7, ALL_AXES):
            assert await press(*other)
        assert connected.asked == ["estop"] * 7 + ["stop"], "all others are stops of their own"

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
