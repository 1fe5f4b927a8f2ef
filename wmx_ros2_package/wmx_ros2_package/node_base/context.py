"""What a behaviour is made with: services, topics and hooks, and the parts of its motion path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from math import inf
from typing import Any, Generic, Protocol, TypeVar, cast

from rclpy.lifecycle import LifecycleNode

from wmx_core.errors import EngineLost
from wmx_core.interface import Motion
from wmx_core.opening import open_driver
from wmx_core.units import MotionInUnits

from ..control.leases import PATIENCE
from .clock import NodeClock
from .common_parameters import CommonParameters, OwnUnits
from .handlers import MOST_BYTES, AnswerMode, CommandHandler, ServiceHandler
from .hooks import Hook
from .host import Host
from .motion_path import MotionPath
from .motion_topics import reported
from .refusals import Refusal, refusal
from .threads import Worker
from .traits import EngineRole, NodeTraits
from .waiting import Awaited

P = TypeVar("P")
T = TypeVar("T")


class Readiness(Protocol):
    """Whether the services of a node can be answered."""

    def require_engine(self) -> None:
        """Raise NotReady while the node is not attached to an engine."""

    def lose_engine(self, error: EngineLost) -> None:
        """The engine is gone; any thread may call."""

    def end(self) -> None:
        """The node is deactivated: let go of the engine; in the worker."""


class NodeContext(Host, Generic[P]):
    """What the behaviour and its parts use: rclpy's side, parameters, hooks, readiness, motions.

    Hooks, lists `on_...` to which its parts append, are called in the node's worker (`on_change` in
    the thread that spins): in their order when something begins, in the opposite order, all of
    them, when it ends.
    """

    readiness: Readiness

    def __init__(
        self,
        node: LifecycleNode,
        kind: NodeTraits,
        threads: tuple[Worker, Worker],
        common: CommonParameters,
        parameters: P,
        *,
        hosts_engine: bool,
        clock: NodeClock,
    ) -> None:
        """`threads` are the node's worker and that of its log."""
        super().__init__(node, *threads, clock)
        self.kind = kind
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
        self.engine_axes = 0
        """How many axes the engine has to which the node was attached last; 0 before the first."""
        self.engine_lost = ""
        """Why the engine of which the node lets go is lost, or seems to be; empty if it lives."""
        if kind.role is not EngineRole.NONE:
            self._make_motion_path(hosts_engine)

    def _make_motion_path(self, hosts_engine: bool) -> None:
        """Open the driver, and make what moves axes by it; the parts are the node's own, too."""
        kind, common = self.kind, self.common
        owner = kind.role is EngineRole.OWNER
        options = common.driver_options(
            hosts_engine=hosts_engine, starts_engine=owner, clock=self.clock
        )
        driver = reported(open_driver(common.driver_name, options), self)
        units = self.parameters.axis_units() if isinstance(self.parameters, OwnUnits) else {}
        if any(factor != 1.0 for factor in units.values()):
            driver = replace(driver, motion=cast(Motion, MotionInUnits(driver.motion, units)))
        path = MotionPath(
            self, driver, common, units, self.lose_engine, commands_motion=kind.commands_motion
        )
        self.driver = driver
        """The device of a node that has one. Its motion is commanded through `gate` alone."""
        self.gate, self.tracker, self.supervisor = path.gate, path.tracker, path.supervisor
        self.ownership, self.in_position = path.ownership, path.in_position
        self.dead_man = path.dead_man
        self.leases, self.motion_leases = path.leases, path.motion_leases
        self.stop_inputs, self.settings = path.stop_inputs, path.settings
        self.in_position_widths = path.in_position_widths

    # Services and commands, made while the behaviour is made

    def create_service(
        self,
        kind: Any,
        name: str,
        answer: Callable[..., Awaitable[str | None] | str | None],
        *,
        failed: Callable[[Any], str] = lambda _: "",
        run: AnswerMode = AnswerMode.NOW,
        dated: bool = False,
        quiet: bool = False,
        logged: bool = True,
        always: bool = False,
        late: bool = False,
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
            dated=dated,
            quiet=quiet,
            logged=logged,
            always=always,
            late=late,
            fields=kind.Response.get_fields_and_field_types(),
        )
        self.serve(kind, name, handler.take)

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
        overtake: Callable[[Any, float], None] | None = None,
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
            overtake=overtake,
        )
        self.subscribe_raw(kind, topic, handler.take, qos)

    def require_prompt(self, sent: float) -> None:
        """CommandRefused for a request that has waited too long in a process that was suspended.

        Its client has given up by now, and knows nothing of what would begin.
        """
        if self.kind.role is not EngineRole.NONE:
            self.leases.require_sent_after_suspension(sent, PATIENCE)

    # Waiting, in coroutines of the thread that spins

    def in_worker(self, work: Callable[[], T]) -> Awaited[T]:
        """Do `work` in the worker, after what was given to it before; its result or exception.

        CommandRefused where it has waited too long, see `require_prompt`.
        """
        given = self.clock.now()

        def carry_out() -> T:
            self.require_prompt(given)
            return work()

        return Awaited(self.worker.submit(carry_out))

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
