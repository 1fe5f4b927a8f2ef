"""One engine for many processes: real processes, real sockets."""

import os
import re
import signal
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from descriptors import descriptors
from other_processes import Client, engine_processes, wait_until

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, ParameterFileError, WmxError
from wmx_core.interface import Driver
from wmx_core.values import EngineState
from wmx_sim.server.engine_client import RemoteClient

Clients = Callable[[int], list[Client]]
Drivers = Callable[..., Driver]
ATTACH = "driver.engine.create_device('', 'client')"
CLOSE = "driver.engine.close_device()"
SERVOS = "driver.motion.status().servo_on.tolist()"


def sockets(runtime: Path) -> list[Path]:
    return [*runtime.glob("*/*.sock")]


def servo_on(driver: Driver, axis: int) -> None:
    driver.motion.set_servo(axis, on=True)
    wait_until(lambda: bool(driver.motion.status().servo_on[axis]))


def is_lost(call: Callable[[], object]) -> bool:
    try:
        call()
    except EngineLost as error:
        return error.code == ErrorCode.IMLibIsNotRunning
    return False


# The life of the engine


def test_the_first_device_starts_the_engine_and_the_last_one_ends_it(
    runtime: Path, drivers: Drivers, clients: Clients
) -> None:
    first, (second,) = drivers(), clients(1)
    assert first.engine.state() is EngineState.IDLE
    assert (engine_processes(runtime), sockets(runtime)) == ([], [])
    first.engine.create_device("/opt/wmx3", "first")
    assert (len(engine_processes(runtime)), len(sockets(runtime))) == (1, 1)
    first.engine.start_communication()
    servo_on(first, 3)

    assert second.ask(ATTACH) == "None"
    assert len(engine_processes(runtime)) == 1
    assert second.ask(SERVOS) == "[False, False, False, True, False, False]"
    assert second.ask("driver.motion.set_servo(3, on=False)") == "None"
    assert not first.motion.status().servo_on[3]

    first.engine.close_device()
    assert len(engine_processes(runtime)) == 1
    assert second.ask("driver.engine.state().name") == "'COMMUNICATING'"
    assert second.ask(CLOSE) == "None"
    wait_until(lambda: not engine_processes(runtime))
    assert sockets(runtime) == []
    assert [*runtime.glob("*/*")] == []


def test_many_that_attach_at_once_share_one_engine(runtime: Path, clients: Clients) -> None:
    crowd = clients(5)
    for client in crowd:
        client.tell(ATTACH)
    assert [client.answer() for client in crowd] == ["None"] * 5
    assert len(engine_processes(runtime)) == 1
    assert crowd[0].ask("driver.engine.start_communication()") == "None"
    states = [client.ask("driver.engine.state().name") for client in crowd]
    assert states == ["'COMMUNICATING'"] * 5
    for client in crowd:
        client.tell(CLOSE)
    assert [client.answer() for client in crowd] == ["None"] * 5


def test_each_device_path_has_an_engine_of_its_own(
    runtime: Path, drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = runtime / "two.yaml"
    file.write_text("masters: [{slaves: [{name: drive, axes: 2}]}]")
    monkeypatch.chdir(runtime)
    default, named, relative = drivers(), drivers(), drivers()
    default.engine.create_device("", "default")
    named.engine.create_device(str(file), "named")
    relative.engine.create_device("./two.yaml", "relative")
    assert [each.motion.status().axes for each in (default, named, relative)] == [6, 2, 2]
    assert (len(engine_processes(runtime)), len(sockets(runtime))) == (2, 2)


@pytest.mark.parametrize("local_closes_first", [True, False])
def test_an_engine_inside_this_process_serves_others_too(
    runtime: Path, drivers: Drivers, clients: Clients, local_closes_first: bool
) -> None:
    local, (other,) = drivers(hosts_engine=True), clients(1)
    local.engine.create_device("", "local")
    local.engine.start_communication()
    servo_on(local, 0)
    assert other.ask(ATTACH) == "None"
    assert other.ask(SERVOS) == "[True, False, False, False, False, False]"
    assert engine_processes(runtime) == []
    if local_closes_first:
        local.engine.close_device()
        assert other.ask("driver.engine.state().name") == "'COMMUNICATING'"
        assert other.ask(CLOSE) == "None"
    else:
        assert other.ask(CLOSE) == "None"
        assert local.engine.state() is EngineState.COMMUNICATING
        local.engine.close_device()
    assert sockets(runtime) == []
    local.engine.create_device("", "a new engine")
    assert local.engine.state() is EngineState.RUNNING


def test_the_engine_knows_its_devices_by_name(
    runtime: Path, drivers: Drivers, clients: Clients
) -> None:
    local, second, (other,) = drivers(hosts_engine=True), drivers(), clients(1)
    local.engine.create_device("", "local")
    second.engine.create_device("", "second")
    assert other.ask(ATTACH) == "None"
    with closing(RemoteClient(sockets(runtime)[0], "looking on")) as link:
        assert link.call("engine", "devices") == ("local", "second", "client", "looking on")
        second.engine.close_device()
        other.end()
        wait_until(lambda: link.call("engine", "devices") == ("local", "looking on"))


# An engine that crashes


@pytest.mark.parametrize("hosting", [True, False])
def test_a_crashed_engine_is_lost_for_all_and_can_be_started_again(
    runtime: Path, drivers: Drivers, clients: Clients, hosting: bool
) -> None:
    driver, (other,) = drivers(hosts_engine=hosting), clients(1)
    driver.engine.create_device("", "first")
    assert other.ask(ATTACH) == "None"
    processes = engine_processes(runtime)
    assert driver.faults is not None
    driver.faults.play("[{crash_engine: {}}]")
    for call in driver.motion.status, driver.engine.state, lambda: driver.io.input_bit(0, 0):
        assert is_lost(call)
    assert "EngineLost: Error=263 (IMLibIsNotRunning)" in other.ask("driver.motion.status()")
    wait_until(lambda: not set(processes) & set(engine_processes(runtime)))

    driver.engine.close_device()
    driver.engine.create_device("", "again")
    assert driver.engine.state() is EngineState.RUNNING
    assert other.ask(CLOSE) == other.ask(ATTACH) == "None"
    assert other.ask("driver.engine.state().name") == "'RUNNING'"
    assert other.ask(CLOSE) == "None"
    driver.engine.close_device()
    wait_until(lambda: not engine_processes(runtime) and not sockets(runtime))


# Time that is held


@pytest.mark.parametrize("hosting", [True, False])
def test_time_is_held_for_all_and_goes_on_for_all(
    runtime: Path, drivers: Drivers, clients: Clients, hosting: bool
) -> None:
    driver, (other,) = drivers(hosts_engine=hosting), clients(1)
    driver.engine.create_device("", "first")
    driver.engine.start_communication()
    assert other.ask(ATTACH) == "None"
    servo_on(driver, 3)
    assert driver.faults is not None
    cycle = "driver.motion.status().cycle"

    driver.faults.play("[{hold_time: {}}]")
    wait_until(lambda: driver.faults is not None and driver.faults.time()[1])
    held = driver.motion.status()
    assert [int(other.ask(cycle)) for _ in range(3)] == [held.cycle] * 3
    assert driver.motion.status().time > held.time

    driver.faults.play("[{run_time: {}}, {after: 20, hold_time: {}}]")
    wait_until(lambda: driver.faults is not None and driver.faults.time()[1])
    assert int(other.ask(cycle)) == driver.motion.status().cycle == held.cycle + 20

    driver.faults.play("[{run_time: {}}]")
    wait_until(lambda: int(other.ask(cycle)) > held.cycle + 100)
    assert int(other.ask(cycle)) <= driver.motion.status().cycle
    driver.engine.close_device()


# Who may enter


def test_only_this_user_may_enter(runtime: Path, driver: Driver) -> None:
    (socket,) = sockets(runtime)
    assert stat.filemode(socket.stat().st_mode) == "srw-------"
    assert stat.filemode(socket.parent.stat().st_mode) == "drwx------"


def test_a_directory_that_others_may_enter_is_refused(runtime: Path, drivers: Drivers) -> None:
    directory = runtime / f"wmx-fake-{os.getuid()}"
    directory.mkdir()
    directory.chmod(0o750)
    with pytest.raises(CommandRefused, match=r"must belong to user .* alone") as refused:
        drivers().engine.create_device("", "test")
    assert refused.value.code == ErrorCode.StartProcessFailed
    assert [*directory.iterdir()] == []


@pytest.mark.parametrize("hosting", [True, False])
@pytest.mark.parametrize("place", ["missing", "x" * 90], ids=["missing", "long"])
def test_a_place_where_no_socket_can_be(
    runtime: Path, drivers: Drivers, monkeypatch: pytest.MonkeyPatch, place: str, hosting: bool
) -> None:
    """It shows when a device attaches; the driver can be opened."""
    if place != "missing":
        (runtime / place).mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime / place))
    driver = drivers(hosts_engine=hosting)
    with pytest.raises(CommandRefused, match=str(runtime / place)) as refused:
        driver.engine.create_device("", "test")
    assert refused.value.code == ErrorCode.StartProcessFailed
    assert "Traceback" not in str(refused.value)


# What cannot be simulated


@pytest.mark.parametrize("hosting", [True, False])
@pytest.mark.parametrize(
    ("content", "reason"), [(None, "no such file"), ("masters: 5", "masters = 5: must be a list")]
)
def test_a_bad_machine_file_is_refused_with_its_mistake(
    runtime: Path, drivers: Drivers, content: str | None, reason: str, hosting: bool
) -> None:
    file = runtime / "machine.yaml"
    if content is not None:
        file.write_text(content)
    driver = drivers(hosts_engine=hosting)
    with pytest.raises(WmxError) as refused:
        driver.engine.create_device(str(file), "test")
    assert refused.value.detail == f"{file}: {reason}"
    assert refused.value.code == ErrorCode.ParamOutOfRange
    assert driver.engine.state() is EngineState.IDLE
    assert engine_processes(runtime) == []
    assert [*runtime.glob("*/*")] == []


@pytest.mark.parametrize("hosting", [True, False])
@pytest.mark.parametrize("name", ["machine.ymal", "machine.json", "machine.yaml~", "there"])
def test_a_machine_file_of_another_ending_starts_no_default_machine(
    runtime: Path, drivers: Drivers, name: str, hosting: bool
) -> None:
    (runtime / "there").touch()
    path = runtime / name
    rule = f"device_path is '{path}': must be a machine file, which ends in .yaml or .yml"
    with pytest.raises(CommandRefused, match=re.escape(rule)):
        drivers(hosts_engine=hosting).engine.create_device(str(path), "test")
    assert sockets(runtime) == []


@pytest.mark.parametrize("name", ["wmx3", "wmx3-3.6u5", "lmx.d/"])
def test_where_the_sdk_may_stand_is_a_default_machine(
    runtime: Path, drivers: Drivers, name: str
) -> None:
    (runtime / "lmx.d").mkdir()
    driver = drivers(hosts_engine=True)
    driver.engine.create_device(str(runtime / name), "test")
    assert driver.motion.status().axes == 6


def test_a_bad_parameter_file_is_refused_alike_inside_and_outside(
    runtime: Path, drivers: Drivers
) -> None:
    file = runtime / "machine.yaml"
    file.write_text("{parameters: none.xml, masters: [{slaves: [{name: drive, axes: 1}]}]}")
    errors = []
    for hosting in True, False:
        with pytest.raises(ParameterFileError, match=r"none\.xml") as refused:
            drivers(hosts_engine=hosting).engine.create_device(str(file), "test")
        errors.append(str(refused.value))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("hosting", [True, False])
@pytest.mark.parametrize(
    "path", ["a\0b", "x" * 300_000, f"/{'y/' * 5000}z.yaml"], ids=["NUL", "name", "path"]
)
def test_a_path_that_is_none_is_refused(
    runtime: Path, drivers: Drivers, path: str, hosting: bool
) -> None:
    with pytest.raises(WmxError) as refused:
        drivers(hosts_engine=hosting).engine.create_device(path, "test")
    assert len(str(refused.value)) < 10_000
    assert sockets(runtime) == []


# What attaching again and again leaves


def test_attaching_again_and_again_keeps_no_descriptor(
    runtime: Path, driver: Driver, drivers: Drivers
) -> None:
    """Also where nothing is collected meanwhile, and other threads have called."""
    again = drivers()
    with descriptors() as count:
        files = 0
        for turn in range(20):
            again.engine.create_device("", "again")
            threads = [threading.Thread(target=again.engine.state) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            again.motion.status()
            again.engine.close_device()
            files = files or count()
            assert count() == files, f"turn {turn}"


def test_a_device_whose_engine_was_killed_keeps_no_descriptor(
    runtime: Path, drivers: Drivers
) -> None:
    with descriptors() as count:
        driver, files = drivers(), count()
        driver.engine.create_device("", "test")
        for engine in engine_processes(runtime):
            os.kill(engine, signal.SIGKILL)
        wait_until(lambda: is_lost(driver.motion.status))
        driver.engine.close_device()
        assert count() == files
    driver.engine.create_device("", "again")
