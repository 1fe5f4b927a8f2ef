"""The ends of motions are told by whoever reads the state, else by a thread that reads it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine, position_move
from patience import at_best, eventually
from wmx_ros2_message.msg import EndMotion

from wmx_ros2_package.drivers.values import MotionStatus
from wmx_ros2_package.node import motion_events
from wmx_ros2_package.node.motion_events import WATCH_PERIOD, MotionEvents


def seen(held: HeldEngine) -> MotionStatus:
    """A status as it would be read just now, whatever the time that is held."""
    return replace(held.status(), time=time.monotonic())


class Node:
    """What the motions know of their node, on `held`, and what they read and tell."""

    name = "node"

    def __init__(self, held: HeldEngine) -> None:
        self.reads = 0
        self.told: list[Any] = []
        self.hooks: list[Callable[[], None]] = []
        self.on_attach = self.on_detach = self.hooks.append
        self.publish = lambda *_: SimpleNamespace(publish=self.told.append)
        self.ros_time = SimpleNamespace(at=lambda _: 0)
        self.log = SimpleNamespace(error=pytest.fail)
        self.lose_engine = pytest.fail
        self._held = held
        self.driver: Any = SimpleNamespace(motion=SimpleNamespace(status=self._status))

    def _status(self) -> MotionStatus:
        self.reads += 1
        return seen(self._held)

    def ends(self) -> int:
        return sum(isinstance(message, EndMotion) for message in self.told)


@pytest.fixture
def held() -> HeldEngine:
    return HeldEngine().servo_on()


@pytest.fixture
def node(held: HeldEngine) -> Node:
    return Node(held)


@pytest.fixture
def events(node: Node) -> Iterator[MotionEvents]:
    events = MotionEvents(node, "/node")  # type: ignore[arg-type]
    attach, detach = node.hooks
    attach()
    yield events
    detach()


def move(events: MotionEvents, held: HeldEngine) -> None:
    events.record(held.motion).move_absolute([position_move(0, 1.0)])


def test_nobody_else_reads_the_state(node: Node, events: MotionEvents, held: HeldEngine) -> None:
    move(events, held)
    eventually(lambda: node.reads > 3, "it is watched")
    held.after(10.0)
    eventually(node.ends, "its end is told")


def test_somebody_else_does(node: Node, events: MotionEvents, held: HeldEngine) -> None:
    move(events, held)

    def share() -> float:
        """How often the thread reads as well, of what it would alone; a starved test looks late."""
        begun, before = time.monotonic(), node.reads
        for _ in range(30):
            events.see(seen(held))
            time.sleep(WATCH_PERIOD / 2.0)
        return (node.reads - before) * WATCH_PERIOD / (time.monotonic() - begun)

    at_best(share, 0.5)
    held.after(10.0)
    events.see(seen(held))
    assert node.ends() == 1


def test_somebody_else_does_so_no_more(node: Node, events: MotionEvents, held: HeldEngine) -> None:
    move(events, held)
    for _ in range(10):
        events.see(seen(held))
        time.sleep(WATCH_PERIOD / 2.0)
    held.after(10.0)
    eventually(node.ends, "its end is told")


@pytest.mark.parametrize(
    ("looks", "relied_on"),
    [
        ([], False),
        ([0.0], False),
        ([-0.1, 0.0], False),
        ([-0.01, 0.0], True),
        ([-0.2, -0.1, 0.0], False),
        ([-0.03, -0.025], False),
    ],
)
def test_only_who_looks_as_often_is_relied_on(
    node: Node, monkeypatch: pytest.MonkeyPatch, looks: list[float], *, relied_on: bool
) -> None:
    """Whose last look is not long ago, nor the one before it; the times are s from now."""
    events = MotionEvents(node, "/node")  # type: ignore[arg-type]
    now = 100.0
    monkeypatch.setattr(motion_events, "time", SimpleNamespace(monotonic=lambda: now))
    for look in looks:
        now = 100.0 + look
        events.see(node.driver.motion.status())
    now = 100.0
    assert events._others_look() is relied_on
