"""`wmx_explain [AXIS...]`: says why axes do not move, and the commands that clear it.

A client like any other. The exit code is 0 when nothing blocks any axis, 1 when something does,
and 2 when nobody can be asked.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from wmx_ros2_message.srv import ExplainAxes

from ..node.discovery import use_profile

SERVICE = "wmx/axis/explain"
MOVER = "wmx_core_motion_node"
DISCOVERY_TIMEOUT = 5.0
ANSWER_TIMEOUT = 5.0


class CannotAsk(Exception):
    """There is nobody to ask; the text says why, and what helps."""


def ask(node: Node, axes: Sequence[int]) -> list[str]:
    """What the system says of `axes`, or of all of them."""
    client: Any = node.create_client(ExplainAxes, SERVICE)
    if not client.wait_for_service(DISCOVERY_TIMEOUT):
        raise CannotAsk(_nobody(node))
    asked = client.call_async(ExplainAxes.Request(index=axes))
    rclpy.spin_until_future_complete(node, asked, timeout_sec=ANSWER_TIMEOUT)
    answer = asked.result()
    if answer is None:
        raise CannotAsk(f"{client.srv_name} does not answer within {ANSWER_TIMEOUT:g} s")
    if not answer.success:
        raise CannotAsk(answer.message)
    return list(answer.explanations)


def _nobody(node: Node) -> str:
    """Why the service is not offered."""
    namespace = node.get_namespace().rstrip("/")
    mover = f"{namespace}/{MOVER}"
    if (MOVER, namespace or "/") in node.get_node_names_and_namespaces():
        return f"{mover} is not configured:\n    ros2 lifecycle set {mover} configure"
    return (
        f"{mover} does not run, or not on this ROS_DOMAIN_ID:\n"
        f"    ros2 run wmx_ros2_package {MOVER}"
    )


def main() -> int:
    """Print the explanations."""
    parser = argparse.ArgumentParser(prog="wmx_explain", description="Say why axes do not move.")
    parser.add_argument("axis", nargs="*", type=int, help="axis numbers, all without")
    options = parser.parse_args(remove_ros_args(sys.argv)[1:])
    use_profile()
    rclpy.init(args=sys.argv)
    node = Node(f"wmx_explain_{time.monotonic_ns()}")
    try:
        explanations = ask(node, options.axis)
    except CannotAsk as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 2
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    print("\n".join(explanations))
    return int(any("\n" in explanation for explanation in explanations))
