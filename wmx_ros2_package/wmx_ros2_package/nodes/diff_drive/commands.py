"""The velocities that a base is commanded: Twist, or TwistStamped as Nav2 sends them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Twist, TwistStamped

from ...messages.times import seconds
from ...node_base.context import NodeContext
from ...validation import BadRequest
from .parameters import DiffDriveParameters

CHECK_PERIOD = 2.0
"""How often who sends the other type is looked for, s."""


def subscribe_to_twists(
    node: NodeContext[DiffDriveParameters], act: Callable[[Twist, float], None]
) -> None:
    """Call `act` with the twist of each command, and when it was sent.

    ROS delivers nothing of another type and logs nothing of it, so the node does: once for each
    node that publishes a Twist where TwistStamped is taken, or the other way round.
    """
    topic, stamped = node.parameters.cmd_vel_topic, node.parameters.use_stamped_vel
    reported: set[str] = set()
    own, other = (TwistStamped, Twist) if stamped else (Twist, TwistStamped)

    def take(message: Any, sent: float) -> None:
        twist = message
        if stamped:
            twist = message.twist
            if twist.linear.x or twist.angular.z:  # a stop is one, however old
                _require_fresh(message.header.stamp, node)
        act(twist, sent)

    def warn_of_others() -> None:
        for name in {*node.graph.publishers(topic, other)} - reported:
            reported.add(name)
            node.log.error(
                f"{name} publishes {other.__name__} on {topic}, which takes {own.__name__}: its "
                f"commands do not arrive. Set enable_stamped_cmd_vel: {str(stamped).lower()} "
                f"there, or use_stamped_vel: {str(not stamped).lower()} here"
            )

    node.on_command(own, topic, take)
    node.create_timer(CHECK_PERIOD, warn_of_others)


def _require_fresh(stamp: Time, node: NodeContext[DiffDriveParameters]) -> None:
    """BadRequest for a command with a `stamp` that is as old as a base waits for one."""
    age, timeout = node.ros_time.now() * 1e-9 - seconds(stamp), node.parameters.cmd_vel_timeout
    if (stamp.sec or stamp.nanosec) and age > timeout:
        rule = f"must be {timeout:g} s or less (cmd_vel_timeout)"
        raise BadRequest([f"header.stamp is {age:.3f} s in the past: {rule}"])
