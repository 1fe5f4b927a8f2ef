"""What executors of every release of rclpy do the same."""

from collections.abc import Callable, Iterator

import pytest
from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor

from wmx_ros2_package.node_base.rclpy_compat import call_soon, make_executor


@pytest.fixture
def context() -> Iterator[Context]:
    context = Context()
    context.init()
    yield context
    context.shutdown()


@pytest.mark.parametrize("make", [make_executor, SingleThreadedExecutor], ids=["chosen", "single"])
def test_an_executor_that_was_shut_down_leaves_work_undone(
    context: Context, make: Callable[..., Executor]
) -> None:
    done: list[str] = []
    executor = make(context=context)
    executor.shutdown()
    call_soon(executor, lambda: done.append("work"))
    assert done == []
