"""Coroutines in the thread that spins: a callback that has to wait holds up no other callback.

They are driven here, and not by the executor: so they are right on every one of them.
"""

from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from rclpy.node import Node

from . import rclpy_compat
from .clock import NodeClock

LOOK_PERIOD = 0.005
"""How often a condition that is waited for is looked at, s."""

T = TypeVar("T")


class Awaited(Generic[T]):
    """Something to await: the result of `future`, which any thread may set."""

    def __init__(self, future: "Future[T]") -> None:
        self._future = future

    def __await__(self) -> "Generator[Future[T], None, T]":
        if not self._future.done():
            yield self._future
        return self._future.result()


class Waiting:
    """The coroutines of one node, and the conditions that they wait for."""

    def __init__(self, node: Node, clock: NodeClock) -> None:
        self._node = node
        self._clock = clock
        self._conditions: list[tuple[Callable[[], bool], float, Future[bool]]] = []
        self._timer = clock.create_timer(node, LOOK_PERIOD, self._look)
        self._timer.cancel()  # it runs while there is something to poll
        self.running = 0
        """How many coroutines have not come to their end."""

    def destroy(self) -> None:
        """Take the timer from the node; in the thread that spins."""
        self._clock.destroy_timer(self._node, self._timer)

    def run(self, coroutine: "Coroutine[Future[Any], None, None]") -> None:
        """Run `coroutine` up to its end, with pauses where it awaits; in the thread that spins."""
        self.running += 1
        self._step(coroutine)

    def _step(self, coroutine: "Coroutine[Future[Any], None, None]") -> None:
        try:
            awaited = coroutine.send(None)
        except BaseException as end:
            self.running -= 1
            if isinstance(end, StopIteration):
                return
            raise
        awaited.add_done_callback(
            lambda _: rclpy_compat.call_soon(self._node.executor, lambda: self._step(coroutine))
        )

    def until(self, condition: Callable[[], bool], timeout: float) -> Awaited[bool]:
        """Wait until `condition` is true; false when it is not within `timeout` seconds.

        What `condition` raises is raised where it is awaited.
        """
        future: Future[bool] = Future()
        entry = condition, self._clock.now() + timeout, future
        if not self._is_settled(*entry):
            self._conditions.append(entry)
            self._timer.reset()
        return Awaited(future)

    def _look(self) -> None:
        self._conditions = [entry for entry in self._conditions if not self._is_settled(*entry)]
        if not self._conditions:
            self._timer.cancel()

    def _is_settled(
        self, condition: Callable[[], bool], deadline: float, future: "Future[bool]"
    ) -> bool:
        """Whether `future` has its result now."""
        try:
            if condition():
                future.set_result(True)
            elif self._clock.now() >= deadline:
                future.set_result(False)
            else:
                return False
        except Exception as error:
            future.set_exception(error)
        return True
