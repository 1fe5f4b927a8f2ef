"""A readiness topic: published on change, and once a second for those who missed it."""

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool

READY_QOS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
READY_PERIOD = 1.0
"""How often readiness is repeated, s."""


class Ready:
    """The readiness of `node` on `topic`; false at first."""

    def __init__(self, node: Node, topic: str) -> None:
        self._ready = False
        self._publisher = node.create_publisher(Bool, topic, READY_QOS)
        node.create_timer(
            READY_PERIOD, self._publish, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    def __bool__(self) -> bool:
        return self._ready

    def set(self, ready: bool) -> None:
        """Change the readiness; may be called from any thread."""
        if ready != self._ready:
            self._ready = ready
            self._publish()

    def _publish(self) -> None:
        self._publisher.publish(Bool(data=self._ready))
