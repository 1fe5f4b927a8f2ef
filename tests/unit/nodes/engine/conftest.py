"""Engine nodes by themselves."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from held_engine import HeldEngine
from held_node import close_all
from lone_engine_node import EngineNode, WatchedMotion

from wmx_core.values import MotionStatus


@pytest.fixture
def motion(held: HeldEngine) -> WatchedMotion:
    return WatchedMotion(held)


@pytest.fixture
def make(
    held: HeldEngine, motion: WatchedMotion, private: Path, tmp_path: Path
) -> Iterator[Callable[..., EngineNode]]:
    """Makes engine nodes with a parameter file that changes these of axis 0."""
    made: list[EngineNode] = []

    def make(**changes: float) -> EngineNode:
        file = tmp_path / "parameters.xml"
        file.write_text(held.motion.parameters().with_axis(0, **changes).to_xml())
        made.append(EngineNode(held, motion, file))
        return made[-1]

    yield make
    close_all(made)


@pytest.fixture
def node(make: Callable[..., EngineNode]) -> EngineNode:
    """One that is ready, with a parameter file."""
    return make()


@pytest.fixture
def ended(node: EngineNode, monkeypatch: pytest.MonkeyPatch) -> list[MotionStatus]:
    """Each status in which the communication is ended."""
    held, seen = node.held, list[MotionStatus]()
    stop = held.engine.stop_communication

    def note_and_stop() -> None:
        seen.append(held.status())
        stop()

    monkeypatch.setattr(held.engine, "stop_communication", note_and_stop)
    return seen
