"""Qualities of service: what is kept for late subscribers, and how much may wait to be read."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

MOST_UNREAD = 100
"""Requests of a service, or messages of a topic on which each counts. ROS has ten by default, which
twenty clients of a busy machine exceed."""
SERVICE_QOS = QoSProfile(depth=MOST_UNREAD, reliability=ReliabilityPolicy.RELIABLE)


def latched(depth: int = 1) -> QoSProfile:
    """Reliable; a subscriber that comes later gets the last `depth` messages, too."""
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )
