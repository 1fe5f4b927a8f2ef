"""All that a node's behaviour and its features see of the node.

It lives from configure to cleanup, and so do the entities that are made through it.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType

from ..drivers import open_driver
from ..drivers.errors import EngineLost, WmxError
from ..drivers.interface import Driver, Motion
from ..drivers.owned_motion import motion_for
from ..motions.recorded_motion import Description
from . import callbacks, rest, waiting
from .common_parameters import CommonParameters
from .hooks import Hook, Hooks, call_all
from .kind import EngineRole, NodeKind
from .motion_events import MotionEvents
from .qos import SERVICE_QOS
from .readiness import Readiness, WhileActive
from .refusals import NotReady, Refusal, refusal
from .ros_time import RosTime
from .threads import Ended, Threads

if TYPE_CHECKING:
    from rclpy.impl.rcutils_logger import RcutilsLogger
    from rclpy.publisher import Publisher

    from .managed_node import ManagedNode

P = TypeVar("P")
T = TypeVar("T")


class NodeContext(Generic[P]):
    """A node as its behaviour sees it. Hooks are called in the node's worker thread."""

    def __init__(
        self,
        node: ManagedNode,
        common: CommonParameters,
        parameters: P,
        *,
        in_process: bool,
    ) -> None:
        self._node = node
        self.kind: NodeKind[P] = node.kind
        self.name = node.get_name()
        self.log: RcutilsLogger = node.get_logger()
        self.parameters = parameters
        """What is in force; a field that is changeable may change."""
        self.common = common
        """The parameters that every node has."""
        self.hooks = Hooks()
        self.stopping = threading.Event()
        """Set when the node is asked to be inactive: nothing may keep it waiting for long."""
        self.active = False
        self.full_name = node.get_fully_qualified_name()
        self._driver: Driver | None = None
        if self.kind.role is not EngineRole.STRANGER:
            options = common.driver_options(owner=self.full_name, in_process=in_process)
            self._driver = open_driver(common.driver_name, options)
        self._opened = self._driver
        self.motions: MotionEvents | None = None
        """The begin and end of each motion, of a node that moves axes."""
        self.readiness: Readiness = WhileActive(self)
        self.ros_time = RosTime(node)
        self.ros_time_ago = self.ros_time.ago
        """The ROS time some seconds ago, ns."""
        self._checks: list[Callable[[P], None]] = []
        self._entities: list[Callable[[], object]] = []
        self._periodic: dict[float, list[Callable[[], object]]] = {}
        """What is called every so many seconds."""
        self.threads = Threads(node)
        self._commanding = threading.Lock()
        self._reentrant = ReentrantCallbackGroup()
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)

    def tell_motions(self) -> None:
        """Tell everybody of the motions that the node commands from now on."""
        driver = self.driver
        self.motions = MotionEvents(self, self.full_name)
        self._driver = replace(driver, motion=self.motions.record(driver.motion))

    @property
    def driver(self) -> Driver:
        """The node's device; its `motion` is refused for axes that somebody else owns."""
        assert self._driver is not None, "a stranger to the engine has no device"
        return self._driver

    def motion(
        self, purpose: str = "", describe: Callable[[], Description] = Description
    ) -> Motion:
        """The axes, of an owner of its own: what has one purpose does not take over another's.

        Everybody is told of the commands as `describe` says.
        """
        assert self._opened is not None, "a stranger to the engine has no device"
        owned = motion_for(self._opened, purpose)
        return owned if self.motions is None else self.motions.record(owned, describe)

    def publishers(self, topic: str) -> dict[str, frozenset[bytes]]:
        """The publishers of `topic` that can be seen, by the fully qualified names of their nodes.

        A process that dies is seen for a while yet; one of the same name has others.
        """
        found: dict[str, frozenset[bytes]] = {}
        for info in self._node.get_publishers_info_by_topic(topic):
            name = f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            found[name] = found.get(name, frozenset()) | {bytes(info.endpoint_gid)}
        return found

    def owned_axes(self) -> list[int]:
        """The axes that this node moves."""
        owners = self.driver.owners
        return sorted(owners.owned()) if owners is not None else []

    def stop_marks(self, axes: Sequence[int]) -> tuple[bytes, ...]:
        """What differs from what it was when one of `axes` was stopped meanwhile, by anybody."""
        owners = self.driver.owners
        return owners.stop_marks(axes) if owners is not None else ()

    # Entities, made while the behaviour is made

    def serve(
        self,
        kind: Any,
        name: str,
        answer: Callable[[Any, Any], Awaitable[None] | None],
        *,
        failed: Callable[[Any], str] = lambda _: "",
        quiet: bool = False,
        slow_on_hardware: bool = False,
        always: bool = False,
    ) -> None:
        """Offer a service: `answer` fills the response, and whatever goes wrong becomes one.

        `failed` words a request that the engine refused, before the error. A `quiet` service
        logs failures only. What is `slow_on_hardware` is answered there in a thread; the
        simulated engine is asked at once, which costs less. What is answered `always` needs
        neither an engine nor an active node.
        """
        if slow_on_hardware and not self.driver.simulated:
            answer = callbacks.answered_in_thread(self, answer)
        require_ready = (lambda: None) if always else self.require_ready
        fields = kind.Response.get_fields_and_field_types()
        flag = "success" if "success" in fields else "accepted"
        call = callbacks.service(self, name, answer, failed, require_ready, quiet=quiet, flag=flag)
        self.entity(
            lambda node: node.create_service(
                kind, name, call, qos_profile=SERVICE_QOS, callback_group=self._reentrant
            ),
            lambda node, service: node.destroy_service(service),
        )

    def listen(self, kind: Any, topic: str, act: Callable[[Any], None], qos: Any = 10) -> None:
        """Act on the motion commands of `topic`; one that is refused is logged as an error."""
        self.hear(kind, topic, callbacks.commands(self, topic, act), qos)

    def hear(self, kind: Any, topic: str, act: Callable[[Any], None], qos: Any = 10) -> None:
        """Call `act` with the messages of `topic`, whether there is an engine or not."""
        self.entity(
            lambda node: node.create_subscription(
                kind, topic, act, qos, callback_group=self._reentrant
            ),
            lambda node, subscription: node.destroy_subscription(subscription),
        )

    def publish(self, kind: Any, topic: str, qos: Any = 10) -> Publisher[Any]:
        """A publisher that is silent unless the node is active; any thread may use it."""
        return self.entity(
            lambda node: node.create_lifecycle_publisher(kind, topic, qos),
            lambda node, publisher: node.destroy_lifecycle_publisher(publisher),
        )

    def every(self, period: float, callback: Callable[[], object]) -> None:
        """Call `callback` every `period` seconds of the steady clock while the node is active.

        What has the same period has one timer: each wakes a thread, and who looks at the engine one
        after the other shares a sample.
        """
        if period in self._periodic:
            self._periodic[period].append(callback)
            return
        callbacks = self._periodic[period] = [callback]

        def while_active() -> None:
            if self.active:
                call_all(callbacks)

        self.entity(
            lambda node: node.create_timer(
                period, while_active, callback_group=self._reentrant, clock=self._steady
            ),
            lambda node, timer: node.destroy_timer(timer),
        )

    def entity(
        self, make: Callable[[ManagedNode], T], destroy: Callable[[ManagedNode, T], object]
    ) -> T:
        """Anything else that rclpy makes of a node; cleanup destroys it."""
        made = make(self._node)
        self._entities.append(lambda: destroy(self._node, made))
        return made

    # Hooks

    def on_attach(self, hook: Hook) -> None:
        """The device is attached. A WmxError detaches it until the engine is ready again."""
        self.hooks.on_attach.append(hook)

    def on_detach(self, hook: Hook) -> None:
        """The device will be closed, or is lost; also after an attach hook that failed."""
        self.hooks.on_detach.append(hook)

    def on_activate(self, hook: Hook) -> None:
        """The node has become active. An error deactivates it."""
        self.hooks.on_activate.append(hook)

    def on_deactivate(self, hook: Hook) -> None:
        """The node lets go of the engine and becomes inactive; publishers still speak."""
        self.hooks.on_deactivate.append(hook)

    def on_cleanup(self, hook: Hook) -> None:
        """The node lets go of what it made at configure; entities are destroyed by themselves."""
        self.hooks.on_cleanup.append(hook)

    def on_silence(self, hook: Callable[[bool], None]) -> None:
        """Nothing has been heard of the engine node for a while (True), or it is again (False).

        For nodes that move axes: in a silence leases end. In the thread that spins.
        """
        self.hooks.on_silence.append(hook)

    def on_change(self, check: Callable[[P], None]) -> None:
        """Changed parameters are about to be in force; BadRequest refuses them."""
        self._checks.append(check)

    def change(self, parameters: P) -> None:
        """Put changed parameters in force, or BadRequest."""
        for check in self._checks:
            check(parameters)
        self.parameters = parameters

    # Threads, and waiting

    def run_serially(self, work: Callable[[], None]) -> None:
        """Do `work` in the worker thread, after what was given before; errors are logged."""
        self._node.run_serially(work)

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """Do `work`, which takes a while, in a thread; its result or its exception."""
        try:
            return await self.threads.run(work)
        except Ended:
            raise NotReady(self.kind.not_ready) from None

    async def run_in_order(self, work: Callable[[], T]) -> T:
        """Likewise, after what was queued before, and without going on before that does.

        BadRequest when too many wait.
        """
        try:
            return await self.threads.run_in_order(work)
        except Ended:
            raise NotReady(self.kind.not_ready) from None

    def queue(self, topic: str) -> Callable[[Callable[[], None]], None]:
        """Queues work that messages of `topic` ask for; what is refused is logged as an error.

        It may take a while, and has to keep to `commanding` itself. BadRequest when too many wait.
        """
        complaints = callbacks.Complaints(self, topic)
        return lambda work: self.threads.do_in_order(lambda: complaints.attempt(work))

    async def until(self, condition: Callable[[], bool], timeout: float = float("inf")) -> bool:
        """Wait until `condition` is true; false when it is not within `timeout` seconds.

        NotReady once there is no engine to ask.
        """

        def ready_and_true() -> bool:
            self.require_ready()
            return condition()

        return await waiting.until(self._node, ready_and_true, timeout)

    # The engine

    def require_ready(self) -> None:
        """NotReady unless there is an engine to ask."""
        self.readiness.require_ready()

    def lose_engine(self, error: EngineLost) -> None:
        """EngineLost was met; may be called from any thread."""
        self.readiness.lose_engine(error)

    def refused(self, error: Exception, failed: str = "") -> Refusal:
        """What to say of a request that ended in `error`."""
        if isinstance(error, EngineLost):
            self.lose_engine(error)
        return refusal(error, not_ready=self.kind.not_ready, failed=failed)

    @contextmanager
    def commanding(self) -> Iterator[None]:
        """Motion is commanded in here only, so that none is once the axes are being stopped."""
        with self._commanding:
            self.require_ready()
            yield

    @contextmanager
    def commands_held(self) -> Iterator[None]:
        """No motion is commanded meanwhile."""
        with self._commanding:
            yield

    def create_device(self, path: str, name: str) -> None:
        """Attach the device `name` to the engine at `path`, watched if the parameters say so."""
        self.driver.engine.create_device(path, name)
        if self.common.device_watchdog:
            self.driver.engine.set_watchdog(self.common.device_watchdog)

    def close_device(self) -> None:
        """Give the device up; an engine that refuses is logged, for the device is gone anyway."""
        try:
            self.driver.engine.close_device()
        except WmxError as error:
            self.log.error(f"Closing the device: {error}")

    def bring_to_rest(self, *, every_axis: bool = False) -> None:
        """Stop the axes that this node moves, or all, and wait until they rest, see `rest`."""
        axes = None if every_axis else self.owned_axes()
        if axes == []:
            return
        if self.motions is not None:
            self.motions.node_ends()
        rest.bring_to_rest(self.driver.motion, axes, self.log)

    # The log

    def say(self, text: str) -> None:
        """Log `text` after the answer that is being given."""
        self._node.late_log.add(lambda: self.log.info(text))

    def say_error(self, text: str) -> None:
        """Log an error after the answer that is being given."""
        self._node.late_log.add(lambda: self.log.error(text))

    # For the node

    def destroy_entities(self) -> None:
        """Take everything from the node that was made for it; in the thread that spins."""
        while self._entities:
            self._entities.pop()()
