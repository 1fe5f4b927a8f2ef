"""A node that is closed may still be asked for a transition: until it is destroyed it answers."""

from rclpy.lifecycle import TransitionCallbackReturn

from wmx_ros2_package.node_base.managed_node import ManagedNode
from wmx_ros2_package.node_base.threads import MOST_QUEUED, Worker


def test_a_transition_of_a_closed_node_fails_and_raises_nothing() -> None:
    node = object.__new__(ManagedNode)
    node.worker = Worker("closed", MOST_QUEUED)
    node.trigger_activate = lambda: TransitionCallbackReturn.SUCCESS  # type: ignore[method-assign]
    assert node.activate().result() is True
    node.worker.end()
    assert node.activate().result() is False
