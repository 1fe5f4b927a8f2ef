"""What a frame holds of the newest status, and how statuses are taken."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from threading import Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_panel_history import status
from waits import eventually

from wmx_ros2_package.client import MachineError, SeveralSystems, Stream, SystemLost
from wmx_ros2_package.panel import machine_link
from wmx_ros2_package.panel.access import VIEWER
from wmx_ros2_package.panel.description import ShownAxis
from wmx_ros2_package.panel.history import History
from wmx_ros2_package.panel.live import FLAGS, Live
from wmx_ros2_package.panel.machine_link import MachineLink, Published
from wmx_ros2_package.panel.orders import Orders
from wmx_ros2_package.panel.safety.page_control import PageSession


@pytest.mark.parametrize("flag", FLAGS)
def test_a_frame_has_each_quantity_and_each_flag_of_the_newest_status(flag: str) -> None:
    link = MachineLink()
    newest = replace(
        status(1.23456, 0.1234567),
        torque=np.array([1.239, -2.0]),
        **{flag: np.array([False, True])},
    )
    link.take_statuses([newest])
    frame = Live(link, Orders(link)).content()
    assert frame["time"] == 1.235
    assert frame["position"] == frame["command"] == frame["velocity"] == [0.12346, 0.12346]
    assert frame["torque"] == [1.24, -2.0]
    assert frame["flags"] == [0, 1 << FLAGS.index(flag)]


@pytest.mark.parametrize(
    ("value", "text"), [(np.nan, "NaN"), (np.inf, "Infinity"), (-np.inf, "-Infinity")]
)
def test_a_number_that_is_none_is_sent_as_a_text_which_a_browser_can_read(
    value: float, text: str
) -> None:
    link = MachineLink()
    link.take_statuses([replace(status(1.0, 0.5), torque=np.array([value, 1.0]))])
    frame = json.dumps(Live(link, Orders(link)).content(), allow_nan=False)
    assert json.loads(frame)["torque"] == [text, 1.0]


def test_a_frame_without_a_status_has_no_quantities() -> None:
    link = MachineLink()
    frame = Live(link, Orders(link)).content()
    assert "position" not in frame
    assert frame["problem"] == "no system is found yet"


@pytest.mark.parametrize("kind", [SeveralSystems, SystemLost])
def test_what_another_system_publishes_is_not_live(
    kind: type[MachineError], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the machine, or in its place after it was killed, with the same names."""
    link, now = MachineLink(), [100.0]
    errors: list[MachineError] = []

    def require_own_system() -> None:
        for error in errors:
            raise error

    monkeypatch.setattr(machine_link, "monotonic", lambda: now[0])
    link.machine = SimpleNamespace(require_own_system=require_own_system)  # type: ignore[assignment]
    link.simulation, link.trouble = True, ""
    link.actuators = (ShownAxis(name="a"), ShownAxis(name="b"))
    link.history = History(2, length=1.0)
    link.published = Published(engine="Communicating", asked_at=1e9)
    live = Live(link, Orders(link))
    link.take_statuses([status(1.0, 0.1)])
    own, other = (SimpleNamespace(name="axis 0", level=level) for level in (b"\2", b"\0"))
    link.take_diagnostics(SimpleNamespace(status=[own]))
    frame = live.content()
    assert (frame["position"], frame["simulated"]) == ([0.1, 0.1], True)
    assert (frame["problem"], frame["engine"]) == ("", "Communicating")
    errors.append(kind("another system runs"))
    link.take_diagnostics(SimpleNamespace(status=[other]))
    assert link.published.diagnostics == {"axis 0": (own, 100.0)}
    assert link.status is None, "nor is what came before it"
    for _ in range(11):
        now[0] += 0.1
        link.take_statuses([status(now[0], 7.0)])
    frame = live.content()
    assert "position" not in frame
    assert (frame["simulated"], frame["engine"]) == (None, "unknown")
    assert frame["problem"] == "another system runs"
    for active in True, False:
        link.take_estop(SimpleNamespace(data=active))
        assert live.content()["estop"], "what another one has not been told hides no stop"
    errors.clear()
    link.take_estop(SimpleNamespace(data=False))  # as each second
    assert not live.content()["estop"]
    assert link.history.select([], 1.0)[0].tolist() == [1.0], "nor is it in the plots"


def test_statuses_that_come_once_a_second_are_live(monkeypatch: pytest.MonkeyPatch) -> None:
    link, now = MachineLink(), [100.0]
    monkeypatch.setattr(machine_link, "monotonic", lambda: now[0])
    for _ in range(3):
        link.take_statuses([status(now[0], 0.1)])
        now[0] += 1.2  # one may come a little late
        assert link.status is not None
    now[0] += 1.0
    assert link.status is None


def test_statuses_are_taken_all_at_once_and_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    link, put, pauses = MachineLink(), [], []
    machine: Any = SimpleNamespace()
    link.machine = machine
    stream: Stream[int] = Stream(lambda to: put.append(to) or list)  # type: ignore[func-returns-value]
    taken: list[int] = []

    def pause(seconds: float) -> None:
        pauses.append((seconds, len(taken)))
        if len(pauses) > 1:
            link.machine = None

    monkeypatch.setattr(machine_link, "sleep", pause)
    monkeypatch.setattr(machine_link, "POLL_PERIOD", 0.01)
    for number in range(3):
        put[0](number)
    Thread(target=link.follow, args=(machine, stream, taken.extend, 0.04)).start()
    eventually(lambda: link.machine is None, "it has paused twice")
    assert taken == [0, 1, 2]
    assert pauses[0] == (0.04, 3), "once all that had come were taken"


def test_what_cannot_be_read_keeps_nothing_from_what_comes_after_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    link, put, taken = MachineLink(), [], []
    machine: Any = SimpleNamespace()
    link.machine = machine
    stream: Stream[int] = Stream(lambda to: put.append(to) or list)  # type: ignore[func-returns-value]
    comes = [1, 2, 3]

    def take(items: Sequence[int]) -> None:
        if items[0] < 3:
            raise ValueError("arrays of different lengths")
        taken.extend(items)

    def pause(_: float) -> None:
        if taken:
            link.machine = None
        else:
            put[0](comes.pop(0))

    monkeypatch.setattr(machine_link, "sleep", pause)
    pause(0.0)
    link.follow(machine, stream, take)
    assert taken == [3]
    assert caplog.text.count("ValueError: arrays of different lengths") == 1


class Socket:
    """A connection of a page, whose browser answers each frame with `answer` until it `leaves`."""

    def __init__(self) -> None:
        self.query_params = {"client": "ann"}
        self.scope: dict[str, Any] = {}
        self.frames = 0
        self.answer: Any = {"hold": None}
        self._answers: asyncio.Queue[str | None] = asyncio.Queue()

    async def accept(self) -> None:
        """As a server does."""

    async def send_text(self, text: str) -> None:
        self.frames += 1
        frame, _ = json.loads(text)
        answer = self.answer
        if isinstance(answer, dict):
            answer = {"n": frame["n"], **answer}
        await self._answers.put(json.dumps(answer))

    async def receive_text(self) -> str:
        answer = await self._answers.get()
        if answer is None:
            raise RuntimeError("the connection is closed")
        return answer

    async def leaves(self) -> None:
        await self._answers.put(None)


class DeadSocket(Socket):
    """One that was cut, which the panel has not noticed: nothing comes back."""

    async def send_text(self, text: str) -> None:
        self.frames += 1


async def frames(socket: Socket, number: int) -> bool:
    """Whether so many more frames come within some periods."""
    wanted = socket.frames + number
    for _ in range(100):
        if socket.frames >= wanted:
            return True
        await asyncio.sleep(0.01)
    return False


@pytest.fixture
def orders() -> Orders:
    return Orders(MachineLink())


@pytest.fixture
def live(orders: Orders, monkeypatch: pytest.MonkeyPatch) -> Live:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    from wmx_ros2_package.panel import live as module

    monkeypatch.setattr(module, "PERIOD", 0.01)
    return Live(MachineLink(), orders)


def test_a_connection_that_ends_late_keeps_no_frame_from_the_one_after_it(live: Live) -> None:
    session = PageSession("ann", "10.0.0.1")

    async def serve() -> list[bool]:
        tasks = [asyncio.create_task(live.run())]
        old, new = Socket(), Socket()
        for socket in old, new:
            tasks.append(asyncio.create_task(live.serve(socket, lambda _: session)))  # type: ignore[arg-type]
        got = [await frames(old, 2), await frames(new, 2), session.connections == 2]
        await old.leaves()
        got += [await frames(new, 20), not await frames(old, 2), session.connections == 1]
        for task in tasks:
            task.cancel()
        return got

    assert asyncio.run(serve()) == [True] * 6
    assert session.connections == 0


def test_a_frame_that_cannot_be_written_is_not_the_last(
    live: Live, orders: Orders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    errors = [ValueError("no number")] * 3
    expired: list[float] = []
    content = live.content

    def fail_at_first() -> dict[str, Any]:
        if errors:
            raise errors.pop()
        return content()

    monkeypatch.setattr(live, "content", fail_at_first)
    monkeypatch.setattr(orders, "expire", expired.append)

    async def serve() -> bool:
        socket = Socket()
        session = PageSession("ann", "10.0.0.1")
        serving = live.serve(socket, lambda _: session)  # type: ignore[arg-type]
        tasks = [asyncio.create_task(each) for each in (serving, live.run())]
        got = await frames(socket, 2)
        for task in tasks:
            task.cancel()
        return got

    assert asyncio.run(serve())
    assert len(expired) > 3, "what is to end has ended meanwhile"
    assert caplog.text.count("ValueError: no number") == 1


def test_only_the_last_connection_of_a_page_ends_what_it_holds(
    live: Live, orders: Orders, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = PageSession("ann", "10.0.0.1")
    holds: list[Any] = []
    monkeypatch.setattr(orders, "hold", lambda _, held: holds.append(held))

    async def serve() -> None:
        running = asyncio.create_task(live.run())
        old, new = DeadSocket(), Socket()
        new.answer = {"hold": "a button"}
        ends = []
        for socket in old, new:
            ends.append(asyncio.create_task(live.serve(socket, lambda _: session)))  # type: ignore[arg-type]
            assert await frames(socket, 1)
        for socket, end in zip((old, new), ends, strict=True):
            assert await frames(new, 2)
            assert {*holds} == {"a button"}
            await socket.leaves()
            await asyncio.wait_for(end, 10.0)
        running.cancel()

    asyncio.run(serve())
    assert holds[-1] is None


def test_a_login_that_only_looks_is_no_connection_of_a_page_that_moves(live: Live) -> None:
    session, closed = PageSession("ann", "10.0.0.1"), list[int]()

    class Viewer(Socket):
        async def close(self, code: int, reason: str) -> None:
            closed.append(code)

    socket = Viewer()
    socket.scope[VIEWER] = True
    asyncio.run(asyncio.wait_for(live.serve(socket, lambda _: session), 10.0))  # type: ignore[arg-type]
    assert (closed, session.connections) == ([4404], 0)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {"n": None},
        {"n": float("inf")},
        {"hold": 1},
        {"hold": {"id": 1, "axis": float("inf"), "directions": [1], "speeds": ["1"]}},
        {"hold": {"id": 1, "axis": 0, "directions": [[]], "speeds": ["1"]}},
    ],
    ids=range(7),
)
def test_what_no_browser_answers_ends_the_connection_and_nothing_else(
    live: Live, orders: Orders, answer: Any
) -> None:
    session = PageSession("ann", "10.0.0.1")
    orders.take(session, "Ann")

    async def serve() -> None:
        running = asyncio.create_task(live.run())
        socket = Socket()
        socket.answer = answer
        await asyncio.wait_for(live.serve(socket, lambda _: session), 10.0)  # type: ignore[arg-type]
        assert not running.done()
        running.cancel()

    asyncio.run(serve())
    assert orders.jogged_axis is None
