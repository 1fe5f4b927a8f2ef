"""Clients of the system in the process of the test."""

import pytest
from actuator_client import Actuators
from ros import Client
from system import System


@pytest.fixture(scope="module")
def client(system: System) -> Client:
    return system.client


@pytest.fixture(scope="module")
def actuators(client: Client) -> Actuators:
    return Actuators(client)
