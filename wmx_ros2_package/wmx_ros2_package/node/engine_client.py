"""A node whose device comes and goes with the engine.

It attaches when `wmx/engine/ready` turns true, detaches when it turns false or the engine is
lost, and attaches again, for ever. Attaching, detaching and closing are written as the
configure, cleanup and shutdown of a managed node would be.
"""

from typing import Any

from std_msgs.msg import Bool

from ..drivers.errors import EngineLost, WmxError
from .base import NotReady, WmxNode
from .ready import READY_QOS, Ready


class FollowerNode(WmxNode):
    """A node whose device follows the readiness of the engine."""

    ready_topic = ""
    """Where it says that it can be asked, if anywhere."""

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.attached = False
        self._ready = Ready(self, self.ready_topic) if self.ready_topic else None
        self._engine_ready = False
        self._closing = False
        self.create_subscription(Bool, "wmx/engine/ready", self._on_engine_ready, READY_QOS)
        self.get_logger().info(f"{name} waiting for engine...")

    def on_attach(self) -> None:
        """The device is attached; an error detaches it again."""

    def on_detach(self) -> None:
        """The device will be detached, or is lost already."""

    def require_ready(self) -> None:
        if not self.attached:
            raise NotReady(self.not_ready)

    def lose_engine(self, error: EngineLost) -> None:
        if self.attached:
            self.get_logger().error(f"Engine lost: {error.detail}")
            self._engine_ready = False
            self._settle()

    def close(self) -> None:
        self._closing = True
        super().close()
        if self.attached:
            self._detach()

    def _on_engine_ready(self, message: Bool) -> None:
        self._engine_ready = message.data
        self._settle()

    def _settle(self) -> None:
        if not self._closing:
            self.run_serially(self._follow_engine)

    def _follow_engine(self) -> None:
        if self._engine_ready and not self.attached:
            self._attach()
        elif not self._engine_ready and self.attached:
            self._detach()
        elif self.attached:
            self._require_alive()

    def _require_alive(self) -> None:
        """An engine that died and came back in a moment may never have been seen not ready."""
        try:
            self.driver.engine.state()
        except EngineLost as error:
            self.lose_engine(error)

    def _attach(self) -> None:
        name = self.get_name()
        try:
            self.driver.engine.create_device(self.device_path, name)
            self.on_attach()
        except Exception as error:
            self.close_device()
            if not isinstance(error, WmxError):
                raise
            self.get_logger().error(f"Failed to attach to device, will try again. {error}")
            return
        self._set_attached(True)
        self.get_logger().info(f"{name} is ready")

    def _detach(self) -> None:
        self._set_attached(False)
        try:
            self.on_detach()
        finally:
            self.close_device()
        self.get_logger().info(f"{self.get_name()} detached from the engine")

    def _set_attached(self, attached: bool) -> None:
        with self._commanding:
            self.attached = attached
        if self._ready is not None:
            self._ready.set(attached)
