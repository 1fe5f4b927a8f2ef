"""One engine on one device path, whatever is killed or stopped when: real processes."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from other_processes import Client, engine_processes, kill, suspend, suspended, wait_until

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import EngineState
from wmx_sim.server import engine_client, starting

Clients = Callable[[int], list[Client]]
Drivers = Callable[..., Driver]
ATTACH = "driver.engine.create_device('', 'client')"
START = "driver.engine.start_communication()"
STATE = "driver.engine.state().name"


def test_a_starter_that_is_killed_leaves_the_engine_to_whoever_waits(
    runtime: Path, clients: Clients
) -> None:
    *starters, second, third = clients(5)
    for starter, wait in zip(starters, (0.0, 0.2, 0.5), strict=True):
        starter.tell(ATTACH)
        wait_until(lambda: bool(engine_processes(runtime)))
        second.tell(ATTACH)
        time.sleep(wait)
        starter.end()
        assert second.answer() == "None"
        assert second.ask(START) == "None"
        assert third.ask(ATTACH) == "None"
        assert third.ask(STATE) == "'COMMUNICATING'"
        wait_until(lambda: len(engine_processes(runtime)) == 1)
        assert len([*runtime.glob("*/*.sock")]) == len([*runtime.glob("*/*.lock")]) == 1
        for client in (second, third):
            assert client.ask("driver.engine.close_device()") == "None"
        wait_until(lambda: not engine_processes(runtime))


def test_an_engine_executes_no_file_of_the_folder_in_which_it_is_started(
    runtime: Path, drivers: Drivers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "yaml.py").write_text("raise SystemExit('foreign')")
    monkeypatch.chdir(tmp_path)
    driver = drivers()
    driver.engine.create_device("", "client")
    assert driver.engine.state() is EngineState.RUNNING


def test_a_stopped_engine_stays_the_only_one(
    runtime: Path, driver: Driver, drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.engine.start_communication()
    (engine,) = engine_processes(runtime)
    other = drivers()
    with suspended(engine), monkeypatch.context() as patch:
        patch.setattr(engine_client, "REPLY_TIMEOUT", 0.5)  # it does not answer
        with pytest.raises(CommandRefused) as refused:
            other.engine.create_device("", "other")
        assert refused.value.code == ErrorCode.CreateDeviceLockError
        assert f"process {engine} (" in refused.value.detail
        assert "is suspended" in refused.value.detail
        assert engine_processes(runtime) == [engine]
        with pytest.raises(EngineLost):
            driver.io.input_bit(0, 0)
    driver.engine.close_device()
    driver.engine.create_device("", "again")
    other.engine.create_device("", "other")
    assert len(engine_processes(runtime)) == 1
    driver.engine.start_communication()
    assert other.engine.state() is EngineState.COMMUNICATING


def test_an_engine_that_is_killed_while_it_is_stopped_has_a_successor(
    runtime: Path, driver: Driver, drivers: Drivers
) -> None:
    (engine,) = engine_processes(runtime)
    suspend(engine)
    os.kill(engine, signal.SIGKILL)
    other = drivers()
    other.engine.create_device("", "other")
    (successor,) = engine_processes(runtime)
    assert successor != engine


def test_a_new_thread_of_an_old_device_reaches_no_other_engine(
    runtime: Path, driver: Driver, drivers: Drivers
) -> None:
    (engine,) = engine_processes(runtime)
    kill(engine)
    other = drivers()
    other.engine.create_device("", "other")
    other.engine.start_communication()
    errors: list[EngineLost] = []

    def call() -> None:
        with pytest.raises(EngineLost) as lost:
            driver.io.input_bit(0, 0)
        errors.append(lost.value)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert "another engine has taken its place" in errors[0].detail


def test_a_start_that_takes_too_long_is_given_up(
    runtime: Path, drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = drivers()
    with monkeypatch.context() as patch:
        patch.setattr(starting, "START_TIMEOUT", 0.05)
        with pytest.raises(CommandRefused, match=r"did not start within 0\.05 s") as refused:
            driver.engine.create_device("", "test")
    assert refused.value.code == ErrorCode.StartProcessFailed
    assert engine_processes(runtime) == []
    driver.engine.create_device("", "test")
    assert driver.engine.state() is EngineState.RUNNING


def test_what_killed_engines_left_goes_with_the_next_start(runtime: Path, drivers: Drivers) -> None:
    for number in range(3):
        file = runtime / f"{number}.yaml"
        file.write_text("masters: [{slaves: [{name: drive, axes: 1}]}]")
        driver = drivers()
        driver.engine.create_device(str(file), "test")
        for engine in engine_processes(runtime):
            kill(engine)
        driver.engine.close_device()
        assert len([*runtime.glob("*/*.lock")]) == 1
    last = drivers()
    last.engine.create_device("", "last")
    last.engine.close_device()
    wait_until(lambda: not engine_processes(runtime))
    assert [*runtime.glob("*/*")] == []
