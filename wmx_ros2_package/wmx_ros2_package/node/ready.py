"""A readiness topic: published on change, and once a second for those who missed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool

if TYPE_CHECKING:
    from .context import NodeContext

READY_QOS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
READY_PERIOD = 1.0
"""How often readiness is repeated, s."""


class Ready:
    """The readiness of `node` on `topic`; false at first, and silent unless the node is active."""

    def __init__(self, node: NodeContext[Any], topic: str) -> None:
        self._ready = False
        self._publisher = node.publish(Bool, topic, READY_QOS)
        node.on_activate(self._publish)
        node.every(READY_PERIOD, self._publish)

    def __bool__(self) -> bool:
        return self._ready

    def set(self, ready: bool) -> None:
        """Change the readiness; may be called from any thread."""
        if ready != self._ready:
            self._ready = ready
            self._publish()

    def _publish(self) -> None:
        self._publisher.publish(Bool(data=self._ready))
