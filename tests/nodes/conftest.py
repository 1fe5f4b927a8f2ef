"""Systems for the tests of nodes, in the process of the test, one a module."""

from collections.abc import Iterator

import pytest
import system as systems
from held_system import HeldSystem, held_system
from ros import Client
from system import System


@pytest.fixture(scope="module")
def system() -> Iterator[HeldSystem]:
    """The whole system on the default machine, ready."""
    with systems.place() as place, held_system(place) as system:
        system.ready()
        yield system


@pytest.fixture(scope="module")
def program() -> Iterator[System]:
    """The whole system on the default machine as its users start it, ready."""
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        yield system


@pytest.fixture(scope="module")
def client(system: System) -> Client:
    return system.client
