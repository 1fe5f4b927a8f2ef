"""The lifecycle manager: takes nodes up and down in order, follows the engine, and says so."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import system as systems
from lifecycle import ACTIVATE, DEACTIVATE, Managed
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from ros import WAIT_TIMEOUT, Client, eventually
from system import NODES, Process, System
from wmx_ros2_message.srv import GetNodeStates, SetNodeState

pytestmark = pytest.mark.process

ANSWER = 2.0
"""How long a node may take to answer the manager: longer than a busy machine does, s."""
NOT_READY = "IO not initialized. Engine not ready."


class Manager:
    """The manager, asked by its services."""

    def __init__(self, client: Client, namespace: str = "") -> None:
        services = f"{namespace}wmx/lifecycle"
        self._set = client.node.create_client(SetNodeState, f"{services}/set_node_state")
        self._get = client.node.create_client(GetNodeStates, f"{services}/get_node_states")
        eventually(lambda: self._states(2.0 * ANSWER), "the manager answers")
        eventually(self._refuses_nonsense, "it answers by its other service, too")

    def set(self, transition: str, node_name: str = "", timeout: float = WAIT_TIMEOUT) -> Any:
        request = SetNodeState.Request(node_name=node_name, transition=transition)
        return _call(self._set, request, timeout)

    def states(self) -> dict[str, str]:
        return dict(self._states(WAIT_TIMEOUT))

    def become(self, state: str) -> None:
        """Wait until all nodes are in this state."""
        eventually(lambda: set(self.states().values()) == {state}, f"all are {state}")

    def _refuses_nonsense(self) -> bool:
        """A first answer may be lost, see `Client.meet`."""
        try:
            return not self.set("nonsense", timeout=1.0).success
        except TimeoutError:
            return False

    def _states(self, timeout: float) -> list[tuple[str, str]]:
        try:
            response = _call(self._get, GetNodeStates.Request(), timeout)
        except TimeoutError:
            return []
        return list(zip(response.node_names, response.states, strict=True))


class HalfDead:
    """A node that says it is being configured, until it says nothing any more."""

    def __init__(self, client: Client, name: str) -> None:
        self.asked = 0
        self._alive = threading.Event()
        self._alive.set()
        client.node.create_service(GetState, f"{name}/get_state", self._get_state)

    @contextmanager
    def silent(self) -> Iterator[None]:
        self._alive.clear()
        yield
        self._alive.set()

    def _get_state(self, _: GetState.Request, response: GetState.Response) -> Any:
        self.asked += 1
        self._alive.wait()
        response.current_state.id = State.TRANSITION_STATE_CONFIGURING
        return response


def _call(client: Any, request: Any, timeout: float) -> Any:
    assert client.wait_for_service(WAIT_TIMEOUT)
    answer: Future[Any] = Future()
    client.call_async(request).add_done_callback(lambda f: answer.set_result(f.result()))
    return answer.result(timeout)


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """A system that does not start by itself, and the manager that starts it."""
    with systems.place() as place:
        place.start("bringup", "autostart:=false")
        place.start("wmx_lifecycle_manager_node", f"answer_timeout:={ANSWER}")
        client = Client(place.domain)
        try:
            yield System(place, client, place.processes[0])
            for process in place.processes:
                process.stop()
            eventually(place.is_empty, "nothing of the engine is left")
        finally:
            client.close()


@pytest.fixture(scope="module")
def manager(system: System) -> Manager:
    """When it has brought the nodes up by itself."""
    manager = Manager(system.client)
    manager.become("active")
    return manager


@pytest.fixture(autouse=True)
def all_active(manager: Manager, system: System) -> None:
    """Every test begins with a system that runs."""
    eventually(lambda: manager.set("bringup").success, "all are brought up")
    manager.become("active")


def test_the_manager_brings_the_nodes_up_in_order(system: System, manager: Manager) -> None:
    assert list(manager.states()) == list(NODES)
    engine, motion = (Managed(system.client, name) for name in NODES[:2])
    assert engine.state() == motion.state() == "active"
    system.ready()


def test_taking_down_and_up(system: System, manager: Manager) -> None:
    down = manager.set("bringdown")
    assert down.success
    assert down.message == "".join(f"{name} is unconfigured; " for name in reversed(NODES))
    assert set(manager.states().values()) == {"unconfigured"}
    for transition, state in (
        ("configure", "inactive"),
        ("activate", "active"),
        ("deactivate", "inactive"),
        ("cleanup", "unconfigured"),
        ("bringup", "active"),
        ("bringup", "active"),
    ):
        done = manager.set(transition)
        assert done.success, done.message
        assert set(manager.states().values()) == {state}


def test_another_system_that_begins_and_ends_takes_nothing_down(
    system: System, manager: Manager
) -> None:
    """It is in the same domain and namespace, on another engine."""
    place, ready = system.place, system.client.ready["wmx/engine/ready"]
    detached = "detached from the engine"
    before = system.main.output.count(detached)
    other = place.start(
        "wmx_engine_node",
        f"device_path:={place.machine('other.yaml')}",
        ros=["-r", "__node:=other_engine_node"],
    )
    other.says("Communication started")
    # Each publishes once a second. DDS may show a publisher before its messages arrive.
    start = time.monotonic()
    eventually(
        lambda: len(ready.since(start)) > time.monotonic() - start + 2.0, "the client reads both"
    )
    start = time.monotonic()
    other.stop()
    place.processes.remove(other)
    ready.first(start, lambda message: not message.data)
    for _ in range(3):
        assert ready.next().data
    assert set(manager.states().values()) == {"active"}
    assert system.main.output.count(detached) == before


def test_one_node_alone(system: System, manager: Manager) -> None:
    done = manager.set("deactivate", "wmx_io_node")
    assert (done.success, done.message) == (True, "wmx_io_node is inactive; ")
    assert manager.states()["wmx_io_node"] == "inactive"
    assert manager.states()["wmx_core_motion_node"] == "active"
    # It stays so, though the engine comes and goes.
    system.client.meet(["wmx/engine/set_comm", "wmx/io/get_input_bit"])
    system.client.must("wmx/engine/set_comm", data=False)
    eventually(lambda: manager.states()["wmx_core_motion_node"] == "inactive", "the others rest")
    assert manager.states()["wmx_engine_node"] == "active"
    system.client.must("wmx/engine/set_comm", data=True)
    eventually(lambda: manager.states()["wmx_core_motion_node"] == "active", "they are back")
    assert manager.states()["wmx_io_node"] == "inactive"
    assert system.client.refused("wmx/io/get_input_bit") == NOT_READY
    assert manager.set("activate", "wmx_io_node").success


def test_a_node_that_a_client_takes_down_by_its_own_service_stays_down(
    system: System, manager: Manager
) -> None:
    """The manager takes nodes down and up by the same service, and publishes nothing of it."""
    client, io = system.client, Managed(system.client, "wmx_io_node")
    client.meet(["wmx/engine/set_comm"])

    def engine_goes_and_comes() -> None:
        client.must("wmx/engine/set_comm", data=False)
        eventually(lambda: manager.states()[NODES[1]] == "inactive", "the nodes rest")
        client.must("wmx/engine/set_comm", data=True)
        eventually(lambda: manager.states()[NODES[-1]] == "active", "the last one is back")

    engine_goes_and_comes()
    assert io.state() == "active", "it was the manager that took it down"
    assert io.change(DEACTIVATE)
    engine_goes_and_comes()
    assert manager.states() == dict.fromkeys(NODES, "active") | {io.name: "inactive"}
    assert io.change(ACTIVATE)
    client.must("wmx/engine/set_comm", data=False)
    eventually(lambda: io.state() == "inactive", "it follows the engine again")
    client.must("wmx/engine/set_comm", data=True)
    manager.become("active")


@pytest.mark.parametrize(
    ("transition", "node", "message"),
    [
        (
            "dance",
            "",
            "transition is 'dance': must be one of configure, activate, deactivate, cleanup, "
            "shutdown, bringup, bringdown",
        ),
        (
            "activate",
            "somebody",
            "node_name is 'somebody': must be one of "
            + ", ".join(NODES)
            + ", or empty for all of them",
        ),
        (
            "cleanup",
            "wmx_io_node",
            "Failed to make wmx_io_node unconfigured. Error=1546 (NotIdleState): it is active; ",
        ),
    ],
)
def test_what_cannot_be_done(manager: Manager, transition: str, node: str, message: str) -> None:
    refused = manager.set(transition, node)
    assert (refused.success, refused.message) == (False, message)
    assert manager.states()["wmx_io_node"] == "active"


def test_a_node_that_fails_to_configure_ends_the_bringup(system: System, manager: Manager) -> None:
    assert manager.set("bringdown").success
    io = Managed(system.client, "wmx_io_node")
    assert io.set(driver="nonsense") == ""
    refused = manager.set("bringup")
    assert not refused.success
    assert refused.message == (
        "wmx_engine_node is active; wmx_core_motion_node is active; "
        "Failed to make wmx_io_node active. Error=256 (StartProcessFailed): "
        "its own log says why; "
    )
    assert manager.states()["wmx_ethercat_node"] == "unconfigured"
    assert io.set(driver="") == ""


@pytest.mark.filterwarnings("ignore:failed to send response")  # to one that has given up
def test_a_node_that_dies_in_a_transition_keeps_nobody_waiting_for_its_end(system: System) -> None:
    other = Client(system.place.domain)
    node = HalfDead(other, "/other/half_dead")
    process = system.place.start(
        "wmx_lifecycle_manager_node",
        "managed_nodes:=[half_dead]",
        f"answer_timeout:={ANSWER}",
        "transition_timeout:=600.0",
        ros=("-r", "__ns:=/other"),
    )
    manager = Manager(system.client, "/other/")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(manager.set, "bringup")
        asked = node.asked
        eventually(lambda: node.asked > asked + 5, "the manager waits for the transition")
        with node.silent():
            refused = answer.result()
    assert "Error=65616 (WaitTimeout): no answer within 2 s" in refused.message
    process.stop()
    other.close()


def test_a_node_that_goes_before_it_answers_keeps_nobody_waiting(system: System) -> None:
    asked: list[object] = []

    async def never(request: GetState.Request, response: GetState.Response) -> GetState.Response:
        asked.append(request)
        await RosFuture()
        return response

    context = Context()
    context.init(domain_id=system.place.domain)
    node = Node("half_gone", namespace="/other", context=context)
    together = ReentrantCallbackGroup()
    node.create_service(GetState, "half_gone/get_state", never, callback_group=together)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    process = system.place.start(
        "wmx_lifecycle_manager_node",
        "managed_nodes:=[half_gone]",
        "answer_timeout:=600.0",
        ros=("-r", "__ns:=/other"),
    )
    manager: Any = system.client.node.create_client(
        SetNodeState, "/other/wmx/lifecycle/set_node_state"
    )
    with ThreadPoolExecutor(1) as pool:
        bringup = SetNodeState.Request(transition="bringup")
        answer = pool.submit(_call, manager, bringup, 2.0 * WAIT_TIMEOUT)
        while len(asked) < 2:  # once in passing, once to bring it up
            executor.spin_once(0.1)
        systems.pause(0.5)  # until the answer of the manager finds its way
        executor.shutdown()
        node.destroy_node()
        context.shutdown()
        assert "it has gone, and its answer with it" in answer.result().message
    process.stop()


def test_a_node_that_died_and_came_back_is_brought_up(system: System, manager: Manager) -> None:
    bringup, _ = system.place.processes[:2]
    bringup.kill()
    start = time.monotonic()
    assert set(manager.states().values()) == {"unknown"}
    assert time.monotonic() - start < ANSWER * 4, "all four are asked at the same time"
    refused = manager.set("deactivate", "wmx_io_node")
    assert "Error=65616 (WaitTimeout)" in refused.message
    assert manager.set("bringup", "wmx_io_node").success is False
    system.place.processes.remove(bringup)
    process: Process = system.place.start("bringup", "autostart:=false")
    manager.become("active")
    assert process.running()


def test_two_managers_with_the_same_names_warn(system: System) -> None:
    managers = [
        system.place.start(
            "wmx_lifecycle_manager_node",
            "managed_nodes:=[nobody]",
            ros=("-r", "__ns:=/third"),
        )
        for _ in range(2)
    ]
    for manager in managers:
        manager.says("Another lifecycle manager runs in this ROS domain and namespace")
    for manager in managers:
        manager.stop()


def test_nodes_that_start_by_themselves_are_left_active(manager: Manager, system: System) -> None:
    assert Managed(system.client, "wmx_io_node").change(DEACTIVATE)
    assert manager.set("bringup").success
    assert set(manager.states().values()) == {"active"}
