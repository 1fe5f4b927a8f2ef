"""What every node shares: a driver, services that always answer, and topics that are judged."""

import inspect
import threading
import time
import traceback
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from ..drivers import default_driver, open_driver
from ..drivers.errors import CommandRefused, EngineLost, WmxError
from ..drivers.options import DriverOptions
from ..drivers.standstill import busy_axes, come_to_rest
from ..drivers.values import DEFAULT_DEVICE_PATH
from ..validation import BadRequest
from .late_log import LateLog
from .waiting import Closed, run_in_thread

STOP_TIMEOUT = 5.0
"""How long a node that ends, or ends the communication, waits for axes to slow down, s."""
COMPLAINT_PERIOD = 1.0
"""Errors of one topic are logged at most this often, s: it may be wrong at 1000 Hz."""

T = TypeVar("T")


class NotReady(Exception):
    """The node has no engine to ask; the text is the answer to clients."""


class WmxNode(Node):
    """A node with a driver, a thread for what takes long, and steady timers."""

    not_ready = ""
    """What services answer while there is no engine to ask."""

    def __init__(self, name: str, *, in_process: bool = False, **options: Any) -> None:
        super().__init__(name, **options)
        name_of_driver = self.setting("driver", default_driver(), "backend: fake or wmx3")
        self.device_path = self.setting(
            "device_path",
            DEFAULT_DEVICE_PATH,
            "where the SDK stands, or a machine file (.yaml) for the simulated engine",
        )
        self.driver = open_driver(
            name_of_driver or default_driver(), self._driver_options(in_process=in_process)
        )
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"{name}-worker")
        """Attaches and detaches, one after the other."""
        self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix=f"{name}-thread")
        self._commanding = threading.Lock()
        self._late_log = LateLog()
        self._reentrant = ReentrantCallbackGroup()
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)

    def _driver_options(self, *, in_process: bool) -> DriverOptions:
        default = DriverOptions()
        return DriverOptions(
            in_process=in_process,
            device_path=self.device_path,
            timeout=self.setting(
                "device_timeout",
                default.timeout,
                "how long a real engine may take to start, and its network, s",
                (0.1, 600.0),
            ),
            core=self.setting(
                "device_core", default.core, "CPU core of a real engine, -1 for its own", (-1, 1023)
            ),
            affinity=self.setting(
                "device_affinity",
                default.affinity,
                "CPU cores of a real engine, bit n for core n",
                (0, 2**32 - 1),
            ),
        )

    def open(self) -> None:
        """Begin; the node is being spun."""

    def close(self) -> None:
        """End what the node does on the engine; blocks until it is done."""
        self._worker.shutdown(wait=True, cancel_futures=True)
        self._threads.shutdown(wait=True, cancel_futures=True)

    def setting(
        self, name: str, default: T, description: str, limits: tuple[T, T] | None = None
    ) -> T:
        """Declare a parameter that is set at start, and return its value.

        A value of another type or outside `limits` raises one of rclpy's ParameterExceptions.
        """
        ranges: dict[str, Any] = {}
        if isinstance(default, float) and limits:
            low, high = limits
            ranges["floating_point_range"] = [FloatingPointRange(from_value=low, to_value=high)]
        elif limits:
            low, high = limits
            ranges["integer_range"] = [IntegerRange(from_value=low, to_value=high, step=1)]
        descriptor = ParameterDescriptor(description=description, read_only=True, **ranges)
        value: T = self.declare_parameter(name, default, descriptor).value
        return value

    def every(self, period: float, callback: Callable[[], None]) -> None:
        """Call `callback` every `period` seconds of the steady clock."""
        self.create_timer(period, callback, callback_group=self._reentrant, clock=self._steady)

    def run_serially(self, work: Callable[[], None]) -> None:
        """Do `work` in a thread, after what was given before; it has nobody to report to."""

        def do() -> None:
            try:
                work()
            except Exception:
                self.say_error(traceback.format_exc())

        with suppress(RuntimeError):  # the node is closing
            self._worker.submit(do)

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """Do `work`, which takes a while, in a thread; its result or its exception."""
        try:
            return await run_in_thread(self, self._threads, work)
        except (Closed, CancelledError):
            raise NotReady(self.not_ready) from None

    def close_device(self) -> None:
        """Give the device up; an engine that refuses is logged, for the device is gone anyway."""
        try:
            self.driver.engine.close_device()
        except WmxError as error:
            self.get_logger().error(f"Closing the device: {error}")

    def bring_to_rest(self) -> None:
        """Stop every axis, and wait until all are at rest or STOP_TIMEOUT is over.

        A stop that is refused is logged: it must not keep the rest of an exit from happening.
        """
        try:
            if busy_axes(self.driver.motion).size:
                self.get_logger().info(f"Slowing the axes down, for {STOP_TIMEOUT:g} s at most")
            if not come_to_rest(self.driver.motion, STOP_TIMEOUT):
                self.get_logger().error(f"Axes still move {STOP_TIMEOUT} s after they were stopped")
        except CommandRefused as error:
            self.get_logger().error(f"Stopping the axes: {error}")

    def serve(
        self,
        kind: Any,
        name: str,
        answer: Callable[[Any, Any], Awaitable[None] | None],
        *,
        failed: Callable[[Any], str] = lambda _: "",
        quiet: bool = False,
        slow_on_hardware: bool = False,
    ) -> None:
        """Offer a service: `answer` fills the response, and whatever goes wrong becomes one.

        `failed` words a request that the engine refused, before the error. A `quiet` service
        logs failures only. What is `slow_on_hardware` is answered there in a thread; the
        simulated engine is asked at once, which costs less.
        """
        if slow_on_hardware and not self.driver.simulated:
            answer = self._answered_in_thread(answer)

        def call(request: Any, response: Any) -> Any:
            try:
                self.require_ready()
                answer(request, response)
            except Exception as error:
                return refuse(request, response, error)
            return report(response)

        async def call_and_wait(request: Any, response: Any) -> Any:
            try:
                self.require_ready()
                waiting: Any = answer(request, response)
                await waiting
            except Exception as error:
                return refuse(request, response, error)
            return report(response)

        def refuse(request: Any, response: Any, error: Exception) -> Any:
            response.success = False
            match error:
                case NotReady():
                    response.message = str(error)
                    return response
                case EngineLost():
                    self.lose_engine(error)
                    response.message = self.not_ready
                    return response
                case BadRequest():
                    response.message = str(error)
                case WmxError():
                    response.message = f"{failed(request)} {error}".strip()
                case _:
                    response.message = f"Internal error: {error!r}"
                    self.say_error("".join(traceback.format_exception(error)))
            return report(response)

        def report(response: Any) -> Any:
            if not response.success:
                self.say_error(f"{name}: {response.message}")
            elif not quiet:
                self.say(response.message)
            return response

        waits = inspect.iscoroutinefunction(answer)
        self.create_service(
            kind, name, call_and_wait if waits else call, callback_group=self._reentrant
        )

    def _answered_in_thread(
        self, answer: Callable[[Any, Any], Any]
    ) -> Callable[[Any, Any], Awaitable[None]]:
        async def in_thread(request: Any, response: Any) -> None:
            await self.run_in_thread(lambda: answer(request, response))

        return in_thread

    def listen(self, kind: Any, topic: str, act: Callable[[Any], None]) -> None:
        """Act on the messages of `topic`; one that cannot be acted on is logged as an error."""
        quiet_until = 0.0
        unsaid = 0

        def on_message(message: Any) -> None:
            nonlocal quiet_until, unsaid
            try:
                with self.commanding():
                    act(message)
                return
            except EngineLost as error:
                self.lose_engine(error)
                reason = self.not_ready
            except (NotReady, BadRequest, WmxError) as error:
                reason = str(error)
            except Exception:
                reason = traceback.format_exc()
            if time.monotonic() < quiet_until:
                unsaid += 1
                return
            more = f", like {unsaid} before it" if unsaid else ""
            quiet_until, unsaid = time.monotonic() + COMPLAINT_PERIOD, 0
            self.say_error(f"{topic}: {reason} (message ignored{more})")

        self.create_subscription(kind, topic, on_message, 10, callback_group=self._reentrant)

    @contextmanager
    def commanding(self) -> Iterator[None]:
        """Motion is ordered in here only, so that none is once the axes are being stopped."""
        with self._commanding:
            self.require_ready()
            yield

    def say(self, text: str) -> None:
        """Log `text` after the answer that is being given."""
        self._late_log.add(lambda: self.get_logger().info(text))

    def say_error(self, text: str) -> None:
        """Log an error after the answer that is being given."""
        self._late_log.add(lambda: self.get_logger().error(text))

    def destroy_node(self) -> None:
        """Nothing that was said is lost."""
        self._late_log.close()
        super().destroy_node()

    @abstractmethod
    def require_ready(self) -> None:
        """Raise NotReady when there is no engine to ask."""

    @abstractmethod
    def lose_engine(self, error: EngineLost) -> None:
        """The engine is gone; may be called from any thread."""
