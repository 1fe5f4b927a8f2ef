"""The thread of a client in ROS, with the context and the node that it serves."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import Any, TypeVar

import rclpy
from rclpy.context import Context
from rclpy.exceptions import InvalidNamespaceException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future as RosFuture
from rclpy.validate_namespace import validate_namespace

from ..node_base.clock import NodeClock
from ..node_base.domain.discovery import use_profile
from ..node_base.rclpy_compat import make_executor, spin
from .errors import NotAnswered, WrongNamespace

T = TypeVar("T")

CLOSE_TIMEOUT = 3.0
"""How long the thread may take to end, s: the middleware may hang."""


class RosThread:
    """A node of rclpy in `namespace` and `domain`, and the thread that runs its callbacks.

    With `program`, a node of rclpy, the node is in that node's context, and in its namespace unless
    another one is given. It has a thread of its own all the same, so that a callback of `program`
    may wait for an answer.
    """

    def __init__(
        self, namespace: str, domain: int | None, program: Any | None, clock: NodeClock
    ) -> None:
        """WrongNamespace for a namespace that cannot be."""
        self._clock = clock
        self._owns_context = program is None
        namespace = namespace or (program.get_namespace() if program is not None else "")
        namespace = f"/{namespace.strip('/')}"
        try:
            validate_namespace(namespace)
        except InvalidNamespaceException as error:
            rule = str(error).splitlines()[0].removeprefix("Invalid namespace: ").rstrip(":")
            raise WrongNamespace(
                f"namespace {namespace!r} cannot be: {rule}", remedy="such as /cell1, /hall2/cell1"
            ) from None
        if program is None:
            use_profile()
            self._context = Context()
            rclpy.init(
                args=[],
                context=self._context,
                domain_id=domain,
                signal_handler_options=SignalHandlerOptions.NO,
            )
        else:
            self._context = program.context
        self.node = Node(
            f"wmx_client_{os.getpid()}_{clock.time_ns()}",
            context=self._context,
            namespace=namespace,
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._executor = make_executor(self._context)
        self._executor.add_node(self.node)
        self._finished: RosFuture[None] = RosFuture()
        self._closed, self._closing = False, threading.RLock()
        self._thread = threading.Thread(
            target=spin, args=(self._executor, self._finished), name="wmx-client", daemon=True
        )
        self._thread.start()

    @property
    def domain(self) -> int:
        """The ROS domain of the node."""
        return int(self._context.get_domain_id())

    @property
    def namespace(self) -> str:
        """The namespace of the node: "/" or "/cell1"."""
        return str(self.node.get_namespace())

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in this thread, as a callback does."""
        return threading.current_thread() is self._thread

    def close(self) -> None:
        """End the thread, and leave ROS: once, however many threads close it at the same time.

        Each of them returns when that is done.
        """
        with self._closing:
            if not self._closed:
                self._close()
                self._closed = True

    def _close(self) -> None:
        self._executor.create_task(self._finished.set_result, None)
        self._thread.join(CLOSE_TIMEOUT)
        if self._thread.is_alive():
            return  # the middleware hangs; the thread ends with the process
        self._executor.shutdown()
        self._clock.forget(self.node)
        self.node.destroy_node()
        if self._owns_context:
            rclpy.try_shutdown(context=self._context)

    def do(self, work: Callable[[], T], timeout: float) -> T:
        """Do `work` in the thread, in which rclpy makes and destroys entities; its result.

        NotAnswered where the thread does not come to that within `timeout` (s): it is never done.
        """
        if self.is_current:
            return work()
        done: Future[T] = Future()

        def act() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

        self._executor.create_task(act)
        try:
            return self._clock.result(done, timeout)
        except NotInTime:
            if done.cancel():  # else it is being done, which is as good as done
                raise NotAnswered(
                    f"the client's own thread does not answer within {timeout:g} s"
                ) from None
            return self._clock.result(done, None)
        except BaseException:  # Ctrl-C, if it is not of the work itself
            done.cancel()
            raise
