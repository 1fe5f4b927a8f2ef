"""What the recorder does as its node attaches to an engine, and detaches from it."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from held_engine import HeldEngine
from held_node import EngineClock, HeldNode
from std_srvs.srv import Trigger

from wmx_core.clock import STEADY
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.nodes.recorder.node import Recorder
from wmx_ros2_package.nodes.recorder.parameters import RecorderParameters
from wmx_ros2_package.nodes.recorder.sources import COMMANDS
from wmx_ros2_package.recordings.reading import Recording


class RecorderNode(HeldNode):
    """The node of a recorder, on an engine that keeps no cycles."""

    def __init__(self, folder: Path) -> None:
        given = RecorderParameters(folder=str(folder), least_free_megabytes=0, seconds_after=0.0)
        super().__init__(HeldEngine(1), "/cell/wmx_recorder_node", parameters=given)
        self.clock = STEADY  # on which the thread that writes waits
        self.common = SimpleNamespace(device_path="")
        self.deactivating = Event()  # type: ignore[assignment]
        self.threads = SimpleNamespace(aside=lambda work: work())
        self.takes: dict[str, Any] = {}
        self.recorder = Recorder(self)  # type: ignore[arg-type]

    def subscribe_raw(self, _kind: Any, topic: str, take: Any, *_: Any) -> None:
        self.takes[topic] = take

    def call(self, *hooks: list[Any]) -> None:
        for each in hooks:
            for hook in each:
                hook()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[RecorderNode]:
    node = RecorderNode(tmp_path)
    node.call(node.on_activate)
    yield node
    node.deactivating.set()  # type: ignore[attr-defined]
    node.call(node.on_deactivate)


WRITTEN = "A recording will be written: the engine is lost, or does not communicate"


def test_an_engine_that_is_lost_is_recorded_once(node: RecorderNode) -> None:
    node.call(node.on_attach, node.on_attached, node.on_detach)
    assert node.logged.count(WRITTEN) == 1
    node.call(node.on_detach)
    assert node.logged.count(WRITTEN) == 1


def test_an_attempt_to_attach_that_fails_is_no_lost_engine(node: RecorderNode) -> None:
    """What the node lets go of after it, it never had."""
    node.call(node.on_attach, node.on_detach)
    assert WRITTEN not in node.logged


@pytest.mark.parametrize("is_set", [True, False])
def test_parameters_that_are_refused_once_are_read_again(
    node: RecorderNode, monkeypatch: pytest.MonkeyPatch, is_set: bool
) -> None:
    """An engine that does not answer in time is not gone, and is not asked again and again.

    At once where a client has set some since it was asked.
    """
    node.clock = EngineClock(node.held)
    refusals = [CommandRefused(ErrorCode.WaitTimeout, "no answer")] * 2
    read = node.held.motion.parameters

    def late(*of: Any) -> Any:
        if refusals:
            if is_set:
                node.takes[COMMANDS](b"set_gear_ratio", 0)
            raise refusals.pop()
        return read(*of)

    monkeypatch.setattr(node.held.motion, "parameters", late)
    node.call(node.on_attach, node.on_attached)
    for seconds, left in (0.1, 1), (0.1, not is_set), (1.0, 0), (0.1, 0), (1.0, 0):
        node.supervisor.read(node.held.after(seconds))
        assert len(refusals) == left
    node.clock = STEADY
    recording = Recording(Path(node.recorder.save(Trigger.Request(), Trigger.Response())))
    assert [*recording.messages()]
    assert b"<" in recording.attachments["parameters.xml"].data


@pytest.mark.parametrize(
    "method",
    [
        *("set_gear_ratio", "set_polarity", "set_command_mode", "load_parameters"),
        *("quick_stop", "emergency_stop"),
    ],
)
def test_parameters_are_read_again_after_what_may_have_changed_them(
    node: RecorderNode, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    node.clock = EngineClock(node.held)
    read = Mock(side_effect=node.held.motion.parameters)
    monkeypatch.setattr(node.held.motion, "parameters", read)
    node.call(node.on_attach, node.on_attached)
    for taken, count in (False, 1), (False, 1), (True, 2), (False, 2):
        if taken:
            node.takes[COMMANDS](method.encode(), 0)
        node.supervisor.read(node.held.after(0.1))
        assert read.call_count == count
    node.clock = STEADY
