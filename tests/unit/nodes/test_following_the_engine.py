"""What the lifecycle manager makes of the engine's readiness while it is at work for a client."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from patience import PATIENCE
from std_msgs.msg import Bool
from wmx_ros2_message.srv import SetNodeState

from wmx_ros2_package.features.lifecycle_client import ACTIVE, INACTIVE, NAMES
from wmx_ros2_package.nodes import lifecycle_manager
from wmx_ros2_package.nodes.lifecycle_manager import LifecycleManager, LifecycleManagerParameters

NODES = "engine", "io"


class Life:
    """That of a managed node, all of whose transitions succeed once they `may_go_on`."""

    def __init__(self, node: "Node", name: str) -> None:
        self.name = name
        self.seen = ACTIVE
        self._node = node

    def settled_state(self, *_: float) -> int:
        return self.seen

    def step(self, _state: int, goal: int, _timeout: float) -> None:
        self._node.at_work.set()
        assert self._node.may_go_on.wait(PATIENCE)
        self.seen = goal
        self._node.steps.append(f"{self.name} {NAMES[goal]}")


class Node:
    """What the manager needs of its own node."""

    parameters = LifecycleManagerParameters(managed_nodes=NODES, engine_node="engine")

    def __init__(self) -> None:
        self.lives: dict[str, Life] = {}
        self.steps: list[str] = []
        self.at_work, self.may_go_on = threading.Event(), threading.Event()
        self.may_go_on.set()
        self.log = SimpleNamespace(error=pytest.fail)
        self.hear_ready: Callable[[Bool], None]
        self._serially = ThreadPoolExecutor(1)
        self._asides = ThreadPoolExecutor(1)
        self.serve = self.every = lambda *_, **__: None
        self.manager = LifecycleManager(self)  # type: ignore[arg-type]

    def hear(self, _kind: Any, _topic: str, callback: Callable[[Bool], None], _qos: Any) -> None:
        self.hear_ready = callback

    def run_serially(self, work: Callable[[], None]) -> None:
        self._serially.submit(work)

    async def run_in_thread(self, work: Callable[[], Any]) -> Any:
        return work()

    def settle(self) -> None:
        """Wait until the manager has done what it had to."""
        self._serially.submit(lambda: None).result(PATIENCE)

    def begin(self, transition: str) -> "Any":
        """A client asks for `transition`; its answer to come."""
        answer = SetNodeState.Response()
        asked = self.manager.set_node_state(SetNodeState.Request(transition=transition), answer)
        return self._asides.submit(lambda: (asyncio.run(asked), answer.success)[1])

    def close(self) -> None:
        self._serially.shutdown()
        self._asides.shutdown()


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    def life(node: Node, name: str) -> Life:
        return node.lives.setdefault(name, Life(node, name))

    monkeypatch.setattr(lifecycle_manager, "LifecycleClient", life)
    node = Node()
    yield node
    node.close()


def test_nodes_follow_the_engine(node: Node) -> None:
    node.hear_ready(Bool(data=False))
    node.settle()
    assert node.lives["engine"].seen == ACTIVE, "the engine node itself is left alone"
    assert node.lives["io"].seen == INACTIVE
    node.hear_ready(Bool(data=True))
    node.settle()
    assert node.steps == ["io inactive", "io active"]


def test_what_was_said_before_a_bringup_is_over_takes_nothing_down(node: Node) -> None:
    node.lives["io"].seen = INACTIVE
    node.may_go_on.clear()
    answer = node.begin("bringup")
    assert node.at_work.wait(PATIENCE)
    node.lives["io"].seen = ACTIVE  # as it has said since
    node.hear_ready(Bool(data=False))  # of the start before
    node.hear_ready(Bool(data=True))
    node.may_go_on.set()
    assert answer.result(PATIENCE)
    node.settle()
    assert node.steps == ["io active"]
