"""Launch files, run as a terminal would."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec

import pytest
import system as systems
from system import Place, Process

needs_launch = pytest.mark.skipif(
    not (find_spec("launch") and find_spec("launch_ros")),
    reason="launch and launch_ros are not installed, as on plain Python",
)

_LAUNCH = """
import sys
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
path, *arguments = sys.argv[1:]
service = LaunchService(argv=arguments)
given = [argument.split(":=") for argument in arguments]
service.include_launch_description(IncludeLaunchDescription(path, launch_arguments=given))
sys.exit(service.run())
"""


@contextmanager
def launched(place: Place, file: str, *arguments: str) -> Iterator[Process]:
    """The launch file `file` with `arguments` like ``namespace:=cell1``, in a group of its own.

    What is left of the group in the end is killed.
    """
    path = systems.CONFIG.parent / "launch" / f"{file}.launch.py"
    launch = place.run(["setsid", sys.executable, "-c", _LAUNCH, str(path), *arguments])
    try:
        yield launch
    finally:
        with suppress(ProcessLookupError):
            os.killpg(launch.pid, signal.SIGKILL)


def interrupt(launch: Process) -> None:
    """Press Ctrl-C: a terminal tells every process of the group."""
    os.killpg(launch.pid, signal.SIGINT)
