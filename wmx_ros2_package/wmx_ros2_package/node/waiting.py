"""Waiting in a coroutine callback without holding up any other callback.

The form that is right on every executor: a steady timer looks again and again. A pending
coroutine is resumed by rclpy's EventsExecutor only when a timer or another entity of the node
has work, and the SingleThreadedExecutor of older ROS 2 needs the same push.
"""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

LOOK_PERIOD = 0.005
"""How often a pending condition is looked at, s."""

T = TypeVar("T")


class Closed(Exception):
    """The threads take no more work."""


async def until(node: Node, condition: Callable[[], bool], timeout: float = float("inf")) -> bool:
    """Wait until `condition` is true; false when it is not within `timeout` seconds."""
    if condition():
        return True
    deadline = time.monotonic() + timeout
    finished: Future[bool] = Future()

    def look() -> None:
        if finished.done():
            return
        try:
            if condition():
                finished.set_result(True)
            elif time.monotonic() >= deadline:
                finished.set_result(False)
        except Exception as error:
            finished.set_exception(error)

    timer = node.create_timer(
        LOOK_PERIOD,
        look,
        callback_group=ReentrantCallbackGroup(),
        clock=Clock(clock_type=ClockType.STEADY_TIME),
    )
    try:
        return bool(await finished)
    finally:
        node.destroy_timer(timer)


async def run_in_thread(node: Node, threads: Executor, work: Callable[[], T]) -> T:
    """Do `work`, which takes a while, in one of `threads`; its result or its exception."""
    try:
        future = threads.submit(work)
    except RuntimeError as error:
        raise Closed from error
    await until(node, future.done)
    return future.result()
