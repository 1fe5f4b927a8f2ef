"""Executors that may spin the nodes, whose services have coroutines as callbacks."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as LateError
from contextlib import contextmanager
from importlib.metadata import version

import pytest
import rclpy
from domain import Domain
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from ros import Client
from std_srvs.srv import Trigger

from wmx_ros2_package.node.executors import awaits_coroutines, make_executor
from wmx_ros2_package.node.waiting import until

AT_ONCE, LATER = "wmx/engine/get_status", "wmx/engine/scan_network"
"""Services that the client knows."""


class Server(Node):
    """Answers one service at once, and the other when it is told to, by a coroutine."""

    def __init__(self, context: Context) -> None:
        super().__init__("server", context=context, start_parameter_services=False)
        self.go_on = threading.Event()
        group = ReentrantCallbackGroup()
        self.create_service(Trigger, AT_ONCE, self._at_once, callback_group=group)
        self.create_service(Trigger, LATER, self._later, callback_group=group)

    async def _at_once(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.message = "at once"
        return response

    async def _later(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = await until(self, self.go_on.is_set)
        return response


@contextmanager
def served(make: Callable[[Context], Executor]) -> Iterator[tuple[Server, Client]]:
    """A node spun by an executor as the nodes are, and a client that it answers."""
    domain, context = Domain(), Context()
    rclpy.init(
        context=context, domain_id=domain.number, signal_handler_options=SignalHandlerOptions.NO
    )
    server, executor, finished = Server(context), make(context), Future()
    executor.add_node(server)

    def spin() -> None:
        while not finished.done():
            try:
                executor.spin_until_future_complete(finished, timeout_sec=1.0)
            except TypeError:  # the answer of one that does not await: the coroutine itself
                continue

    spinner = threading.Thread(target=spin)
    spinner.start()
    client = Client(domain.number)
    try:
        yield server, client
    finally:
        client.close()
        server.go_on.set()
        executor.create_task(finished.set_result, None)
        spinner.join()
        executor.shutdown()
        server.destroy_node()
        rclpy.shutdown(context=context)
        domain.release()


def single_threaded(context: Context) -> Executor:
    return SingleThreadedExecutor(context=context)


@pytest.mark.parametrize("make", [make_executor, single_threaded])
def test_while_some_answers_are_awaited_others_come(make: Callable[[Context], Executor]):
    with served(make) as (server, client):
        client.meet([AT_ONCE])
        pending = [client.ask(LATER) for _ in range(3)]
        for _ in range(5):
            assert client.call(AT_ONCE).message == "at once"
        assert not any(answer.done() for answer in pending)
        server.go_on.set()
        assert all(answer.result(15.0).success for answer in pending)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_the_events_executor_awaits_where_it_is_said_to():
    experimental = pytest.importorskip("rclpy.experimental", reason="no EventsExecutor")
    if not hasattr(experimental, "EventsExecutor"):
        pytest.skip("no EventsExecutor")

    def make(context: Context) -> Executor:
        return experimental.EventsExecutor(context=context)

    with served(make) as (_, client):
        if awaits_coroutines(version("rclpy")):
            client.meet([AT_ONCE])
        else:
            with pytest.raises(LateError):
                client.call(AT_ONCE, timeout=3.0)
