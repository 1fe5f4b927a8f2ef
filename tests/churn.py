"""Participants of DDS that come and go: `python churn.py COUNT`; each says that it came."""

import sys

from rclpy.context import Context
from rclpy.node import Node
from wmx_ros2_message.msg import AxisState

CAME = "came"


def come_and_go(count: int) -> None:
    """Join `count` times, each time with a node of one subscription, and leave."""
    for _ in range(count):
        context = Context()
        context.init()
        node = Node("churn", context=context)
        node.create_subscription(AxisState, "wmx/axis/state", lambda _: None, 1)
        print(CAME, flush=True)
        node.destroy_node()
        context.shutdown()
        context.destroy()


if __name__ == "__main__":
    come_and_go(int(sys.argv[1]))
