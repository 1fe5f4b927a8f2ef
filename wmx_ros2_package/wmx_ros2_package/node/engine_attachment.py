"""A device that comes and goes with the engine.

While the node is active it is attached when `wmx/engine/ready` turns true, detached when that
turns false or the engine is lost, and attached again, for ever. All of it happens in the node's
worker thread, one step after the other.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from std_msgs.msg import Bool

from ..drivers.errors import EngineLost, WmxError
from .ready import READY_QOS, Ready
from .refusals import NotReady

if TYPE_CHECKING:
    from .context import NodeContext


SILENCE = 3.0
"""After this time without a word of the engine node, it is not heard any more, s."""


class EngineAttachment:
    """The device of `node`, on the engine that says that it is ready."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._ready = Ready(node, node.kind.ready_topic) if node.kind.ready_topic else None
        self._engine_ready = False
        self._following = False
        self.attached = False
        self._heard = time.monotonic()
        self._silent = False
        node.every(SILENCE / 6.0, self._listen)
        node.hear(Bool, "wmx/engine/ready", self._on_engine_ready, READY_QOS)
        node.on_activate(self._activate)

    def require_ready(self) -> None:
        """NotReady unless the device is attached."""
        if not self.attached:
            raise NotReady(self._node.kind.not_ready)

    def lose_engine(self, error: EngineLost) -> None:
        """Detach from an engine that is gone; may be called from any thread."""
        if self.attached:
            self._node.log.error(f"Engine lost: {error.detail}")
            self._engine_ready = False
            self._settle()

    def end(self) -> None:
        """Detach, and follow the engine no longer; in the worker thread."""
        self._following = False
        if self.attached:
            self._detach()

    def _activate(self) -> None:
        self._following = True
        self._node.log.info(f"{self._node.name} waiting for engine...")
        self._settle()

    def _listen(self) -> None:
        """Notice that the engine node, which speaks once a second, is not heard any more.

        It has stopped, or this node has become deaf: then a stop would not be heard either.
        """
        if self.attached and not self._silent and time.monotonic() > self._heard + SILENCE:
            self._set_silent(True)

    def _set_silent(self, silent: bool) -> None:
        self._silent = silent
        if not self._node.hooks.on_silence:
            return
        if silent:
            self._node.log.error(
                f"Nothing heard of the engine node for {SILENCE:g} s: leases end, and begin no more"
            )
        else:
            self._node.log.info("The engine node is heard again")
        try:
            self._node.hooks.silence(silent)
        except EngineLost as error:
            self.lose_engine(error)
        except WmxError as error:
            self._node.log.error(f"Ending leases: {error}")

    def _on_engine_ready(self, message: Bool) -> None:
        self._heard = time.monotonic()
        if self._silent:
            self._set_silent(False)
        self._engine_ready = message.data
        self._settle()

    def _settle(self) -> None:
        if self._following:
            self._node.run_serially(self._follow_engine)

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
            # Its next message that it is ready attaches again.
            self.lose_engine(error)

    def _attach(self) -> None:
        node = self._node
        try:
            node.create_device(node.common.device_path, node.name)
            node.hooks.attach()
        except Exception as error:
            node.close_device()
            if not isinstance(error, WmxError):
                raise
            node.log.error(f"Failed to attach to device, will try again. {error}")
            return
        self._set_attached(True)
        node.log.info(f"{node.name} is ready")

    def _detach(self) -> None:
        self._set_attached(False)
        try:
            with suppress(EngineLost):  # and every servo is off
                self._node.bring_to_rest()
        finally:
            try:
                self._node.hooks.detach()
            finally:
                self._node.close_device()
        self._node.log.info(f"{self._node.name} detached from the engine")

    def _set_attached(self, attached: bool) -> None:
        with self._node.commands_held():
            self.attached = attached
        if self._ready is not None:
            self._ready.set(attached)
