"""How messages, as bytes with their time, and requests come out of rclpy; what else it lacks.

- `make_executor`, `spin`: EventsExecutor costs a third of the processor time of the others. Its
  first releases never await a callback that is a coroutine (ros2/rclpy issue 1473), and its `spin`
  without a deadline burns a core (seen in 9.1.2). No callback here is a coroutine, and `spin` has a
  deadline.
- `subscribe`: when a message was published stands in its MessageInfo. EventsExecutor passes message
  and info as one tuple to a callback that asks for both (seen in 9.1.2).
- `serve`: when a request was sent stands in a header that rclpy gives to `send_response` alone. So
  the callback returns the request, and `send_response` begins to answer it.
- `serve_transitions`, `lifecycle_state`: the callback that LifecycleNode has for `change_state`
  keeps the thread that spins until the transition is over.
- `simulated_time`: only the handle of a clock shows whether time is simulated.
- `calls_to_all`: rclpy drops all answers to a request but the first. An executor asks the client
  for the future of each one by `get_pending_request`, which has another future for each of them.
- `call_soon`: until Jazzy an executor that was shut down fails when it is given a task. Later ones
  take it, and never do it.
- `count_servers`: Humble cannot count those that offer a service, only those of topics.
"""

import inspect
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from io import UnsupportedOperation
from threading import Lock
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.task import Future
from rclpy.timer import Timer

_SPIN_PERIOD = 3600.0
"""A finite deadline, s."""

Respond = Callable[[Any], None]
"""Sends a response, unless the client, or this node, has gone."""
Answer = Callable[[Any, Any, int, Respond], None]
"""Gets a request, a response to fill, when the request was sent, and how to respond."""


def make_executor(context: Context | None = None) -> Executor:
    """The EventsExecutor where there is one, else the SingleThreadedExecutor."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    try:
        return EventsExecutor(context=context)
    except UnsupportedOperation:  # it gives sys.stderr to faulthandler, which needs a real file
        with redirect_stderr(sys.__stderr__):
            return EventsExecutor(context=context)


def spin(executor: Executor, finished: "Future[None]") -> None:
    """Serve until `finished`; a callback that fails does not take the other callbacks with it."""
    while not finished.done():
        try:
            executor.spin_until_future_complete(finished, timeout_sec=_SPIN_PERIOD)
        except Exception:
            traceback.print_exc()


def subscribe(
    node: Node, kind: Any, topic: str, qos: Any, act: Callable[[bytes, int], None]
) -> "Subscription[Any]":
    """Call `act` with each message, still serialized, and when it was published.

    That time is of the system clock of the publisher, ns; 0 where rclpy does not have it (Humble).
    """

    def take(*given: Any) -> None:
        message, info = given if len(given) == 2 else given[0]
        act(message, info["source_timestamp"])

    def take_alone(message: Any) -> None:
        act(message, 0)

    # rclpy counts the parameters of a callback to find whether it takes the info.
    take.__signature__ = inspect.signature(lambda message, info: None)  # type: ignore[attr-defined]
    group = ReentrantCallbackGroup()
    with_info = hasattr(Subscription, "CallbackType")
    return node.create_subscription(
        kind, topic, take if with_info else take_alone, qos, callback_group=group, raw=True
    )


def create_timer(node: Node, period: float, act: Callable[[], None]) -> Timer:
    """Call `act` every `period` seconds of the steady clock, in the thread that spins."""
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    group = ReentrantCallbackGroup()
    return node.create_timer(period, act, callback_group=group, clock=clock)


def serve(node: Node, kind: Any, name: str, qos: Any, answer: Answer) -> "Service[Any, Any]":
    """Call `answer` with each request.

    The time is of the system clock of the client, ns. `answer` runs in the thread that spins; any
    thread may respond, once.
    """
    group = ReentrantCallbackGroup()
    service: Any = node.create_service(kind, name, _both, qos_profile=qos, callback_group=group)
    _answer_with(service, answer)
    made: Service[Any, Any] = service
    return made


def serve_transitions(node: LifecycleNode, answer: Answer) -> None:
    """Have requests for transitions answered by `answer`, as `serve` does."""
    service: Any = node._service_change_state
    service.callback = _both
    _answer_with(service, answer)
    service.callback_group = ReentrantCallbackGroup()
    service.callback_group.add_entity(service)


def _both(request: Any, response: Any) -> Any:
    return request, response


def _answer_with(service: Any, answer: Answer) -> None:
    send_response: Any = Service.send_response

    def begin(pair: tuple[Any, Any], header: Any) -> None:
        def respond(response: Any) -> None:
            with suppress(Exception):
                send_response(service, response, header)

        answer(*pair, header.source_timestamp, respond)

    service.send_response = begin


def lifecycle_state(node: LifecycleNode) -> str:
    """The label of the state of the node's life."""
    return str(node._state_machine.current_state[1])


def simulated_time(node: Node) -> int | None:
    """The time that /clock has published last, ns; None while time is that of the system."""
    clock = node.get_clock().handle
    with clock:
        if not clock.get_ros_time_override_is_enabled():
            return None
        return int(clock.get_now().nanoseconds)


def count_servers(node: Node, service: str) -> int:
    """How many nodes offer `service`, as far as they are discovered.

    On Humble: how many managed nodes there are of the name that the service begins with.
    """
    if hasattr(node, "count_services"):
        return int(node.count_services(service))
    owner, _, _ = service.rpartition("/")
    return int(node.count_publishers(f"{owner}/transition_event"))


def calls_to_all(client: Any) -> Callable[[Any, Callable[[Any], None]], None]:
    """Return a function that sends a request by `client`, and passes on each node's response.

    It is made once for a client. The function that it is given runs in the thread that spins.
    """
    first = client.get_pending_request
    takers: dict[Any, Callable[[Any], None]] = {}
    sending = Lock()

    def pending(sequence: int) -> Any:
        with sending:  # an answer may come before it is noted who takes it
            future = first(sequence)
            take = takers.get(future)
        if take is None:
            return future
        each: Future[Any] = Future()
        each.add_done_callback(lambda done: take(done.result()))
        return each

    def call(request: Any, take: Callable[[Any], None]) -> None:
        with sending:
            takers[client.call_async(request)] = take

    client.get_pending_request = pending
    return call


def call_soon(executor: Executor | None, work: Callable[[], None]) -> None:
    """Do `work` in the thread that spins, in a moment; at once where no thread spins yet.

    An executor that was shut down leaves it undone.
    """
    if executor is None:
        work()
    else:
        with suppress(AttributeError):  # what wakes it has gone
            executor.create_task(work)
