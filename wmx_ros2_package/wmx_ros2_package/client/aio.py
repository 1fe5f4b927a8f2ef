"""The face of the library in asyncio: one function, which awaits any request of it.

A request waits in its thread until the machine has answered. `aio` has it wait in another thread
than that of the event loop, so there is one library, whose types hold for both faces.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from rclpy.action.client import ClientGoalHandle

from .motion import Motion
from .waiting import THREADS

P = ParamSpec("P")
T = TypeVar("T")


async def aio(request: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Carry a request out, while the event loop goes on.

    `await aio(axis.set_mode, "torque")` returns and raises what `axis.set_mode("torque")` does.
    When the task is canceled, a request that was sent already may be carried out; a motion that it
    has begun, or a goal that was accepted, is canceled.
    """
    answer = THREADS.submit(request, *args, **kwargs)
    try:
        return await asyncio.wrap_future(answer)
    except asyncio.CancelledError:
        THREADS.submit(_cancel_motion, answer)  # which waits: nothing may in the event loop
        raise


def _cancel_motion(answer: Future[Any]) -> None:
    """Cancel the motion of a request that nothing waits for any more, if it has begun one."""
    begun = answer.result()
    if isinstance(begun, Motion):
        begun.cancel()
    elif isinstance(begun, ClientGoalHandle) and begun.accepted:
        begun.cancel_goal_async()
