"""Work that callbacks queue is done in order beside the executor, and so they go on."""

import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any

import pytest
import rclpy
from domain import Domain
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from wmx_ros2_package.node.executors import make_executor
from wmx_ros2_package.node.threads import Ended, Threads
from wmx_ros2_package.validation import BadRequest


@pytest.fixture(params=[make_executor, lambda context: SingleThreadedExecutor(context=context)])
def spun(request: pytest.FixtureRequest) -> Iterator[tuple[Node, Executor]]:
    """A node that is spun by a thread, and its executor."""
    domain, context = Domain(), Context()
    rclpy.init(
        context=context, domain_id=domain.number, signal_handler_options=SignalHandlerOptions.NO
    )
    node = Node("order", context=context, start_parameter_services=False, enable_rosout=False)
    executor, finished = request.param(context), Future()
    executor.add_node(node)

    def spin() -> None:
        while not finished.done():
            executor.spin_until_future_complete(finished, timeout_sec=0.2)

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield node, executor
    finally:
        finished.set_result(None)
        thread.join()
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)
        domain.release()


def during(node: Node, callback: Callable[[], Any]) -> None:
    """Let the executor call `callback` once."""
    called = threading.Event()

    def call() -> None:
        timer.cancel()
        callback()
        called.set()

    timer = node.create_timer(0.001, call, callback_group=ReentrantCallbackGroup())
    assert called.wait(10.0)


def begin(node: Node, executor: Executor, work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Let the executor begin each in a turn of its own: Jazzy's has no order within one."""
    for each in work:
        during(node, lambda each=each: executor.create_task(each))  # type: ignore[misc]


def test_who_came_first_goes_on_first_and_nobody_else_waits(
    spun: tuple[Node, Executor],
) -> None:
    node, executor = spun
    threads = Threads(node)
    done: list[str] = []
    ticks = threading.Semaphore(0)
    node.create_timer(0.005, lambda: ticks.release(), callback_group=ReentrantCallbackGroup())
    finished = threading.Event()

    def work(name: str) -> str:
        if name == "goal 0":
            while ticks.acquire(blocking=False):
                pass
            assert all(ticks.acquire(timeout=5.0) for _ in range(6)), "the executor goes on"
        return name

    async def ask(name: str) -> None:
        done.append(await threads.run_in_order(lambda: work(name)))
        if len(done) == 4:
            finished.set()

    begin(node, executor, [ask(f"goal {i}") for i in range(4)])
    assert finished.wait(30.0), "one after the other, while the executor goes on"
    assert done == ["goal 0", "goal 1", "goal 2", "goal 3"]
    threads.end()


def test_what_fails_says_so_and_lets_the_next_go_on(spun: tuple[Node, Executor]) -> None:
    node, executor = spun
    threads = Threads(node)
    said: list[str] = []
    finished = threading.Event()

    def fail() -> None:
        raise BadRequest(["it is wrong"])

    async def ask(work: Callable[[], Any]) -> None:
        try:
            said.append(await threads.run_in_order(work))
        except (BadRequest, Ended) as error:
            said.append(f"{type(error).__name__} {error}".strip())
        if len(said) == 2:
            finished.set()

    begin(node, executor, [ask(work) for work in (fail, lambda: "right")])
    assert finished.wait(10.0)
    assert said == ["BadRequest it is wrong", "right"]
    threads.end()
    said.clear()
    finished.clear()
    begin(node, executor, [ask(lambda: "late") for _ in range(2)])
    assert finished.wait(10.0)
    assert said == ["Ended", "Ended"]
