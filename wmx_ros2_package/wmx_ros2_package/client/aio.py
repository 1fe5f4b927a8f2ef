"""The face of the library in asyncio: one function, which awaits any request of it.

A request waits in its thread until the machine has answered. `aio` has it wait in another thread
than that of the event loop, so there is one library, whose types hold for both faces.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from .errors import MachineError
from .motion import Motion
from .waiting import THREADS

P = ParamSpec("P")
T = TypeVar("T")


async def aio(request: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Carry a request out, while the event loop goes on.

    `await aio(axis.set_mode, "torque")` returns and raises what `axis.set_mode("torque")` does.
    When the task is canceled, a request that was sent already may be carried out; a motion that it
    has begun is canceled.
    """
    answer = THREADS.submit(request, *args, **kwargs)
    try:
        return await asyncio.wrap_future(answer)
    except asyncio.CancelledError:
        if not answer.cancelled():
            answer.add_done_callback(_cancel_motion)
        raise


def _cancel_motion(answer: Future[Any]) -> None:
    """Cancel the motion of a request that nothing waits for any more, if it has begun one."""
    with suppress(MachineError):
        if isinstance(motion := answer.result(), Motion):
            motion.cancel()
