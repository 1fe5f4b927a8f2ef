"""A node that is closed may still be asked for a transition: until it is destroyed it answers."""

from concurrent.futures import ThreadPoolExecutor

from rclpy.lifecycle import TransitionCallbackReturn

from wmx_ros2_package.node.managed_node import ManagedNode


def test_a_transition_of_a_closed_node_fails_and_raises_nothing() -> None:
    node = object.__new__(ManagedNode)
    node._worker = ThreadPoolExecutor(1)
    assert node._submit(lambda: TransitionCallbackReturn.SUCCESS).result() is True
    node._worker.shutdown()
    assert node._submit(lambda: TransitionCallbackReturn.SUCCESS).result() is False
