"""Systems for the tests of nodes: `bringup` as a process, its engine inside, one a module."""

from collections.abc import Iterator

import pytest
import system as systems
from ros import Client
from system import System


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """The whole system on the default machine, ready."""
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        yield system


@pytest.fixture(scope="module")
def client(system: System) -> Client:
    return system.client
