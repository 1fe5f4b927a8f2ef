"""What tests of the begin and end of motions share."""

from uuid import UUID

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

EVENTS_QOS = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


def identity(event: BeginMotion | EndMotion) -> UUID:
    """The id of the command."""
    return UUID(bytes=bytes(bytearray(event.command_id.uuid)))
