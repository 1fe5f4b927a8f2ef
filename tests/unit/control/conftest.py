"""What tests of the path of a motion share."""

from collections.abc import Callable

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from supervisor_loop import Here, Loop
from tracked import Tracked
from trajectory_server import Server

from wmx_ros2_package.control import supervisor


@pytest.fixture
def server(node: HeldNode) -> Server:
    return Server(node)


@pytest.fixture
def other(held: HeldEngine, nodes: Callable[..., HeldNode], node: HeldNode) -> HeldNode:
    """Another node on the engine of `node`, as in another process: they share the axis file."""
    return nodes(held, "/other")


@pytest.fixture
def tracked(node: HeldNode) -> Tracked:
    return Tracked(node)


@pytest.fixture
def loop(held: HeldEngine, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setattr(supervisor, "Thread", Here)
    return Loop(held)
