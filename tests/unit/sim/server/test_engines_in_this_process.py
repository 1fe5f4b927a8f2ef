"""Engines that run in this process: private ones, and one that it hosts for others."""

import runpy
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from documented_programs import program_of
from other_processes import Client, engine_processes, wait_until

from wmx_core.errors import CommandRefused, DriverUnavailable, EngineLost, ErrorCode, WmxError
from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import EmergencyStop, EngineState
from wmx_sim.server.engine_lock import EngineLock

Drivers = Callable[..., Driver]
Clients = Callable[[int], list[Client]]
ATTACH = "driver.engine.create_device('', 'client')"


@pytest.fixture
def running(drivers: Drivers) -> Driver:
    """A system that runs at the default device path, in another process; the servo of x is on."""
    driver = drivers()
    driver.engine.create_device("", "running")
    driver.engine.start_communication()
    driver.motion.set_servo(0, on=True)
    wait_until(lambda: bool(driver.motion.status().servo_on[0]))
    return driver


# Private


def test_a_private_engine_is_not_the_one_that_runs(
    runtime: Path, running: Driver, drivers: Drivers
) -> None:
    before = sorted(runtime.rglob("*"))
    private = drivers(in_process=True)
    private.engine.create_device("", "private")
    assert private.engine.state() is EngineState.RUNNING, "it does not communicate yet"
    private.engine.start_communication()
    private.motion.emergency_stop(EmergencyStop.FINAL)
    private.motion.stop(range(6))
    private.engine.stop_communication()
    assert sorted(runtime.rglob("*")) == before, "nothing by which others could reach it"
    status = running.motion.status()
    assert status.communicating
    assert status.emergency_stop is None
    assert status.servo_on[0]
    private.engine.close_device()
    assert running.engine.state() is EngineState.COMMUNICATING
    assert sorted(runtime.rglob("*")) == before, "neither sockets nor owners of axes"


def test_any_number_of_them_run_beside_each_other(drivers: Drivers) -> None:
    one, other = drivers(in_process=True), drivers(in_process=True)
    for driver in one, other:
        driver.engine.create_device("", "private")
    one.engine.start_communication()
    assert other.engine.state() is EngineState.RUNNING


def test_one_that_has_crashed_is_followed_by_a_new_one(drivers: Drivers) -> None:
    private = drivers(in_process=True)
    private.engine.create_device("", "private")
    private.engine.start_communication()
    assert private.faults is not None
    private.faults.play("[{crash_engine: {}}]")
    for call in private.motion.status, private.engine.state:
        with pytest.raises(EngineLost):
            call()
    private.engine.close_device()
    private.engine.create_device("", "again")
    assert private.engine.state() is EngineState.RUNNING


def test_the_documented_example_leaves_a_running_system_alone(
    runtime: Path, running: Driver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = running.motion.status()
    runpy.run_path(str(program_of("docs/simulation.md", tmp_path)))
    assert capsys.readouterr().out == "at [ 1.  -0.5]\n"
    after = running.motion.status()
    assert after.communicating
    assert after.emergency_stop is None
    assert after.pos_cmd.tolist() == before.pos_cmd.tolist()
    assert after.servo_on.tolist() == before.servo_on.tolist()


# Hosted


def test_no_engine_is_hosted_where_one_runs(
    runtime: Path, running: Driver, drivers: Drivers
) -> None:
    (engine,) = engine_processes(runtime)
    with pytest.raises(DriverUnavailable) as unavailable:
        drivers(hosts_engine=True)
    assert unavailable.value.code == ErrorCode.ResourceInUse
    assert f"process {engine} (" in unavailable.value.detail
    assert running.engine.state() is EngineState.COMMUNICATING


def test_nor_where_one_has_been_started_since(
    runtime: Path, drivers: Drivers, clients: Clients
) -> None:
    hosting, (client,) = drivers(hosts_engine=True), clients(1)
    assert client.ask(ATTACH) == "None"
    with pytest.raises(CommandRefused) as refused:
        hosting.engine.create_device("", "hosting")
    assert refused.value.code == ErrorCode.ResourceInUse
    assert f"process {engine_processes(runtime)[0]} (" in refused.value.detail
    assert client.ask("driver.engine.close_device()") == "None"
    wait_until(lambda: not engine_processes(runtime))
    hosting.engine.create_device("", "hosting")
    assert hosting.engine.state() is EngineState.RUNNING
    assert engine_processes(runtime) == []


def test_a_lock_that_another_engine_tidies_up_is_taken_afterwards(
    drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that starts holds for an instant the lock of each that was killed."""
    take = EngineLock.take
    held = [True, True]

    def taken(address: Path) -> EngineLock | None:
        return None if held and held.pop() else take(address)

    monkeypatch.setattr(EngineLock, "take", taken)
    hosting = drivers(hosts_engine=True)
    assert not held
    held.append(True)
    hosting.engine.create_device("", "hosting")
    assert hosting.engine.state() is EngineState.RUNNING


def test_another_device_path_is_free(runtime: Path, running: Driver) -> None:
    path = str(runtime / "another")
    hosting = open_driver("fake", DriverOptions(hosts_engine=True, device_path=path))
    hosting.engine.create_device(path, "hosting")
    hosting.engine.close_device()


def test_devices_that_attach_at_once_share_the_hosted_engine(drivers: Drivers) -> None:
    several = [drivers(hosts_engine=True) for _ in range(8)]
    errors: list[Exception] = []

    def attach(driver: Driver) -> None:
        try:
            driver.engine.create_device("", "one of them")
        except WmxError as error:
            errors.append(error)

    threads = [threading.Thread(target=attach, args=(driver,)) for driver in several]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    several[0].engine.start_communication()
    assert {driver.engine.state() for driver in several} == {EngineState.COMMUNICATING}


def test_a_second_driver_of_the_hosting_process_may_be_opened(drivers: Drivers) -> None:
    first = drivers(hosts_engine=True)
    first.engine.create_device("", "first")
    second = drivers(hosts_engine=True)
    second.engine.create_device("", "second")
    first.engine.start_communication()
    assert second.engine.state() is EngineState.COMMUNICATING


def test_an_engine_is_either_private_or_hosted() -> None:
    with pytest.raises(WmxError) as refused:
        DriverOptions(in_process=True, hosts_engine=True)
    assert refused.value.code == ErrorCode.ParamOutOfRange
