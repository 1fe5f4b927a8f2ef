"""The lifecycle manager and programs that come, die and hang beside it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import system as systems
from lifecycle_manager import ANSWER, Manager, call
from lifecycle_msgs.srv import GetState
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from ros import WAIT_TIMEOUT, Client, eventually
from system import Process, System
from wmx_ros2_message.srv import SetNodeState

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("all_active")]


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """A system that does not start by itself, and the manager that starts it."""
    with systems.place() as place:
        place.start("bringup", "autostart:=false")
        place.start("wmx_lifecycle_manager_node", f"answer_timeout:={ANSWER}")
        client = Client(place.domain)
        try:
            yield System(place, client, place.processes[0])
        finally:
            client.close()  # first, as in `system`
        for process in place.processes:
            process.stop()
        eventually(place.is_empty, "nothing of the engine is left")


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
    start = system.client.clock.now()
    system.client.eventually(
        lambda: len(ready.since(start)) > system.client.clock.now() - start + 2.0,
        "the client reads both",
    )
    start = system.client.clock.now()
    other.stop()
    place.processes.remove(other)
    ready.first(start, lambda message: not message.data)
    for _ in range(3):
        assert ready.next().data
    assert set(manager.states().values()) == {"active"}
    assert system.main.output.count(detached) == before


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
    assert manager.wait_for_service(WAIT_TIMEOUT)

    def refuses_nonsense() -> bool:
        """Its first answer may be lost, see `Client.meet`."""
        nonsense = SetNodeState.Request(transition="nonsense")
        return system.client.answer(manager.call_async(nonsense)).comes()

    system.client.eventually(refuses_nonsense, "the manager answers")
    with ThreadPoolExecutor(1) as pool:
        bringup = SetNodeState.Request(transition="bringup")
        answer = pool.submit(call, system.client, manager, bringup, 2.0 * WAIT_TIMEOUT)
        while len(asked) < 2 and not answer.done():  # once in passing, once to bring it up
            executor.spin_once(0.1)
        executor.shutdown()
        node.destroy_node()
        context.shutdown()
        assert "it has gone, and its answer with it" in answer.result().message
    process.stop()


def test_a_node_that_died_and_came_back_is_brought_up(system: System, manager: Manager) -> None:
    bringup, _ = system.place.processes[:2]
    bringup.kill()
    start = system.client.clock.now()
    assert set(manager.states().values()) == {"unknown"}
    assert system.client.clock.now() - start < ANSWER * 4, "all four are asked at the same time"
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
