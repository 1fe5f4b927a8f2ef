"""Clients of the system in the process of the test."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from actuator_client import Actuators
from lifecycle_manager import Manager
from ros import Client
from system import System

from wmx_ros2_package.testing import HeldClock


@pytest.fixture
def clock() -> Iterator[HeldClock]:
    """One that the test holds."""
    with closing(HeldClock()) as clock:
        yield clock


@pytest.fixture(scope="module")
def client(system: System) -> Client:
    return system.client


@pytest.fixture(scope="module")
def actuators(client: Client) -> Actuators:
    return Actuators(client)


@pytest.fixture(scope="module")
def manager(client: Client) -> Manager:
    """The lifecycle manager, when it has brought the nodes up by itself."""
    manager = Manager(client)
    manager.become("active")
    return manager


@pytest.fixture
def all_active(manager: Manager, client: Client) -> None:
    """The test begins with a system that runs."""
    client.eventually(lambda: manager.set("bringup").success, "all are brought up")
    manager.become("active")
