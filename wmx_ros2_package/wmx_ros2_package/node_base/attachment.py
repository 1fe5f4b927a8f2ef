"""Asked before each request: whether a node has its engine, with which its device comes and goes.

While the node is active it is attached when `wmx/engine/ready` turns true, detached when that
turns false or the engine is lost, and attached again, for ever. All of it happens in the node's
worker, one step after the other. Engine nodes of other engines publish on the same topic. So the
axis file of this node's own engine decides: whether it is ready, and whether a node leads it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from std_msgs.msg import Bool

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.values import EngineState

from ..control.ownership import engine_ready
from .context import NodeContext
from .device import bring_to_rest, close_device, end_motions, open_device
from .hooks import call_all
from .qos import latched
from .refusals import NotReady
from .threads import Ended

READY_QOS = latched()
READY_PERIOD = 1.0
"""How often readiness is published again, s."""
HEARTBEAT_TIMEOUT = 3.0
"""Without a message of the engine node for this time its heartbeat is lost, s."""


class ReadyWhileActive:
    """The readiness of a node that needs no engine."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node

    def require_engine(self) -> None:
        """NotReady unless the node is active."""
        if not self._node.active:
            raise NotReady(f"{self._node.name} not initialized: it is not active.")

    def lose_engine(self, error: EngineLost) -> None:
        """Do nothing: there is no engine to lose."""

    def end(self) -> None:
        """Do nothing: there is no engine to let go of."""


class ReadyTopic:
    """Whether something is ready, on `topic`: published on change, and once a second.

    False at first. Nothing is published unless the node is active.
    """

    def __init__(self, node: NodeContext[Any], topic: str) -> None:
        self._ready = False
        self._publisher = node.create_publisher(Bool, topic, READY_QOS)
        node.on_activate.append(self._publish)
        node.create_timer(READY_PERIOD, self._publish)

    def __bool__(self) -> bool:
        return self._ready

    def set(self, ready: bool) -> None:
        """Change the readiness; any thread may call."""
        if ready != self._ready:
            self._ready = ready
            self._publish()

    def _publish(self) -> None:
        self._publisher.publish(Bool(data=self._ready))


class EngineAttachment:
    """The device of `node`, on the engine whose node publishes that it is ready."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        topic = node.kind.ready_topic
        self._ready = ReadyTopic(node, topic) if topic else None
        self._engine_ready = False
        self._led = False
        """Whether the node has found an engine node that leads its engine."""
        self._following = False
        self.attached = False
        self._failure = ""
        """Why the last attempt to attach failed."""
        self._heard = node.clock.now()
        node.create_timer(HEARTBEAT_TIMEOUT / 6.0, self._check_heartbeat)
        node.subscribe(Bool, "wmx/engine/ready", self._on_engine_ready, READY_QOS)
        node.on_activate.append(self._activate)

    def require_engine(self) -> None:
        """NotReady unless the device is attached."""
        if not self.attached:
            raise NotReady(self._node.kind.not_ready)

    def lose_engine(self, error: EngineLost) -> None:
        """Detach from an engine that is gone; any thread may call."""
        if self.attached:
            self._node.log.error(f"Engine lost: {error.detail}", throttle_duration_sec=1.0)
            self._engine_ready = False
            self._settle()

    def end(self) -> None:
        """Detach, and follow the engine no longer; in the worker."""
        self._following = False
        if self.attached:
            self._detach()

    def _activate(self) -> None:
        self._following = True
        self._node.log.info(f"{self._node.name} waiting for engine...")
        self._settle()

    # The engine node

    def _check_heartbeat(self) -> None:
        """Notice that the heartbeat of the engine node, once a second, is lost.

        It has ended, or the middleware has lost the topics of this node: then the end of a stream
        would not arrive either.
        """
        lost = self._node.clock.now() > self._heard + HEARTBEAT_TIMEOUT
        if self.attached and lost and not self._node.leases.heartbeat_lost:
            self._set_heartbeat(lost=True)

    def _set_heartbeat(self, *, lost: bool) -> None:
        if self._node.kind.commands_motion and lost:
            self._node.log.error(
                f"No heartbeat of the engine node for {HEARTBEAT_TIMEOUT:g} s: leases end, and no "
                "new ones begin"
            )
        elif self._node.kind.commands_motion:
            self._node.log.info("The heartbeat of the engine node is back")
        try:
            self._node.leases.on_heartbeat_change(lost=lost)
        except EngineLost as error:
            self.lose_engine(error)
        except WmxError as error:
            self._node.log.error(f"Ending leases: {error}")

    def _on_engine_ready(self, message: Bool) -> None:
        ready = engine_ready_of(self._node)
        self._led = self._led or ready is not None
        if ready is not None or not self._led:  # else it is the heartbeat of another system
            self._heard = self._node.clock.now()
            if self._node.leases.heartbeat_lost:
                self._set_heartbeat(lost=False)
        self._engine_ready = message.data if ready is None else ready
        self._settle()

    # Attaching and detaching, in the worker

    def _settle(self) -> None:
        if self._following:
            with suppress(Ended):  # the node is closed
                self._node.worker.do(self._follow_engine, bounded=False)

    def _follow_engine(self) -> None:
        if not self._following:
            return
        if self._engine_ready and not self.attached:
            self._attach()
        elif not self._engine_ready and self.attached:
            self._detach()
        elif self.attached:
            self._require_alive()

    def _require_alive(self) -> None:
        """An engine that died and came back in a moment may never have been seen not ready."""
        try:
            self._node.driver.engine.state()
        except EngineLost as error:
            # The next message that it is ready attaches again.
            self.lose_engine(error)
        except CommandRefused:
            pass  # it lives, and did not answer in time: the next message has it asked again

    def _attach(self) -> None:
        node = self._node
        try:
            open_device(node, node.common.device_path, node.name)
            if engine_ready_of(node) is False:  # another engine is ready
                close_device(node)
                return
            self._require_communication()
            node.engine_axes = node.gate.status().axes
            for hook in node.on_attach:
                hook()
            node.supervisor.start()
            node.gate.open()
            node.leases.attach()
            for hook in node.on_attached:
                hook()
            self.attached = True
            node.leases.attach()  # servos may have taken seconds: streams of that time pause, too
        except Exception as error:
            self.attached = False
            self._release()
            if not isinstance(error, WmxError):
                raise
            self._report(f"Failed to attach to device, will try again. {error}")
            return
        self._failure = ""
        if self._ready is not None:
            self._ready.set(True)
        node.log.info(f"{node.name} is ready")

    def _require_communication(self) -> None:
        """Refuse an engine that no node leads, such as one of a device_path that is mistyped."""
        if self._node.driver.engine.state() is not EngineState.COMMUNICATING:
            path = self._node.common.device_path
            raise CommandRefused(
                ErrorCode.CommNotStarted,
                f"the engine at device_path {path!r} does not communicate: must be that of "
                "wmx_engine_node, which is ready",
            )

    def _report(self, failure: str) -> None:
        """Log a failure once, however often it comes in a row."""
        if failure != self._failure:
            self._node.log.error(failure)
        self._failure = failure

    def _detach(self) -> None:
        self.attached = False
        if self._ready is not None:
            self._ready.set(False)
        self._release()
        self._node.log.info(f"{self._node.name} detached from the engine")

    def _release(self) -> None:
        """Bring the node's axes to rest, and give the device up, whatever fails on the way."""
        node = self._node
        node.gate.close()  # first: what is commanded after the axes are listed would not be stopped
        at_rest = False
        try:
            at_rest = bring_to_rest(node, node.ownership.last_commanded())
        finally:
            try:
                call_all(reversed(node.on_detach))
            finally:
                node.supervisor.stop()
                with suppress(EngineLost):
                    node.dead_man.release(at_rest=at_rest)
                end_motions(node)
                close_device(node)


def engine_ready_of(node: NodeContext[Any]) -> bool | None:
    """Whether the engine of `node` is ready, as the engine node that leads it has set it.

    None where none is seen to lead it: then what is published counts.
    """
    return engine_ready(node.common.driver_name, node.common.device_path)
