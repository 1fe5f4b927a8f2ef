"""Launch files, run as a terminal would."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec

import pytest
import system as systems
from system import Place, Process
from waits import WAIT_TIMEOUT, eventually

REST = 0.5
"""A program that says nothing for so long has said all, s."""

needs_launch = pytest.mark.skipif(
    not (find_spec("ros2launch") and find_spec("launch_ros")),
    reason="ros2launch and launch_ros are not installed, as on plain Python",
)


@contextmanager
def launched(place: Place, file: str, *arguments: str) -> Iterator[Process]:
    """The launch file `file` with `arguments` like ``namespace:=cell1``, in a group of its own.

    What is left of the group in the end is killed.
    """
    path = systems.CONFIG.parent / "launch" / f"{file}.launch.py"
    launch = place.run(["setsid", "ros2", "launch", str(path), *arguments])
    try:
        yield launch
    finally:
        with suppress(ProcessLookupError):
            os.killpg(launch.pid, signal.SIGKILL)


def interrupt(launch: Process, timeout: float = WAIT_TIMEOUT) -> None:
    """Press Ctrl-C once nothing more is said: launch has to end well, within `timeout` (s).

    A terminal tells every process of the group.

    In launch itself a KeyboardInterrupt comes of it. Where that meets launch as it makes a task of
    what a node has said, the task is lost, and launch ends with 1 however well all nodes ended.
    """

    def rests() -> bool:
        before = launch.output
        time.sleep(REST)
        return launch.output == before

    eventually(rests, f"{launch.name} says nothing more")
    os.killpg(launch.pid, signal.SIGINT)
    assert launch.wait(timeout) == 0, launch.output
