"""A system, and a shell whose commands reach it."""

import signal
from collections.abc import Iterator

import pytest
import system as systems
from command_line import Shell
from held_system import held_system
from ros import Client
from system import System

from wmx_ros2_package.cli.wmx import INTERRUPTS


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """The whole system on the default machine in the process of the test, ready."""
    with systems.place() as place, held_system(place) as system:
        system.ready()
        yield system


@pytest.fixture(scope="module")
def program() -> Iterator[System]:
    """The whole system on the default machine as its users start it, ready."""
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        yield system


@pytest.fixture
def client(system: System) -> Client:
    return system.client


@pytest.fixture
def shell(
    system: System, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    """What nodes in the same process log is no part of what a command prints.

    Nobody types the next command within a cycle of the supervisor: an axis is free again by then.
    """
    for name, value in system.place.environment.items():
        monkeypatch.setenv(name, value)
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    yield Shell(capsys, typing=0.05)
    for number, handler in before.items():
        signal.signal(number, handler)
