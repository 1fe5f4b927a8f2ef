"""Transitions of nodes that are closed already, and those in which a bug is met."""

from types import SimpleNamespace
from typing import Any

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


def test_a_bug_in_a_transition_is_logged_with_its_traceback() -> None:
    logged: list[str] = []
    node: Any = object.__new__(ManagedNode)
    node.get_logger = lambda: SimpleNamespace(error=logged.append)
    assert node.on_deactivate(None) is TransitionCallbackReturn.ERROR, "for nothing was made of it"
    [line] = logged
    assert line.startswith("Failed to deactivate: Traceback")
    assert isinstance(node.problem, AttributeError)
