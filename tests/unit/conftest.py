"""What tests of shared engines need: devices and other processes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode, close_all
from other_processes import Client

from wmx_core.interface import Driver
from wmx_core.opening import GROUP, open_driver
from wmx_core.options import DriverOptions


@pytest.fixture(scope="module")
def idle_clients() -> Iterator[list[Client]]:
    """Those that a test before has had, and that serve still."""
    idle: list[Client] = []
    yield idle
    for client in idle:
        client.end()


@pytest.fixture
def clients(idle_clients: list[Client]) -> Iterator[Callable[[int], list[Client]]]:
    """Gives so many clients, whose devices are closed after the test."""
    given: list[Client] = []

    def give(count: int) -> list[Client]:
        chosen = [idle_clients.pop() if idle_clients else Client() for _ in range(count)]
        given.extend(chosen)
        for client in chosen:
            client.begin()
        return chosen

    yield give
    for client in given:
        if client.serves():
            idle_clients.append(client)
        else:
            client.end()


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package on Python's path that offers the drivers `mine`, which works, and `broken`."""
    (tmp_path / "other_engine.py").write_text(
        "from wmx_core.opening import open_driver\n"
        "def open_mine(options):\n"
        "    return open_driver('fake', options)\n"
    )
    described = tmp_path / "other_engine-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: other-engine\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(
        f"[{GROUP}]\nmine = other_engine:open_mine\nbroken = other_engine:open_nothing\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture
def drivers(runtime: Path) -> Iterator[Callable[..., Driver]]:
    """Opens drivers in this process; their devices are closed after the test."""
    opened: list[Driver] = []

    def open_one(**options: bool) -> Driver:
        opened.append(open_driver("fake", DriverOptions(**options)))
        return opened[-1]

    yield open_one
    for driver in opened:
        driver.engine.close_device()


@pytest.fixture
def driver(drivers: Callable[..., Driver]) -> Driver:
    """A device on an engine in its own process."""
    driver = drivers()
    driver.engine.create_device("", "test")
    return driver


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's runtime directory, where no process leaves anything."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def held() -> HeldEngine:
    """An engine whose two axes are on."""
    held = HeldEngine().servo_on()
    held.after(1.0)
    return held


@pytest.fixture
def nodes(private: Path) -> Iterator[Callable[..., HeldNode]]:
    """Makes nodes on held engines; they leave after the test."""
    made: list[HeldNode] = []

    def make(held: HeldEngine, *arguments: Any, **fields: Any) -> HeldNode:
        made.append(HeldNode(held, *arguments, **fields))
        return made[-1]

    yield make
    close_all(made)


@pytest.fixture
def node(held: HeldEngine, nodes: Callable[..., HeldNode]) -> HeldNode:
    """A node on `held`."""
    return nodes(held)
