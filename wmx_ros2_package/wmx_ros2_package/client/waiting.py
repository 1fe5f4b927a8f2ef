"""The threads in which requests of asyncio wait."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Thread
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class DaemonThreads(Executor):
    """A thread of its own for each request, which keeps no program from its end.

    A pool is joined as the interpreter exits, before `atexit` has machines closed: a program that
    was ended by Ctrl-C would wait for the end of its motion, and renew the lease of that.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Carry `fn` out; the future cannot be canceled."""
        answer: Future[T] = Future()
        answer.set_running_or_notify_cancel()

        def carry_out() -> None:
            try:
                answer.set_result(fn(*args, **kwargs))
            except BaseException as error:
                answer.set_exception(error)

        Thread(target=carry_out, name="wmx-aio", daemon=True).start()
        return answer


THREADS = DaemonThreads()
"""No request waits for another one, nor for what the program does in threads of its own: the stop
of a motion comes at once."""
