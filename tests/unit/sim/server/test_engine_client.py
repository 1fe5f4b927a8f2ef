"""What crosses the socket between a device and its engine."""

import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from other_processes import wait_until

from wmx_core.errors import EngineLost, ErrorCode
from wmx_core.values import EngineState
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import default_machine
from wmx_sim.server import engine_client as clients
from wmx_sim.server.engine_client import LocalClient, RemoteClient
from wmx_sim.server.engine_lock import EngineLock
from wmx_sim.server.engine_server import EngineServer
from wmx_sim.server.handshake import version


class SlowEngine(SimulatedEngine):
    """An engine that takes for `home` until it is told to go on, and answers its state at once."""

    def __init__(self) -> None:
        super().__init__(default_machine())
        self.waiting, self.go_on = threading.Event(), threading.Event()

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> EngineState | None:
        if method == "state":
            return EngineState.RUNNING
        self.waiting.set()
        self.go_on.wait()
        return None


def server_of(engine: SimulatedEngine, address: Path) -> EngineServer:
    lock = EngineLock.take(address)
    assert lock is not None
    return EngineServer(engine, lock)


def home(client: RemoteClient) -> None:
    client.call("motion", "home", 0)


def state(client: RemoteClient) -> Any:
    return client.call("engine", "state")


@pytest.fixture
def slow(runtime: Path) -> Iterator[tuple[SlowEngine, RemoteClient]]:
    engine = SlowEngine()
    server = server_of(engine, runtime / "slow.sock")
    serving = threading.Thread(target=server.serve)
    serving.start()
    with closing(RemoteClient(runtime / "slow.sock")) as client:
        yield engine, client
        engine.go_on.set()
    serving.join()


def test_a_slow_call_on_one_thread_does_not_delay_another(
    slow: tuple[SlowEngine, RemoteClient],
) -> None:
    engine, client = slow
    answers: list[Any] = []
    caller = threading.Thread(target=lambda: answers.append(home(client)))
    caller.start()
    assert engine.waiting.wait(20.0)
    assert state(client) is EngineState.RUNNING
    assert answers == []
    engine.go_on.set()
    caller.join()
    assert answers == [None]


def test_threads_that_end_leave_no_connection(slow: tuple[SlowEngine, RemoteClient]) -> None:
    _, client = slow
    files = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        caller = threading.Thread(target=state, args=(client,))
        caller.start()
        caller.join()
    wait_until(lambda: len(os.listdir("/proc/self/fd")) < files + 10)


def test_a_closed_client_calls_nobody(slow: tuple[SlowEngine, RemoteClient]) -> None:
    _, client = slow
    client.close()
    client.close()
    for order in (lambda: state(client), client.status):
        with pytest.raises(EngineLost) as lost:
            order()
        assert lost.value.code == ErrorCode.IMLibIsNotRunning


def test_closing_ends_the_calls_of_other_threads(
    slow: tuple[SlowEngine, RemoteClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with their answers nor after the time these may take, and each with the same error."""
    engine, client = slow
    monkeypatch.setattr(clients, "REPLY_TIMEOUT", 600.0)
    errors: list[BaseException] = []

    def call() -> None:
        try:
            home(client)
        except BaseException as error:
            errors.append(error)

    callers = [threading.Thread(target=call) for _ in range(10)]
    for caller in callers:
        caller.start()
    assert engine.waiting.wait(20.0)
    client.close()
    for caller in callers:
        caller.join(20.0)
    assert not engine.go_on.is_set()
    assert [type(error) for error in errors] == [EngineLost] * len(callers)


def test_an_engine_that_nobody_attaches_to_ends(runtime: Path) -> None:
    address = runtime / "unused.sock"
    server = server_of(SimulatedEngine(default_machine()), address)
    serving = threading.Thread(target=server.serve)
    serving.start()
    device = LocalClient(server, "test")
    server.end_if_unused()
    assert address.exists()
    device.close()
    serving.join()
    assert not address.exists()
    with pytest.raises(EngineLost, match="just ended"):
        LocalClient(server, "test")


def test_a_look_from_inside_writes_nothing(runtime: Path) -> None:
    engine = SimulatedEngine(default_machine())
    server = server_of(engine, runtime / "inside.sock")
    with closing(LocalClient(server, "test")) as client:
        client.call("engine", "start_communication")
        before = engine.shared_state.record.tobytes()
        seen = client.status()
        assert seen.pos_cmd is client.status().pos_cmd, "it rests"
        assert client.call("engine", "state") is EngineState.COMMUNICATING
        assert engine.shared_state.record.tobytes() == before
        client.call("motion", "raise_alarm", 1, 7)
        assert client.status().alarm_code.tolist()[:2] == [0, 7]
    with pytest.raises(EngineLost, match="the device is closed"):
        client.status()


def test_a_late_answer_is_not_taken_for_that_to_a_later_call(
    slow: tuple[SlowEngine, RemoteClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, client = slow
    answers: list[EngineState] = []

    def call_twice() -> None:
        state(client)  # hands are shaken, which may take longer than the answer to come
        with monkeypatch.context() as patch:
            patch.setattr(clients, "REPLY_TIMEOUT", 0.05)
            with pytest.raises(EngineLost):
                home(client)
        engine.go_on.set()
        with pytest.raises(EngineLost):
            answers.append(state(client))

    caller = threading.Thread(target=call_twice)
    caller.start()
    caller.join()
    assert answers == []
    assert state(client) is EngineState.RUNNING, "other threads are not concerned"


def test_a_late_handshake_is_not_taken_for_the_answer_to_a_call(
    slow: tuple[SlowEngine, RemoteClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = slow
    go_on = threading.Event()
    monkeypatch.setattr("wmx_sim.server.engine_server.version", lambda: go_on.wait() and version())
    monkeypatch.setattr(clients, "REPLY_TIMEOUT", 0.05)
    answers: list[EngineState] = []

    def call_again() -> None:
        with pytest.raises(EngineLost):
            state(client)
        go_on.set()
        monkeypatch.setattr(clients, "REPLY_TIMEOUT", 20.0)
        answers.extend([state(client), state(client)])

    caller = threading.Thread(target=call_again)
    caller.start()
    caller.join()
    assert answers == [EngineState.RUNNING, EngineState.RUNNING]
