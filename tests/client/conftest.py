"""Machines for the tests of the client library."""

from collections.abc import Iterator

import pytest
from system import System

from wmx_ros2_package.client import Machine


@pytest.fixture
def machine(system: System) -> Iterator[Machine]:
    """The system as a program uses it; every axis is on, at rest and without an alarm."""
    with Machine(domain=system.place.domain, timeout=30.0) as machine:
        machine.release()
        machine.axes.stop()
        system.client.eventually(lambda: machine.status().at_rest.all(), "all axes rest")
        machine.axes.clear()
        machine.axes.on()
        yield machine
