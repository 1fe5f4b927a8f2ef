"""The node as its behaviour and the parts of that use it.

It lives from configure to cleanup, and so do the entities that are made through it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from rclpy.callback_groups import ReentrantCallbackGroup
from wmx_ros2_message.msg import EngineCommand

from wmx_core.errors import CommandRefused, EngineLost, WmxError
from wmx_core.interface import Driver, Motion
from wmx_core.opening import open_driver
from wmx_core.units import MotionInUnits
from wmx_core.values import OperationState

from ..control.command_reports import Report, ReportedMotion
from ..control.dead_man import DeadMan
from ..control.gate import Gate
from ..control.kept_settings import KeptSettings
from ..control.leases import StreamLeases
from ..control.motion_ends import InPosition
from ..control.ownership import Ownership
from ..control.renewable_file import Loss
from ..control.stop_inputs import StopInputs
from ..control.stopping import Stop, Stopping
from ..control.supervisor import Supervisor
from ..control.tracker import MotionTracker
from ..executables import NODES
from ..messages.engine_commands import engine_command
from . import rclpy_compat
from .common_parameters import CommonParameters
from .handlers import (
    MOST_BYTES,
    AnswerMode,
    CommandHandler,
    ServiceHandler,
)
from .kind import EngineRole, NodeKind
from .motion_topics import MotionTopics
from .qos import MOST_UNREAD, SERVICE_QOS
from .refusals import Refusal, refusal
from .ros_time import RosTime
from .threads import Ended, Threads, Worker
from .tuning import wake_on_time
from .waiting import Awaited, Waiting

if TYPE_CHECKING:
    from rclpy.impl.rcutils_logger import RcutilsLogger
    from rclpy.publisher import Publisher

    from .attachment import Readiness
    from .managed_node import ManagedNode
    from .rclpy_compat import Answer

P = TypeVar("P")
T = TypeVar("T")
Hook = Callable[[], None]

LOG_DELAY = 0.001
"""How long after an answer its log line is written, s: a line costs more than most answers, and the
client runs when the thread that answers rests."""


class NodeContext(Generic[P]):
    """A node as its behaviour sees it.

    Hooks, lists `on_...` to which its parts append, are called in the node's worker (`on_change` in
    the thread that spins): in their order when something begins, in the opposite order, all of
    them, when it ends.
    """

    def __init__(
        self,
        node: ManagedNode,
        common: CommonParameters,
        parameters: P,
        *,
        hosts_engine: bool,
    ) -> None:
        self._node = node
        self.kind: NodeKind[P] = node.kind
        self.name = node.get_name()
        self.full_name = node.get_fully_qualified_name()
        self.log: RcutilsLogger = node.get_logger()
        self.parameters = parameters
        """The parameters in force; a field that is changeable may change."""
        self.common = common
        """The parameters that every node has."""
        self.on_attach: list[Hook] = []
        """The device is attached. A WmxError detaches it until the engine is ready again."""
        self.on_attached: list[Hook] = []
        """States are published and axes may be commanded; clients are not answered yet."""
        self.on_let_go: list[Hook] = []
        """The node lets go of its axes, which are about to be stopped: command them no more."""
        self.on_detach: list[Hook] = []
        """The axes rest, and the device will be closed; also after an attach that failed."""
        self.on_activate: list[Hook] = []
        """The node has become active. An error deactivates it."""
        self.on_deactivate: list[Hook] = []
        """The node lets go of the engine and becomes inactive; it still publishes."""
        self.on_change: list[Callable[[P], None]] = []
        """Changed parameters are about to be in force, in the thread that spins; BadRequest refuses
        them."""
        self.deactivating = threading.Event()
        """Set when the node is asked to be inactive: nothing may keep it waiting for long."""
        self.active = False
        self.engine_axes = 0
        """How many axes the engine has to which the node was attached last; 0 before the first."""
        self.ros_time = RosTime(node)
        self.worker: Worker = node.worker
        """Does what changes the node's life or moves axes, one after the other."""
        self.threads = Threads(self.name)
        self.waiting = Waiting(node)
        self.readiness: Readiness
        self._entities: list[Callable[[], object]] = []
        self._periodic: dict[float, list[Callable[[], object]]] = {}
        """The callbacks of timers, by their period in s."""
        self._reentrant = ReentrantCallbackGroup()
        self.driver: Driver
        """The device of a node that has one. Its motion is commanded through `gate` alone."""
        if self.kind.role is not EngineRole.NONE:
            owner = self.kind.role is EngineRole.OWNER
            options = common.driver_options(hosts_engine=hosts_engine, starts_engine=owner)
            driver = open_driver(common.driver_name, options)
            if self.kind.commands_motion or owner:
                driver = self._reporting(driver)
            units: Mapping[int, float] = getattr(parameters, "axis_units", dict)()
            if any(factor != 1.0 for factor in units.values()):
                driver = replace(driver, motion=cast(Motion, MotionInUnits(driver.motion, units)))
            self.driver = driver
            self._make_control(driver)

    def _reporting(self, driver: Driver) -> Driver:
        """`driver`, whose commands are published while a recorder listens."""
        publisher = self.create_publisher(EngineCommand, "wmx/engine/command", MOST_UNREAD)

        def publish(report: Report) -> None:
            publisher.publish(engine_command(report, self.full_name, self.ros_time.at))

        def later(report: Report) -> None:
            with suppress(Ended):
                self._node.log_thread.do(partial(publish, report), bounded=False)

        motion = ReportedMotion(driver.motion, later, publisher.get_subscription_count)
        return replace(driver, motion=cast(Motion, motion))

    def _make_control(self, driver: Driver) -> None:
        """The path of the node's motions, see `control`."""
        latency = driver.status_latency
        self.ownership = Ownership(
            driver.name, driver.motion.status, latency, self._on_axis_file_lost
        )
        self.in_position = InPosition(
            width=self.common.in_position_width, timeout=self.common.in_position_timeout
        )
        self.tracker = MotionTracker(
            self.full_name,
            latency,
            in_position=self.in_position,
            in_position_widths=self.in_position_widths,
        )
        self.supervisor = Supervisor(
            self.name,
            driver.motion.status,
            on_lost=self.lose_engine,
            on_error=lambda name, error: self.log.error(
                f"{name}: {error!r}", throttle_duration_sec=1.0
            ),
            on_wake=self._wake,
            prepare=wake_on_time,
        )
        timeout = self.common.dead_man_timeout if self.kind.commands_motion else 0.0
        self.dead_man = DeadMan(
            driver.engine, self.ownership, self.supervisor, timeout, self._has_no_dead_man
        )
        self.stop_inputs = StopInputs(driver, self.ownership)
        self.settings = KeptSettings(driver, self.ownership)
        self.gate = Gate(
            driver.motion,
            self.ownership,
            self.tracker,
            self.dead_man.feed_before_command,
            self.stop_until_taken,
            self.stop_inputs,
            self.settings,
            self.retry_until_done,
        )
        self.leases = StreamLeases()
        if self.kind.commands_motion:
            self.motion_leases = MotionTopics(self).leases

    def in_position_widths(self, axes: Sequence[int]) -> list[float]:
        """InPosWidth of `axes`, in the units of the node; 0 where the engine does not answer."""
        units: Mapping[int, float] = getattr(self.parameters, "axis_units", dict)()
        try:
            known = self.driver.motion.parameters()
            return [known.axis(axis).in_pos_width * units.get(axis, 1.0) for axis in axes]
        except WmxError:
            return [0.0] * len(axes)

    def _wake(self) -> None:
        """Find what no sample shows; in the supervisor, about ten times a second."""
        if self.ownership.check_file():
            self.settings.repair()
        if self.kind.commands_motion:
            self.leases.detect_suspension()
            self.motion_leases.check()

    def _on_axis_file_lost(self, loss: Loss) -> None:
        """Log that the file of owners and stops was lost, and stop all axes; any thread may call.

        What was asked of them before is refused by then, in every process.
        """
        if not loss.renewed:
            now = "motion is refused until it can be put back"
        else:
            now = "all axes are stopped, and it is put back" if loss.first else "it is put back"
        self.log_error(f"The file of owners and stops {loss.path} was lost: {loss.why}; {now}")
        if loss.first:
            with suppress(WmxError):  # of an engine that is gone, or a device that is closed
                status = self.driver.motion.status()
                axes = range(status.axes if status.communicating else 0)
                try:
                    self.gate.end_motion(axes, message="the file of owners and stops was lost")
                except CommandRefused:
                    self.stop_until_taken(self.driver.motion.stop, axes)

    def stop_until_rest(
        self,
        stop: Stop,
        axes: Sequence[int],
        states: Collection[OperationState] = (),
        wanted: Callable[[], bool] = lambda: True,
        latency: float = 0.0,
    ) -> None:
        """Call `stop` in the supervisor until `axes` rest, however often that is refused.

        It ends as well once that is not `wanted` any more. Where `states` are given an axis in
        another one is left alone, see `Stopping`. What was commanded before may begin `latency`
        seconds later, where that is more than the driver says.
        """
        latency = max(latency, self.driver.status_latency)
        stopping = Stopping(stop, axes, latency, states, self.log_error)
        self.supervisor.add_task(
            "stopping", lambda status: wanted() and not stopping.update(status)
        )

    def stop_until_taken(self, stop: Stop, axes: Sequence[int]) -> None:
        """Call `stop` for each of `axes` in the supervisor until the engine takes it."""
        for axis in axes:
            stopping = Stopping(stop, [axis], self.driver.status_latency, (), self.log_error)
            self.supervisor.add_task("stopping", stopping.is_due)

    def retry_until_done(self, attempt: Callable[[], bool]) -> None:
        """Call `attempt` in the supervisor until it returns true."""
        self.supervisor.add_task("retrying", lambda _: not attempt())

    def _has_no_dead_man(self, error: CommandRefused) -> None:
        self.log.error(
            f"The engine does not stop axes when this node has died: {error}",
            throttle_duration_sec=1.0,
        )

    # Entities, made while the behaviour is made

    def create_service(
        self,
        kind: Any,
        name: str,
        answer: Callable[..., Awaitable[str | None] | str | None],
        *,
        failed: Callable[[Any], str] = lambda _: "",
        run: AnswerMode = AnswerMode.NOW,
        quiet: bool = False,
        logged: bool = True,
        always: bool = False,
    ) -> None:
        """Offer a service: `answer` fills the response, see `ServiceHandler`.

        `failed` words a request that the engine refused, before the error.
        """
        handler = ServiceHandler(
            node=self,
            name=name,
            answer=answer,
            failed=failed,
            run=run,
            quiet=quiet,
            logged=logged,
            always=always,
            flag="success" if hasattr(kind.Response, "success") else "accepted",
            coded=hasattr(kind.Response, "code"),
        )
        self.serve(kind, name, handler.take)

    def serve(self, kind: Any, name: str, take: Answer) -> None:
        """Offer a service whose requests `take` answers, see `rclpy_compat.serve`."""
        self.add_entity(
            lambda node: rclpy_compat.serve(node, kind, name, SERVICE_QOS, take),
            lambda node, service: node.destroy_service(service),
        )

    def on_command(
        self,
        kind: Any,
        topic: str,
        act: Callable[[Any, float], None],
        qos: Any = 10,
        *,
        most_bytes: int = MOST_BYTES,
        most_elements: int = 0,
        newest: bool = False,
        stops: Callable[[Any], bool] | None = None,
    ) -> None:
        """Act on the motion commands of `topic`, see `CommandHandler`; a refusal is logged."""
        handler = CommandHandler(
            node=self,
            kind=kind,
            topic=topic,
            act=act,
            most_bytes=most_bytes,
            most_elements=most_elements,
            newest=newest,
            stops=stops,
        )
        self.add_entity(
            lambda node: rclpy_compat.subscribe(node, kind, topic, qos, handler.take),
            lambda node, subscription: node.destroy_subscription(subscription),
        )

    def subscribe(self, kind: Any, topic: str, act: Callable[[Any], None], qos: Any = 10) -> None:
        """Call `act` with the messages of `topic`, whether there is an engine or not."""
        self.add_entity(
            lambda node: node.create_subscription(
                kind, topic, act, qos, callback_group=self._reentrant
            ),
            lambda node, subscription: node.destroy_subscription(subscription),
        )

    def create_publisher(self, kind: Any, topic: str, qos: Any = 10) -> Publisher[Any]:
        """A publisher that publishes only while the node is active; any thread may use it."""
        return self.add_entity(
            lambda node: node.create_lifecycle_publisher(kind, topic, qos),
            lambda node, publisher: node.destroy_lifecycle_publisher(publisher),
        )

    def create_timer(self, period: float, callback: Callable[[], object]) -> None:
        """Call `callback` every `period` seconds of the steady clock while the node is active.

        What has the same period shares one timer, for each timer wakes a thread.
        """
        if period in self._periodic:
            self._periodic[period].append(callback)
            return
        callbacks = self._periodic[period] = [callback]

        def while_active() -> None:
            if self.active:
                call_all(callbacks)

        self.add_entity(
            lambda node: rclpy_compat.create_timer(node, period, while_active),
            lambda node, timer: node.destroy_timer(timer),
        )

    def add_entity(
        self, make: Callable[[ManagedNode], T], destroy: Callable[[ManagedNode, T], object]
    ) -> T:
        """Have rclpy make anything else; cleanup destroys it."""
        made = make(self._node)
        self._entities.append(lambda: destroy(self._node, made))
        return made

    def destroy_entities(self) -> None:
        """Take everything from the node that was made for it; in the thread that spins."""
        while self._entities:
            self._entities.pop()()
        self.waiting.destroy()

    def publishers(self, topic: str, kind: Any = None) -> list[str]:
        """The fully qualified names of the nodes that publish `topic`, as far as they are known.

        With `kind`, a class of messages, those that publish this type.
        """
        wanted = f"{kind.__module__.partition('.')[0]}/msg/{kind.__name__}" if kind else ""
        return [
            f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            for info in self._node.get_publishers_info_by_topic(topic)
            if wanted in ("", info.topic_type)
        ]

    def subscribers(self, topic: str) -> list[str]:
        """The fully qualified names of the nodes that subscribe to `topic`, as far as known."""
        return [
            f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            for info in self._node.get_subscriptions_info_by_topic(topic)
        ]

    def count_servers(self, service: str) -> int:
        """How many nodes offer `service`, as far as they are known."""
        return rclpy_compat.count_servers(self._node, self._node.resolve_service_name(service))

    def shared_servers(self) -> dict[str, str]:
        """The services that nodes of this namespace offer and others do, too.

        Each has the node of this namespace that offers it.
        """
        found = {}
        namespace = self._node.get_namespace()
        for name, where in self._node.get_node_names_and_namespaces():
            if where != namespace or name not in NODES:
                continue
            with suppress(RuntimeError):  # it has just gone
                for service, _ in self._node.get_service_names_and_types_by_node(name, where):
                    if rclpy_compat.count_servers(self._node, service) > 1:
                        found[service] = f"{where.rstrip('/')}/{name}"
        return found

    # Waiting, in coroutines of the thread that spins

    def in_worker(self, work: Callable[[], T]) -> Awaited[T]:
        """Do `work` in the worker, after what was given to it before; its result or exception."""
        return Awaited(self.worker.submit(work))

    def aside(self, work: Callable[[], T]) -> Awaited[T]:
        """Do `work`, which takes a while, beside the worker; its result or its exception."""
        return Awaited(self.threads.aside(work))

    def until(self, condition: Callable[[], bool], timeout: float = inf) -> Awaited[bool]:
        """Wait until `condition` is true; false when it is not within `timeout` seconds.

        NotReady once there is no engine to ask.
        """

        def ready_and_true() -> bool:
            self.require_engine()
            return condition()

        return self.waiting.until(ready_and_true, timeout)

    # The engine

    def require_engine(self) -> None:
        """NotReady unless there is an engine to ask."""
        self.readiness.require_engine()

    def lose_engine(self, error: EngineLost) -> None:
        """EngineLost was met; any thread may call."""
        self.readiness.lose_engine(error)

    def refused(self, error: Exception, failed: str = "") -> Refusal:
        """Return the answer to a request that ended in `error`."""
        if isinstance(error, EngineLost):
            self.lose_engine(error)
        return refusal(error, not_ready=self.kind.not_ready, failed=failed)

    # The log

    def log_info(self, text: str) -> None:
        """Log `text` after the answer that is being given."""
        self._node.log_thread.do(partial(_write_info, self.log, text), bounded=False)

    def log_error(self, text: str) -> None:
        """Log an error after the answer that is being given."""
        self._node.log_thread.do(partial(_write_error, self.log, text), bounded=False)


def call_all(hooks: Iterable[Callable[[], object]]) -> None:
    """Call every one of `hooks`; the first error is raised when all have been called."""
    first: Exception | None = None
    for hook in hooks:
        try:
            hook()
        except Exception as error:
            first = first or error
    if first is not None:
        raise first


# rclpy refuses two severities from one line of code.


def _write_info(log: RcutilsLogger, text: str) -> None:
    time.sleep(LOG_DELAY)
    log.info(text)


def _write_error(log: RcutilsLogger, text: str) -> None:
    time.sleep(LOG_DELAY)
    log.error(text)
