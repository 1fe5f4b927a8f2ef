"""A node that stands in for one of the system's, and does what a test wants of it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import rclpy
from rclpy.executors import ShutdownException, SingleThreadedExecutor
from rclpy.node import Node


@contextmanager
def stand_in(domain: int, name: str, offer: Callable[[Node], None]) -> Iterator[Node]:
    """Run a node with what `offer` makes; its callbacks run one after the other."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node(name, context=context)
    offer(node)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def spin() -> None:
        with suppress(ShutdownException):
            executor.spin()

    spinning = threading.Thread(target=spin)
    spinning.start()
    try:
        yield node
    finally:
        executor.shutdown()  # first: a wait that begins as the context ends is an error
        spinning.join()
        node.destroy_node()
        rclpy.shutdown(context=context)
