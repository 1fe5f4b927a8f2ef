"""Processes that are killed or stopped in the middle of a move: what becomes of the rest.

Whatever happens, everything can be used again within 5 s, and nothing is left behind.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from other_processes import Client, engine_processes, suspended, wait_until

from wmx_core.errors import CommandRefused, EngineLost
from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.values import EngineState, OperationState, PositionMove

Clients = Callable[[int], list[Client]]
Drivers = Callable[..., Driver]
USABLE_AGAIN = 5.0
"""s."""
ATTACH = "driver.engine.create_device('', 'client')"
IMPORT = "exec('from wmx_core.values import *', globals())"
MOVE = "driver.motion.move_absolute([PositionMove(axis=1, target=1.0, velocity=0.5, acc=9, dec=9)])"
POSITION = "float(driver.motion.status().pos_cmd[1])"


@pytest.fixture(autouse=True)
def nothing_is_left(runtime: Path) -> Iterator[None]:
    """No process, socket, lock or log, once the last device has closed.

    Not even those of an engine that was killed, when another one has been there since.
    """
    yield
    last = open_driver("fake")
    last.engine.create_device("", "the last one")
    last.engine.close_device()
    wait_until(lambda: not [*runtime.glob("*/*")])


def powered(driver: Driver) -> Driver:
    driver.engine.start_communication()
    for axis in 0, 1:
        driver.motion.set_servo(axis, on=True)
    wait_until(lambda: bool(driver.motion.status().servo_on[:2].all()))
    return driver


def move(driver: Driver, target: float, velocity: float = 0.5) -> None:
    driver.motion.move_absolute(
        [PositionMove(axis=0, target=target, velocity=velocity, acc=9.0, dec=9.0)]
    )


def arrives(driver: Driver, axis: int, target: float) -> None:
    def is_there() -> bool:
        status = driver.motion.status()
        return status.op_state[axis] == OperationState.IDLE and status.pos_cmd[axis] == target

    wait_until(is_there)


def attach_again(driver: Driver) -> None:
    """As a node does: again and again, until it succeeds."""
    while True:
        driver.engine.close_device()
        try:
            driver.engine.create_device("", "again")
            return
        except CommandRefused:
            time.sleep(0.05)


def test_the_engine_is_stopped_for_three_seconds(
    runtime: Path, driver: Driver, clients: Clients
) -> None:
    """Less than an answer may take: nobody loses it, and what was called is carried out."""
    (other,) = clients(1)
    assert other.ask(ATTACH) == other.ask(IMPORT) == "None"
    move(powered(driver), 1.0)
    (engine,) = engine_processes(runtime)
    with suspended(engine):
        other.tell(MOVE)
        time.sleep(3.0)
    assert other.answer() == "None"
    assert driver.engine.state() is EngineState.COMMUNICATING
    arrives(driver, 0, 1.0)
    arrives(driver, 1, 1.0)
    assert engine_processes(runtime) == [engine]


def test_a_client_is_killed(driver: Driver, clients: Clients) -> None:
    """Its move ends where it was to end, and the others notice nothing."""
    (client,) = clients(1)
    assert client.ask(ATTACH) == client.ask(IMPORT) == "None"
    powered(driver)
    assert client.ask(MOVE) == "None"
    move(driver, 1.0)
    client.end()
    assert driver.motion.status().op_state[:2].tolist() == [OperationState.POS] * 2
    arrives(driver, 0, 1.0)
    arrives(driver, 1, 1.0)


def test_a_client_is_stopped(driver: Driver, clients: Clients) -> None:
    (client,) = clients(1)
    assert client.ask(ATTACH) == client.ask(IMPORT) == "None"
    powered(driver)
    assert client.ask(MOVE) == "None"
    with suspended(client.process.pid):
        began = time.monotonic()
        move(driver, 0.25, velocity=10.0)
        assert time.monotonic() - began < 1.0, "nobody waits for it"
        arrives(driver, 0, 0.25)
        time.sleep(3.0)
    assert client.ask(POSITION) == "1.0"
    assert client.ask("driver.engine.state().name") == "'COMMUNICATING'"


def test_the_process_is_killed_in_which_the_engine_runs(
    runtime: Path, drivers: Drivers, clients: Clients
) -> None:
    """Somebody else who was attached starts the next engine, in a process of its own."""
    (owner,) = clients(1)
    inside = "open_driver('fake', DriverOptions(hosts_engine=True))"
    assert owner.ask(f"exec('inside = {inside.replace(chr(39), chr(34))}', globals())") == "None"
    assert owner.ask("inside.engine.create_device('', 'inside')") == "None"
    driver = drivers()
    driver.engine.create_device("", "outside")
    assert engine_processes(runtime) == []
    move(powered(driver), 10.0)
    owner.end()
    began = time.monotonic()
    wait_until(lambda: is_lost(driver))
    attach_again(driver)
    move(powered(driver), 0.25, velocity=10.0)
    assert time.monotonic() - began < USABLE_AGAIN
    arrives(driver, 0, 0.25)


def is_lost(driver: Driver) -> bool:
    try:
        driver.engine.state()
    except EngineLost:
        return True
    return False
