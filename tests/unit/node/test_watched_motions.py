"""The ends of motions are told by whoever reads the state, else by a thread that reads it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine, position_move
from patience import eventually
from wmx_ros2_message.msg import EndMotion

from wmx_ros2_package.drivers.values import MotionStatus
from wmx_ros2_package.node.motion_events import RELIEVED_PERIOD, WATCH_PERIOD, MotionEvents


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
    begun, before = time.monotonic(), node.reads
    for _ in range(50):
        events.see(seen(held))
        time.sleep(WATCH_PERIOD / 2.0)
    read = node.reads - before
    assert read <= 0.5 * (time.monotonic() - begun) / WATCH_PERIOD
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


def test_who_looks_seldom_is_not_relied_on(
    node: Node, events: MotionEvents, held: HeldEngine
) -> None:
    move(events, held)
    reads = node.reads
    for looks in range(1, 6):
        events.see(seen(held))
        eventually(lambda n=looks: node.reads > reads + 3 * n, "it is watched as if nobody looked")
    assert RELIEVED_PERIOD > 3.0 * WATCH_PERIOD
