"""A client of the system in the process of the test."""

import pytest
from ros import Client
from system import System


@pytest.fixture(scope="module")
def client(system: System) -> Client:
    return system.client
