"""What the thread that reads the state feeds to whom, and what it does not read."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine
from patience import eventually

from wmx_ros2_package.drivers.values import EngineState, MotionStatus
from wmx_ros2_package.node.state_stream import LISTENERS_PERIOD, StateStream


class Node:
    """What a stream knows of its node, and how often the engine was asked."""

    def __init__(self) -> None:
        self.name = "node"
        self.reads = 0
        self.hooks: list[Callable[[], None]] = []
        self.errors: list[str] = []
        self.motions: Any = None
        self.log = SimpleNamespace(error=self.errors.append)
        self.driver: Any = SimpleNamespace(motion=SimpleNamespace(status=self._status))
        self._sample = replace(HeldEngine().status(), engine_state=EngineState.COMMUNICATING)

    def on_attach(self, hook: Callable[[], None]) -> None:
        self.hooks.append(hook)

    on_detach = on_attach

    def _status(self) -> MotionStatus:
        self.reads += 1
        return replace(self._sample, time=time.monotonic())


@pytest.fixture
def node() -> Iterator[Node]:
    node = Node()
    yield node
    node.hooks[1]()


def test_what_nobody_wants_is_not_read_for(node: Node) -> None:
    fed: list[MotionStatus] = []
    wanted = False
    stream = StateStream(node)  # type: ignore[arg-type]
    stream.feed(fed.append, 500.0, wanted=lambda: wanted)
    node.hooks[0]()
    start = time.monotonic()
    time.sleep(5 * LISTENERS_PERIOD)
    looks = (time.monotonic() - start) / LISTENERS_PERIOD
    assert 1 <= node.reads <= looks + 2
    assert not fed
    wanted = True
    eventually(lambda: len(fed) >= 20, "it is fed once somebody wants it")


def test_one_that_cannot_say_whether_it_is_wanted_hurts_no_other(node: Node) -> None:
    fed: list[MotionStatus] = []

    def broken() -> bool:
        raise RuntimeError("its publisher is gone")

    stream = StateStream(node)  # type: ignore[arg-type]
    stream.feed(lambda _: None, 100.0, name="it", wanted=broken)
    stream.feed(fed.append, 100.0)
    node.hooks[0]()
    eventually(lambda: len(fed) >= 5, "the other is fed")
    assert set(node.errors) == {"it: RuntimeError('its publisher is gone')"}


def test_what_is_read_is_what_motions_are_watched_by(node: Node) -> None:
    """After whoever needs it in time; it costs no reading of its own."""
    seen: list[MotionStatus | str] = []
    node.motions = SimpleNamespace(see=seen.append)
    stream = StateStream(node)  # type: ignore[arg-type]
    stream.feed(lambda _: seen.append("fed"), 100.0)
    node.hooks[0]()
    eventually(lambda: len(seen) >= 20, "it is fed")
    node.hooks[1]()
    assert seen[::2] == ["fed"] * (len(seen) // 2)
    assert all(isinstance(each, MotionStatus) for each in seen[1::2])
    assert node.reads == len(seen) // 2


def test_one_that_is_wanted_does_not_wait_for_one_that_is_not(node: Node) -> None:
    fed: list[MotionStatus] = []
    stream = StateStream(node)  # type: ignore[arg-type]
    stream.feed(fed.append, 100.0)
    stream.feed(lambda _: pytest.fail("nobody wants it"), 500.0, wanted=lambda: False)
    start = time.monotonic()
    node.hooks[0]()
    eventually(lambda: len(fed) >= 20, "it is fed")
    assert node.reads <= len(fed) + (time.monotonic() - start) / LISTENERS_PERIOD + 2
