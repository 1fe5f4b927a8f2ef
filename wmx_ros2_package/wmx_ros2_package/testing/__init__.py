"""For tests of programs: a machine in the process of the test, which takes no time.

    # conftest.py
    pytest_plugins = ["wmx_ros2_package.testing"]

The fixture `held_machine` is a `Machine` on nodes and a simulated engine of the test's own process.
Time goes on only while the program waits for the machine, or sleeps by `held_machine.clock`: a
motion takes as long as it takes to compute.
"""

from collections.abc import Iterator

import pytest

from .held_clock import HeldClock
from .held_system import HeldMachine, held_system

__all__ = ["HeldClock", "HeldMachine", "held_machine", "held_system"]


@pytest.fixture
def held_machine() -> Iterator[HeldMachine]:
    """The default machine; its servos are off."""
    with held_system() as machine:
        yield machine
