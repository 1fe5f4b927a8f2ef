"""The nodes of a process are closed beside each other, the engine node last, and then destroyed."""

import signal
import subprocess
import sys
from concurrent.futures import TimeoutError as NotInTime
from pathlib import Path
from typing import Any

import pytest
import yaml

from wmx_ros2_package.node_base.kind import NodeKind
from wmx_ros2_package.node_base.runner import (
    CLOSE_TIMEOUT,
    EXIT_TIMEOUT,
    NodeGroup,
    stop_signals,
)
from wmx_ros2_package.node_base.traits import EngineRole


class Node:
    """A node of a group, which notes what it is asked for."""

    def __init__(self, name: str, role: EngineRole, noted: list[str], problem: Any) -> None:
        self._name = name
        self.kind: Any = NodeKind(lambda _: None, role=role)
        self._noted, self._problem = noted, problem

    def get_name(self) -> str:
        return self._name

    def begin_to_close(self) -> None:
        self._noted.append(f"{self._name} begins")

    def close(self, timeout: float) -> None:
        assert 0.0 <= timeout <= CLOSE_TIMEOUT
        if self._problem is not None:
            raise self._problem
        self._noted.append(f"{self._name} is closed")

    def destroy_node(self) -> None:
        self._noted.append(f"{self._name} leaves")
        if self._problem is not None:
            raise self._problem


@pytest.mark.parametrize(
    ("problem", "printed"),
    [
        (None, ""),
        (ValueError("a bug"), "ValueError: a bug"),
        (NotInTime(), "second is not closed in time"),
    ],
)
def test_a_node_that_cannot_be_closed_or_destroyed_keeps_no_other_one_from_it(
    capfd: pytest.CaptureFixture[str], problem: Exception | None, printed: str
) -> None:
    noted: list[str] = []
    group = NodeGroup()
    for name, role in (("first", EngineRole.FOLLOWER), ("engine", EngineRole.OWNER)):
        group.nodes.append(Node(name, role, noted, None))  # type: ignore[arg-type]
    group.nodes.append(Node("second", EngineRole.NONE, noted, problem))  # type: ignore[arg-type]
    assert group.close() is (problem is None)
    assert printed in capfd.readouterr().err
    group.leave()
    assert bool(capfd.readouterr().err) is (problem is not None)
    noted = [note for note in noted if note != "second is closed"]
    assert noted[:3] == ["second begins", "first begins", "first is closed"]
    assert noted[3:5] == ["engine begins", "engine is closed"]
    assert noted[5:] == ["second leaves", "engine leaves", "first leaves"]


ENDED = """
import signal, sys
from wmx_ros2_package.node_base.runner import run

class Kinds(dict):
    def items(self):
        "Is called while nodes are made."
        signal.raise_signal(signal.SIGHUP)
        return super().items()

sys.exit(run(Kinds()))
"""


def test_a_container_is_not_killed_before_its_nodes_have_ended() -> None:
    """They are one process, whose engine node is closed after all others."""
    file = Path(__file__).resolve().parents[3] / "docker/compose.yaml"
    services = yaml.safe_load(file.read_text())["services"]
    longest = 2.0 * CLOSE_TIMEOUT + 2.0 * EXIT_TIMEOUT
    for name in "sim", "panel":
        assert float(services[name]["stop_grace_period"].removesuffix("s")) > longest


def test_nodes_are_closed_when_their_terminal_is() -> None:
    """They would be killed, and leave axes moving."""
    assert subprocess.run([sys.executable, "-c", ENDED], timeout=60).returncode == 0


@pytest.mark.usefixtures("own_signals")
def test_a_terminal_that_is_closed_ends_nothing_under_nohup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    assert stop_signals() == {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert stop_signals() == {signal.SIGINT, signal.SIGTERM}
