"""The executor that spins the nodes: the quickest that awaits what they await.

Callbacks of services are coroutines here. rclpy's EventsExecutor needs the least time (in a short
trial the SingleThreadedExecutor took 1.3 times its CPU time for the state alone and 1.7 times
under 200 calls a second), but its first releases call such a callback and never await it, so
that no request is answered (ros2/rclpy issue 1473).
"""

import re
from importlib.metadata import PackageNotFoundError, version

from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor


def make_executor(context: Context | None = None) -> Executor:
    """The EventsExecutor where it awaits coroutines, else the SingleThreadedExecutor."""
    if awaits_coroutines(_rclpy_version()):
        from rclpy.experimental import EventsExecutor

        return EventsExecutor(context=context)
    return SingleThreadedExecutor(context=context)


def awaits_coroutines(rclpy: str) -> bool:
    """Whether this version of rclpy has an EventsExecutor that awaits callbacks of services.

    Nothing tells it but trying, which takes a node on the network, or the version: it does from
    7.1.11 on in Jazzy, and from 9.1.2 on in Kilted and all that is newer.
    """
    numbers = tuple(int(digits) for digits in re.findall(r"\d+", rclpy)[:3])
    return (7, 1, 11) <= numbers < (7, 2) or numbers >= (9, 1, 2)


def _rclpy_version() -> str:
    try:
        return version("rclpy")
    except PackageNotFoundError:  # a build that leaves no word of its version
        return ""
