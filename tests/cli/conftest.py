"""A system, and a shell whose commands reach it."""

import signal
from collections.abc import Iterator

import pytest
import system as systems
from command_line import Shell
from ros import Client
from system import System

from wmx_ros2_package.cli.wmx import INTERRUPTS


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """The whole system on the default machine, ready."""
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        yield system


@pytest.fixture
def client(system: System) -> Client:
    return system.client


@pytest.fixture
def shell(
    system: System, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    for name, value in system.place.environment.items():
        monkeypatch.setenv(name, value)
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    yield Shell(capfd)
    for number, handler in before.items():
        signal.signal(number, handler)
