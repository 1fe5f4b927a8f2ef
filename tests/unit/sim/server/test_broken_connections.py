"""A connection that breaks a rule is closed, and nothing else happens."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import msgpack
import numpy as np
import pytest
from descriptors import descriptors
from waits import eventually

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import EngineState, SplineMove
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import default_machine
from wmx_sim.server import connection as connections
from wmx_sim.server import engine_client, engine_server
from wmx_sim.server.codec import EngineMistake, pack, result_of
from wmx_sim.server.connection import Connection, connect
from wmx_sim.server.engine_client import LocalClient, RemoteClient
from wmx_sim.server.engine_lock import EngineLock
from wmx_sim.server.engine_server import EngineServer
from wmx_sim.server.handshake import version

HANDSHAKE = pack((version(), "test"))


@pytest.fixture
def address(runtime: Path) -> Iterator[Path]:
    """An engine that this process serves."""
    address = runtime / "engine.sock"
    lock = EngineLock.take(address)
    assert lock is not None
    server = EngineServer(SimulatedEngine(default_machine()), lock)
    serving = threading.Thread(target=server.serve)
    serving.start()
    with closing(LocalClient(server, "inside")):
        yield address
    serving.join()


def is_ended(connection: Connection) -> bool:
    try:
        connection.receive(20.0)
    except (EOFError, OSError) as error:
        return not isinstance(error, TimeoutError)
    return False


def devices(address: Path) -> tuple[str, ...]:
    with closing(RemoteClient(address, "asking")) as client:
        names: tuple[str, ...] = client.call("engine", "devices")
        return names


@pytest.mark.parametrize("sent", [b"", HANDSHAKE[:10]], ids=["nothing", "half a handshake"])
def test_a_client_that_stops_in_the_middle_is_left(
    address: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    connected = socket.socket(socket.AF_UNIX)
    with closing(Connection(connected)) as connection, monkeypatch.context() as patch:
        patch.setattr(engine_server, "REPLY_TIMEOUT", 0.2)
        connected.connect(os.fspath(address))
        with suppress(BrokenPipeError):  # it was left before
            connected.sendall(sent)
        assert is_ended(connection)
    assert devices(address) == ("inside", "asking")


def test_a_device_may_be_idle_for_longer_than_a_reply_may_take(
    address: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_server, "REPLY_TIMEOUT", 0.05)

    def attached() -> RemoteClient | None:
        with suppress(*connections.BROKEN):  # the handshake has taken longer
            return RemoteClient(address, "idle")
        return None

    with closing(eventually(attached, "hands are shaken in time")) as client:
        time.sleep(0.15)
        assert client.call("engine", "devices") == ("inside", "idle")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("sent", [b"\xc1", pack(5), pack(("a", "b", "c"))], ids=repr)
def test_what_is_no_handshake_ends_the_connection(address: Path, sent: bytes) -> None:
    with closing(connect(address)) as connection:
        connection.send(sent)
        assert is_ended(connection)
    assert devices(address) == ("inside", "asking")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_device_that_sends_no_call_is_detached(address: Path) -> None:
    with closing(connect(address)) as connection:
        connection.send(HANDSHAKE)
        _, file = connection.receive_with_file(20.0)
        assert file is not None
        os.close(file)
        assert devices(address) == ("inside", "test", "asking")
        connection.send(b"\xc1")
        assert is_ended(connection)
    assert devices(address) == ("inside", "asking")


def test_another_version_is_refused(address: Path) -> None:
    with closing(connect(address)) as connection:
        connection.send(pack(("another", "test")))
        reply, file = connection.receive_with_file(20.0)
        assert file is None
        with pytest.raises(CommandRefused, match="another version"):
            result_of(reply)
        assert is_ended(connection)


@pytest.mark.parametrize(
    "reply",
    [msgpack.packb((False, msgpack.ExtType(100, b""))), pack((False, "a text")), pack(5)],
    ids=["unknown type", "mistake", "another shape"],
)
def test_an_engine_whose_reply_is_unreadable_counts_as_another_version(
    runtime: Path, reply: bytes
) -> None:
    address = runtime / "other.sock"

    def answer() -> None:
        connected, _ = listener.accept()
        with connected:
            connected.recv(connections.PIECE)
            connected.sendall(reply)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen()
        answering = threading.Thread(target=answer)
        answering.start()
        with pytest.raises(CommandRefused, match="another version") as refused:
            RemoteClient(address, "test")
        answering.join()
    assert refused.value.code == ErrorCode.StartProcessFailed
    address.unlink()


@pytest.mark.parametrize(
    ("part", "method"),
    [("motion", "stop_communication"), ("motion", "apply_parameters"), ("engine", "attach")],
)
def test_what_is_not_declared_or_local_cannot_be_called(
    address: Path, part: str, method: str
) -> None:
    with closing(connect(address)) as connection:
        connection.send(HANDSHAKE)
        _, file = connection.receive_with_file(20.0)
        assert file is not None
        os.close(file)
        connection.send(pack((part, method, (), {})))
        succeeded, error = connection.receive(20.0)
        assert not succeeded
        assert error.startswith("AttributeError")


def test_a_mistaken_call_leaves_the_connection(address: Path) -> None:
    """Also one whose arguments no message can hold."""
    with closing(RemoteClient(address, "test")) as client:
        client.call("engine", "start_communication")
        with pytest.raises(TypeError, match="no value of the driver interface"):
            client.call("motion", "stop", {1, 2})
        with pytest.raises(EngineMistake, match="TypeError"):
            client.call("motion", "home", "not", "an axis")
        with pytest.raises(AttributeError, match=r"no motion\.go_home"):
            client.call("motion", "go_home", 0)
        for wrong, refusal in ((None, "ServoOff"), (2**64, "more than 64 bits")):
            times = np.array([0.0, wrong], dtype=object)
            spline = SplineMove(axes=(0,), times=times, positions=np.zeros((2, 1)))
            with pytest.raises(CommandRefused, match=refusal):
                client.call("motion", "move_spline", spline)
        assert client.call("engine", "state") is EngineState.COMMUNICATING


def test_an_engine_that_sends_no_reply_is_given_up(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_client, "REPLY_TIMEOUT", 0.2)
    address = runtime / "silent.sock"
    with socket.socket(socket.AF_UNIX) as listener, descriptors() as count:
        listener.bind(str(address))
        listener.listen()
        files = count()
        with pytest.raises(TimeoutError):
            RemoteClient(address, "test")
        assert count() == files
    address.unlink()


def test_an_engine_that_accepts_no_connection_is_given_up(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REPLY_TIMEOUT", 0.2)
    address = runtime / "suspended.sock"
    with socket.socket(socket.AF_UNIX) as listener, descriptors() as count:
        listener.bind(str(address))
        listener.listen(0)
        with closing(connect(address)):  # as many as wait for an engine that is suspended
            files = count()
            with pytest.raises(TimeoutError):
                connect(address)
            assert count() == files
    address.unlink()


def test_a_reply_that_breaks_off_is_no_reply(runtime: Path) -> None:
    ours, theirs = socket.socketpair()
    with closing(Connection(ours)) as connection:
        with theirs:
            theirs.sendall(pack((True, "x" * 100))[:50])
        with pytest.raises(EOFError):
            connection.receive(20.0)


def test_a_message_of_many_pieces_arrives(runtime: Path) -> None:
    ours, theirs = socket.socketpair()
    text = "x" * (3 * connections.PIECE)
    with closing(Connection(ours)) as sending, closing(Connection(theirs)) as receiving:
        sender = threading.Thread(target=sending.send, args=(pack(text),))
        sender.start()
        assert receiving.receive(20.0) == text
        sender.join()
