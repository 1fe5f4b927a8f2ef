"""What tests of shared engines need: devices and other processes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from other_processes import Client

from wmx_ros2_package.drivers import open_driver
from wmx_ros2_package.drivers.interface import Driver


@pytest.fixture
def clients() -> Iterator[Callable[[int], list[Client]]]:
    """Starts so many clients; they are ended after the test."""
    started: list[Client] = []

    def start(count: int) -> list[Client]:
        started.extend(Client() for _ in range(count))
        assert [client.answer() for client in started[-count:]] == ["ready"] * count
        return started[-count:]

    yield start
    for client in started:
        client.end()


@pytest.fixture
def drivers(runtime: Path) -> Iterator[Callable[..., Driver]]:
    """Opens drivers in this process; their devices are closed after the test."""
    opened: list[Driver] = []

    def open_one(*, in_process: bool = False) -> Driver:
        opened.append(open_driver("fake", in_process=in_process))
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
