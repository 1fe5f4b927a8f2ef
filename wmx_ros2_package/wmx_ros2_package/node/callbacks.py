"""Callbacks that always answer: what goes wrong in a service or on a topic is worded and logged."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..drivers.errors import CommandRefused
from .motion_events import ToldRefusal

if TYPE_CHECKING:
    from .context import NodeContext

COMPLAINT_PERIOD = 1.0
"""Errors of one topic are logged at most this often, s: it may be wrong at 1000 Hz."""

TOLD = CommandRefused, ToldRefusal
"""What is told as the end of a motion where it is raised."""

Answer = Callable[[Any, Any], "Awaitable[None] | None"]


def service(
    node: NodeContext[Any],
    name: str,
    answer: Answer,
    failed: Callable[[Any], str],
    require_ready: Callable[[], None],
    *,
    quiet: bool,
    flag: str = "success",
) -> Callable[[Any, Any], Any]:
    """The callback of the service `name`, a coroutine function if `answer` is one.

    The field `flag` of its response says whether a request was carried out.
    """

    def call(request: Any, response: Any) -> Any:
        try:
            require_ready()
            answer(request, response)
        except Exception as error:
            return refuse(request, response, error)
        return report(response)

    async def call_and_wait(request: Any, response: Any) -> Any:
        with node.threads.answering():
            try:
                require_ready()
                waiting: Any = answer(request, response)
                await waiting
            except Exception as error:
                return refuse(request, response, error)
            return report(response)

    def refuse(request: Any, response: Any, error: Exception) -> Any:
        refusal = node.refused(error, failed(request))
        setattr(response, flag, False)
        response.message = refusal.message
        if refusal.bug:
            node.say_error(refusal.bug)
        return response if refusal.expected else report(response)

    def report(response: Any) -> Any:
        if not getattr(response, flag):
            node.say_error(f"{name}: {response.message}")
        elif not quiet:
            node.say(response.message)
        return response

    return call_and_wait if inspect.iscoroutinefunction(answer) else call


def answered_in_thread(node: NodeContext[Any], answer: Answer) -> Answer:
    """Like `answer`, but in a thread."""

    async def in_thread(request: Any, response: Any) -> None:
        await node.run_in_thread(lambda: answer(request, response))

    return in_thread


def commands(
    node: NodeContext[Any], topic: str, act: Callable[[Any], None]
) -> Callable[[Any], None]:
    """The callback of a topic whose messages command motion."""
    complaints = Complaints(node, topic)

    def commanding(message: Any) -> None:
        with node.commanding():
            act(message)

    return lambda message: complaints.attempt(lambda: commanding(message))


class Complaints:
    """Words what is wrong with the messages of `topic`, in which nobody can be answered."""

    def __init__(self, node: NodeContext[Any], topic: str) -> None:
        self._node = node
        self._topic = topic
        self._quiet_until = 0.0
        self._unsaid = 0

    def attempt(self, work: Callable[[], None]) -> None:
        """Do what a message asks for."""
        node = self._node
        try:
            work()
            return
        except Exception as error:
            refusal = node.refused(error)
            if node.motions is not None and not isinstance(error, TOLD):
                node.motions.refuse(refusal.message)
        if time.monotonic() < self._quiet_until:
            self._unsaid += 1
            return
        more = f", like {self._unsaid} before it" if self._unsaid else ""
        self._quiet_until, self._unsaid = time.monotonic() + COMPLAINT_PERIOD, 0
        node.say_error(f"{self._topic}: {refusal.bug or refusal.message} (message ignored{more})")
