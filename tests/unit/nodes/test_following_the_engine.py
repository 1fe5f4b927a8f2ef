"""What the lifecycle manager makes of the engine's readiness, and of what clients ask for."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from axis_files import axis_file
from held_engine import HeldEngine
from held_node import HeldNode
from std_msgs.msg import Bool
from waits import WAIT_TIMEOUT
from wmx_ros2_message.srv import SetNodeState

from wmx_core.errors import ErrorCode, WmxError
from wmx_ros2_package.node_base.clock import ROS
from wmx_ros2_package.node_base.common_parameters import CommonParameters
from wmx_ros2_package.nodes.lifecycle_manager import node as module
from wmx_ros2_package.nodes.lifecycle_manager.client import (
    ACTIVE,
    FINALIZED,
    INACTIVE,
    NAMES,
    UNCONFIGURED,
)
from wmx_ros2_package.nodes.lifecycle_manager.node import (
    LifecycleManager,
    LifecycleManagerParameters,
)
from wmx_ros2_package.validation import BadRequest

NODES = "engine", "io", "arm"


class Life:
    """That of a managed node, all of whose transitions succeed once they `may_go_on`."""

    def __init__(self, node: "Node", name: str, on_client: Callable[..., None]) -> None:
        self.name = name
        self.seen: int | None = ACTIVE
        self.fails = False
        self.on_client = on_client
        self.before_step: Callable[[], None] = lambda: None
        self._node = node

    def settled_state(self, *_: float) -> int | None:
        return self.seen

    def step(self, state: int, goal: int, _timeout: float) -> None:
        self._node.at_work.set()
        assert self._node.may_go_on.wait(WAIT_TIMEOUT)
        if self.fails:
            raise WmxError(ErrorCode.StartProcessFailed, "its own log says why")
        self.before_step()
        self.seen = INACTIVE if {state, goal} == {ACTIVE, UNCONFIGURED} else goal
        self._node.steps.append(f"{self.name} {NAMES[self.seen]}")

    def look(self, _timeout: float, changed: Callable[[], None]) -> None:
        changed()

    def taken_down_by_a_client(self) -> None:
        """A client has it deactivated by its own service."""
        self.seen = INACTIVE
        self.on_client(self.name, up=False)


class Node:
    """What the manager needs of its own node."""

    parameters = LifecycleManagerParameters(managed_nodes=NODES, engine_node="engine")
    common = CommonParameters(driver="held", device_path="")
    full_name = "/manager"
    clock = ROS

    def __init__(self) -> None:
        self.lives: dict[str, Life] = {}
        self.steps: list[str] = []
        self.errors: list[str] = []
        self.at_work, self.may_go_on = threading.Event(), threading.Event()
        self.may_go_on.set()
        self.log = SimpleNamespace(error=self.errors.append)
        self.publish: Callable[[Bool], None]
        self._worker = ThreadPoolExecutor(1)
        self._asides = ThreadPoolExecutor(1)
        self.worker = SimpleNamespace(do=lambda work, **_: self._worker.submit(work))
        self.create_service = lambda *_, **__: None
        self.look_around: Callable[[], None]
        self.manager = LifecycleManager(self)  # type: ignore[arg-type]

    def create_timer(self, _period: float, act: Callable[[], None]) -> None:
        self.look_around = act

    def subscribe(self, _kind: Any, _topic: str, act: Callable[[Bool], None], _qos: Any) -> None:
        self.publish = act

    def engine_is(self, *, ready: bool) -> None:
        """The engine node publishes so, and the manager does what it has to."""
        self.publish(Bool(data=ready))
        self.settle()

    def settle(self) -> None:
        self._worker.submit(lambda: None).result(WAIT_TIMEOUT)

    def begin(self, transition: str, name: str = "") -> "Future[SetNodeState.Response]":
        """A client asks for `transition`; its answer to come."""
        request = SetNodeState.Request(transition=transition, node_name=name)

        def ask() -> SetNodeState.Response:
            answer = SetNodeState.Response()
            self.manager.set_node_state(request, answer)
            return answer

        return self._asides.submit(ask)

    def ask(self, transition: str, name: str = "") -> SetNodeState.Response:
        return self.begin(transition, name).result(WAIT_TIMEOUT)

    def taken(self) -> list[str]:
        """The steps since the last call."""
        steps, self.steps = self.steps, []
        return steps

    def close(self) -> None:
        self._worker.shutdown()
        self._asides.shutdown()


@pytest.fixture
def node(private: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    def life(node: Node, name: str, on_client: Callable[..., None]) -> Life:
        return node.lives.setdefault(name, Life(node, name, on_client))

    monkeypatch.setattr(module, "LifecycleClient", life)
    node = Node()
    yield node
    node.close()


def test_nodes_follow_the_engine(node: Node) -> None:
    node.engine_is(ready=False)
    assert node.taken() == ["arm inactive", "io inactive"]
    assert node.lives["engine"].seen == ACTIVE, "the engine node itself is left alone"
    assert node.lives["io"].seen == INACTIVE
    node.engine_is(ready=True)
    assert node.taken() == ["io active", "arm active"]


@pytest.mark.parametrize("ready", [True, False])
def test_what_another_system_publishes_is_no_concern(
    node: Node, held: HeldEngine, nodes: Callable[..., HeldNode], ready: bool
) -> None:
    file = axis_file(nodes(held))
    file.engine_ready = ready
    assert file.lead()
    node.engine_is(ready=not ready)
    assert (node.lives["io"].seen == ACTIVE) is ready
    file.engine_ready = not ready
    node.engine_is(ready=not ready)
    assert (node.lives["io"].seen == ACTIVE) is not ready
    file.close()
    node.engine_is(ready=ready)
    assert (node.lives["io"].seen == ACTIVE) is ready, "no engine node leads this engine"


def test_the_engine_node_is_taken_up_without_an_engine(node: Node) -> None:
    for life in node.lives.values():
        life.seen = UNCONFIGURED
    node.engine_is(ready=False)
    assert node.lives["engine"].seen == ACTIVE
    assert node.lives["io"].seen == UNCONFIGURED


def test_what_was_published_before_a_bringup_is_over_takes_nothing_down(node: Node) -> None:
    node.lives["io"].seen = INACTIVE
    node.may_go_on.clear()
    answer = node.begin("bringup")
    assert node.at_work.wait(WAIT_TIMEOUT)
    node.lives["io"].seen = ACTIVE  # as it has said since
    node.publish(Bool(data=False))  # of the start before
    node.publish(Bool(data=True))
    node.may_go_on.set()
    assert answer.result(WAIT_TIMEOUT).success
    node.settle()
    assert node.taken() == ["io active"]


@pytest.mark.parametrize("door", ["manager", "own service"])
def test_what_a_client_takes_down_stays_down_until_a_client_takes_it_up(
    node: Node, door: str
) -> None:
    io = node.lives["io"]
    node.engine_is(ready=True)
    if door == "manager":
        assert node.ask("deactivate", "io").success
    else:
        io.taken_down_by_a_client()
    node.taken()
    node.engine_is(ready=False)
    node.engine_is(ready=True)
    assert node.taken() == ["arm inactive", "arm active"]
    if door == "manager":
        assert node.ask("activate", "io").success
    else:
        io.seen = ACTIVE
        io.on_client("io", up=True)
    node.engine_is(ready=False)
    node.engine_is(ready=True)
    assert io.seen == ACTIVE
    assert "io inactive" in node.taken()


@pytest.fixture
def restarted(node: Node) -> Node:
    """The process of `engine` was restarted; a client takes `io` down as that is brought up."""
    node.engine_is(ready=True)
    node.lives["engine"].seen = INACTIVE
    node.lives["engine"].before_step = node.lives["io"].taken_down_by_a_client
    return node


def test_what_a_client_takes_down_before_its_turn_is_not_brought_up(restarted: Node) -> None:
    restarted.look_around()
    restarted.settle()
    assert restarted.lives["engine"].seen == ACTIVE
    assert restarted.lives["io"].seen == INACTIVE


def test_what_another_client_takes_down_before_its_turn_no_bringup_brings_up(
    restarted: Node,
) -> None:
    """Only a request that is newer brings it up."""
    answer = restarted.ask("bringup")
    assert (answer.success, restarted.lives["io"].seen) == (False, INACTIVE)
    assert "io is left down" in answer.message
    assert restarted.ask("bringup").success
    assert restarted.lives["io"].seen == ACTIVE


@pytest.mark.parametrize("seen", [None, FINALIZED])
def test_a_node_that_is_not_there_keeps_no_other_from_being_taken_up(
    node: Node, seen: int | None
) -> None:
    node.engine_is(ready=False)
    node.lives["io"].seen = seen
    node.engine_is(ready=True)
    assert node.taken()[-1] == "arm active"
    assert node.errors == []


def test_a_node_that_fails_ends_a_bringup_and_no_bringdown(node: Node) -> None:
    node.lives["io"].fails = True
    down = node.ask("deactivate")
    assert not down.success
    assert node.taken() == ["arm inactive", "engine inactive"]
    assert "Failed to make io inactive. Error=256" in down.message
    assert "engine is inactive" in down.message
    node.lives["io"].seen = INACTIVE
    up = node.ask("activate")
    assert not up.success
    assert node.taken() == ["engine active"]
    assert "arm" not in up.message


@pytest.mark.parametrize(
    ("transition", "name", "rule"),
    [
        ("explode", "", "transition is 'explode': must be one of configure"),
        ("activate", "nobody", "node_name is 'nobody': must be one of engine, io, arm"),
    ],
)
def test_what_there_is_not_is_refused(node: Node, transition: str, name: str, rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        node.ask(transition, name)
