"""A second node of a kind of which a system has one."""

from types import SimpleNamespace
from typing import Any

from wmx_ros2_package.node_base.namesakes import warn_of_namesakes


class Node:
    """A node whose graph is in the hand of the test."""

    def __init__(self) -> None:
        self.publishing = ["/engine"]
        self.warnings: list[str] = []
        self.graph = SimpleNamespace(publishers=lambda _: self.publishing)
        self.log = SimpleNamespace(warning=self.warnings.append)

    def create_timer(self, period: float, check: Any) -> None:
        assert period == 5.0
        self.check = check


def warned_of(*others: int) -> list[int]:
    """How often was warned after each check, which found so many others."""
    node = Node()
    warn_of_namesakes(node, "engine node", "wmx/engine/ready", 5.0)  # type: ignore[arg-type]
    warned = []
    for count in others:
        node.publishing = ["/engine", *["/other/engine"] * count]
        node.check()
        warned.append(len(node.warnings))
    assert all(text.startswith("Another engine node runs") for text in node.warnings)
    return warned


def test_each_namesake_that_comes_is_warned_of_once() -> None:
    assert warned_of(0, 1, 1, 2, 0, 1) == [0, 1, 1, 2, 2, 3]


def test_one_that_was_there_before_is_warned_of() -> None:
    assert warned_of(1, 1) == [1, 1]
