"""A terminal that takes no output any more, as after Ctrl-S, stops the log alone."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
import system as systems
from system import EXECUTABLES, Place
from terminal import InTerminal

from wmx_ros2_package.client import Machine

pytestmark = pytest.mark.process
LINES = 1500
"""So many lines of the log are more than a terminal or a pipe keeps."""


@pytest.fixture
def place() -> Iterator[Place]:
    with systems.place() as place:
        yield place


def serves(place: Place) -> None:
    """The system answers, and obeys an emergency stop, however much it has to log."""
    with Machine(domain=place.domain, timeout=30.0) as machine:
        machine.axes[0].on()
        for _ in range(LINES):
            machine.axes[0].stop()
        machine.estop()


@pytest.mark.parametrize("options", [[], ["--events"]], ids=["quiet", "events"])
def test_a_terminal_after_ctrl_s_stops_the_log_alone(place: Place, options: Sequence[str]) -> None:
    command = [str(EXECUTABLES / "bringup"), *options]
    with closing(InTerminal(command, place.environment)) as bringup:
        bringup.says("Communication started")
        bringup.press(b"\x13")
        serves(place)
        bringup.process.send_signal(2)
        assert bringup.wait() == 0


def test_a_pipe_that_nobody_reads_stops_the_log_alone(place: Place) -> None:
    program = subprocess.Popen(
        [str(EXECUTABLES / "bringup")], env=place.environment, stderr=subprocess.PIPE
    )
    try:
        serves(place)
        program.send_signal(2)
        assert program.wait(30.0) == 0
    finally:
        program.kill()
        program.communicate()
