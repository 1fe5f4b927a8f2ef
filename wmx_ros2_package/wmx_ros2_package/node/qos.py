"""How much may wait for a node that is busy: the middleware drops silently what is more."""

from rclpy.qos import QoSProfile, ReliabilityPolicy

MOST_UNREAD = 100
"""Requests of a service, or messages of a topic on which each counts. ROS has ten by default, which
twenty clients of a busy machine exceed."""
SERVICE_QOS = QoSProfile(depth=MOST_UNREAD, reliability=ReliabilityPolicy.RELIABLE)
