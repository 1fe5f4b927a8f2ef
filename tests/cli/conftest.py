"""A system, and a shell whose commands reach it."""

import pytest
from command_line import Shell
from ros import Client
from system import System


@pytest.fixture
def client(system: System) -> Client:
    return system.client


@pytest.fixture
def shell(system: System, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """What nodes in the same process log is no part of what a command prints.

    Nobody types the next command within a cycle of the supervisor: an axis is free again by then.
    """
    for name, value in system.place.environment.items():
        monkeypatch.setenv(name, value)
    shell.clock, shell.typing = system.client.clock, 0.05
    return shell
