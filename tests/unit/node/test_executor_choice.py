"""Which executor spins the nodes, by the version of rclpy."""

import pytest

pytest.importorskip("rclpy", reason="needs rclpy")

from wmx_ros2_package.node.executors import awaits_coroutines


@pytest.mark.parametrize(
    ("rclpy", "answers"),
    [
        ("", False),
        ("3.3.16", False),  # Humble has no EventsExecutor
        ("7.1.3", False),
        ("7.1.4", False),  # the first Jazzy with one
        ("7.1.5", False),
        ("7.1.10", False),
        ("7.1.11", True),
        ("7.1.11.post1", True),
        ("7.1.20", True),
        ("7.2.0", False),  # Rolling of 2024
        ("8.0.0", False),
        ("9.1.0", False),
        ("9.1.1", False),
        ("9.1.2", True),
        ("9.2.0", True),
        ("10.0.3", True),
    ],
)
def test_only_an_executor_that_awaits_is_taken(rclpy: str, answers: bool):
    assert awaits_coroutines(rclpy) is answers
