"""The pause of the panel: everybody may pause, and no double click lets the machine go on."""

import asyncio
import time
from collections.abc import Callable
from math import nan
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from hand_clock import Clock
from motion_events import begun, ended
from wmx_ros2_message.msg import SystemSpeed

from wmx_ros2_package.client import EndReason, Speed
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.panel.live import Live
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.orders import Orders
from wmx_ros2_package.panel.safety.heartbeat import Click
from wmx_ros2_package.panel.safety.page_control import PageSession
from wmx_ros2_package.panel.safety.pause import (
    NOTHING_WAITS,
    RESUME_DELAY,
    SPEED_TIMEOUT,
    PauseRecord,
    ResumeRefused,
    what_waits,
)
from wmx_ros2_package.panel.stops import PAUSE, PageStops

PAUSED = Speed(100, paused=True)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def record(clock: Clock) -> PauseRecord:
    record = PauseRecord(clock)
    record.publish(Speed())
    return record


def is_refused(record: PauseRecord) -> bool:
    try:
        record.require_resumable()
    except ResumeRefused:
        return True
    return False


def test_how_long_a_way_takes_is_said_of_the_speed_of_now(
    record: PauseRecord, clock: Clock
) -> None:
    assert record.lasts(2.6) == "2.6 s"
    record.publish(Speed(10))
    assert record.lasts(2.6) == "26.0 s at the speed of 10 %"
    clock.now += SPEED_TIMEOUT
    assert record.lasts(2.6) == "2.6 s at full speed", "it is not known"


def test_nothing_is_resumed_for_a_while_after_each_press_of_the_pause(
    record: PauseRecord, clock: Clock
) -> None:
    record.press()
    record.publish(PAUSED)
    for _ in range(5):
        clock.now += RESUME_DELAY - 0.1
        assert is_refused(record)
        assert not record.resumable
        record.press()  # again and again
        record.publish(PAUSED)
    clock.now += RESUME_DELAY
    assert record.resumable
    assert not is_refused(record)


def test_a_pause_of_another_program_counts_once(record: PauseRecord, clock: Clock) -> None:
    clock.now += RESUME_DELAY
    assert not record.resumable, "it is not paused"
    record.publish(PAUSED)
    record.count(1)
    assert is_refused(record)
    clock.now += RESUME_DELAY
    for _ in range(2):  # as each second
        record.publish(PAUSED)
        record.count(1)
        assert record.resumable
    record.count(2)
    assert not record.resumable, "another one, while it is paused"
    assert is_refused(record)


class Machine:
    """What a page pauses; its axes come to rest when the test says so."""

    systems = 1

    def __init__(self) -> None:
        self.rest = Event()
        self.called: list[str] = []

    resume: Callable[[Callable[[], object]], None]

    def pause(self) -> None:
        self.called.append("pause")
        self.rest.wait(10.0)

    def estop(self) -> None:
        self.called.append("estop")

    def require_own_system(self) -> None:
        """As a machine that is alone."""


def stops_of(machine: Machine) -> tuple[PageStops, MachineLink, Orders]:
    link = MachineLink()
    link.machine = machine  # type: ignore[assignment]
    orders = Orders(link)
    return PageStops(link, orders, lambda _: None), link, orders


def test_everybody_may_pause_and_no_stop_waits_for_that() -> None:
    machine = Machine()
    stops, _, _ = stops_of(machine)

    async def press() -> dict[str, Any]:
        pauses = [asyncio.create_task(stops.stop("", "10.0.0.7", PAUSE)) for _ in range(20)]
        await asyncio.sleep(0)
        answer = await asyncio.wait_for(stops.stop("", "10.0.0.7", None), 5.0)
        machine.rest.set()
        await asyncio.gather(*pauses)
        return answer

    assert asyncio.run(press())["done"]
    assert "estop" in machine.called
    assert machine.called.count("pause") == 20


def test_a_resume_that_was_clicked_before_a_pause_is_none() -> None:
    machine = Machine()
    machine.rest.set()
    stops, link, orders = stops_of(machine)
    ann = PageSession("1", "10.0.0.1")
    orders.take(ann, "Ann")
    orders.heartbeat.beat(time.monotonic())

    def resume() -> None:
        link.pause.require_resumable()
        machine.called.append("resume")

    async def press() -> Any:
        await stops.stop("1", "10.0.0.1", PAUSE)
        return await orders.carry_out(ann, "resume", resume, Click(orders.heartbeat.number))

    order = asyncio.run(press())
    assert not order.done
    assert "within 2 s after a pause" in order.answer
    assert "resume" not in machine.called


def test_a_pause_that_comes_while_a_resume_is_sent_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    page_events = pytest.importorskip("wmx_ros2_package.panel.page_events")
    listened: dict[str, Any] = {}
    works: list[Callable[[], None]] = []
    monkeypatch.setattr(page_events.ui, "on", listened.__setitem__)
    machine, link = Machine(), MachineLink()
    link.machine = machine  # type: ignore[assignment]

    def resume(before: Callable[[], object] = lambda: None) -> None:
        link.pause.press()  # while the engine node is met
        before()
        machine.called.append("resume")

    async def order(_: str, work: Callable[[], None]) -> None:
        works.append(work)

    machine.resume = resume
    frame = SimpleNamespace(link=link, order=order, clicked=lambda _: None)
    page_events.PageEvents(frame).listen()
    asyncio.run(listened["resume"](SimpleNamespace(args={})))
    with pytest.raises(ResumeRefused):
        works[0]()
    assert machine.called == []


def test_a_frame_has_the_speed_and_whether_it_is_resumable(clock: Clock) -> None:
    link = MachineLink()
    link.pause = PauseRecord(clock)
    live = Live(link, Orders(link))
    assert (live.content()["speed"], live.content()["paused"]) == (None, False)
    link.take_speed(SystemSpeed(percent=20, paused=True))
    content = live.content()
    assert (content["speed"], content["paused"], content["resumable"]) == (20, True, False)
    assert content["waits"] == NOTHING_WAITS
    clock.now += RESUME_DELAY
    assert live.content()["resumable"]
    link.take_estop(SimpleNamespace(data=True))
    assert not live.content()["resumable"]


def test_what_a_resume_lets_go_on_is_said_by_axis_and_target() -> None:
    path = begun(MotionKind.TRAJECTORY, 1, 2, targets=(0.5, nan))
    move = begun(MotionKind.POSITION, 3, targets=(-1.25,))
    held = begun(MotionKind.HOLD, 4, targets=(0.0,))
    assert what_waits([path, move, held], {1: "rad", 3: "m"}) == (
        "PAUSED. Resume lets go on: a path that ends with joint1 to 0.5 rad, joint2 (trajectory of "
        "/node); joint3 to -1.25 m (position of /node)"
    )
    assert what_waits([held], {}) == NOTHING_WAITS


def test_a_joint_in_degrees_waits_in_the_unit_of_the_node_that_moves_it() -> None:
    server = "/cell1/follow_joint_trajectory_server"
    path = begun(MotionKind.TRAJECTORY, 1, targets=(0.5236,), source=server)
    move = begun(MotionKind.POSITION, 1, targets=(30.0,), source="/cell1/wmx_actuator_node")
    words = what_waits([path, move], {1: "deg"})
    assert "joint1 to 0.5236 rad (" in words
    assert "joint1 to 30 deg (" in words


def test_a_frame_has_what_waits_while_it_does() -> None:
    link = MachineLink()
    live = Live(link, Orders(link))
    link.published.asked_at = time.monotonic()
    move = begun(MotionKind.POSITION, 3, targets=(2.0,))
    link.take_motions([move])
    assert live.content()["waits"] == ""
    link.take_speed(SystemSpeed(percent=100, paused=True))
    assert "joint3 to 2 u" in live.content()["waits"]
    link.published.asked_at -= 60.0
    content = live.content()
    assert "joint3 to 2 u" in content["waits"], "it was published, and not asked for"
    assert (content["engine"], content["owners"]) == ("unknown", {3: "/node (position)"})
    link.take_motions([ended(move, EndReason.STOPPED)])
    assert live.content()["waits"] == NOTHING_WAITS


def test_stops_and_pauses_of_other_programs_are_known_by_their_counts(clock: Clock) -> None:
    link = MachineLink()
    link.pause = PauseRecord(clock)
    link.take_speed(SystemSpeed(percent=100, paused=True, pauses=1, emergency_stops=1))
    stops = link.emergency_stop.stops
    clock.now += RESUME_DELAY
    link.take_speed(SystemSpeed(percent=100, paused=True, pauses=1, emergency_stops=2))
    assert link.emergency_stop.stops == stops + 1
    assert link.pause.resumable
    link.take_speed(SystemSpeed(percent=100, paused=True, pauses=2, emergency_stops=2))
    assert link.emergency_stop.stops == stops + 1
    assert not link.pause.resumable
