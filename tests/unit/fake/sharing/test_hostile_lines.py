"""Whoever breaks a rule at the engine's socket loses its connection, and nothing else happens."""

import os
import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from other_processes import engine_processes, wait_until

from wmx_ros2_package.drivers.errors import CommandRefused, EngineLost
from wmx_ros2_package.drivers.fake.engine import FakeEngine
from wmx_ros2_package.drivers.fake.machine.description import default_machine
from wmx_ros2_package.drivers.fake.sharing import host as hosts
from wmx_ros2_package.drivers.fake.sharing import line as lines
from wmx_ros2_package.drivers.fake.sharing.claim import Claim
from wmx_ros2_package.drivers.fake.sharing.encoding import (
    pack,
    pack_call,
    unpack_answer,
    version,
)
from wmx_ros2_package.drivers.fake.sharing.greeting import CHANNEL, DEVICE, Hello
from wmx_ros2_package.drivers.fake.sharing.host import Host
from wmx_ros2_package.drivers.fake.sharing.line import Line
from wmx_ros2_package.drivers.fake.sharing.link import SocketLink
from wmx_ros2_package.drivers.fake.sharing.value_types import Malformed
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.values import EngineState

SEED = 20261121
HELLO = pack(Hello(version(), DEVICE, "hostile"))
CALLS = [
    pack_call("motion", "status", (), {}),
    pack_call("io", "input_bytes", (0, 4), {}),
    pack_call("ecat", "network_state", (0,), {}),
    pack_call("ecat", "read_sdo", (0, 0, 0x6064, 0, 4), {}),
]
"""Of queries, so that none of their mutants can order anything."""


def framed(message: bytes) -> bytes:
    return struct.pack("!I", len(message)) + message


def mutated(chance: random.Random, data: bytes) -> bytes:
    """`data` with a few bytes changed, cut out, or put in."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(3):
            case 0:
                changed[at : at + 1] = chance.randbytes(1)
            case 1:
                del changed[at : at + chance.randint(1, 8)]
            case _:
                changed[at:at] = chance.randbytes(chance.randint(1, 8))
    return bytes(changed)


def hostile(chance: random.Random) -> list[bytes]:
    """What one connection sends, piece by piece."""
    match chance.randrange(9):
        case 0:
            return [chance.randbytes(chance.randint(0, 300))]
        case 1:
            return [framed(chance.randbytes(chance.randint(0, 300)))]
        case 2:
            return [struct.pack("!I", chance.choice([2**21 + 1, 2**31, 2**32 - 1])), b"x" * 100]
        case 3:
            return [framed(HELLO)[: chance.randint(0, len(HELLO))]]
        case 4:
            return [mutated(chance, framed(HELLO))]
        case 5:
            return [framed(HELLO) + framed(chance.choice(CALLS))]
        case 6:
            return [framed(HELLO), mutated(chance, framed(chance.choice(CALLS)))]
        case 7:
            return [framed(HELLO), framed(mutated(chance, chance.choice(CALLS)))]
        case _:
            deep = bytes([chance.choice([0x91, 0x81, 0xDD])]) * chance.randint(1, 3000)
            return [framed(HELLO), framed(deep)]


def attack(address: Path, pieces: list[bytes]) -> None:
    """Send `pieces`, and sometimes an open file with them, and go."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(address))  # waits where too many are waiting
        with suppress(OSError):  # the engine need not hear it out
            for number, piece in enumerate(pieces):
                if number == 1 and len(piece) % 7 == 0:
                    socket.send_fds(connection, [piece], [connection.fileno()] * 3)
                else:
                    connection.sendall(piece)


def resources(engine: int) -> tuple[int, int]:
    """Its open files, and its memory (MiB)."""
    pages = int(Path(f"/proc/{engine}/statm").read_text().split()[1])
    return len(os.listdir(f"/proc/{engine}/fd")), pages * os.sysconf("SC_PAGESIZE") // 2**20


def campaign(runtime: Path, driver: Driver, count: int) -> None:
    driver.engine.start_communication()
    driver.motion.set_servo(0, on=True)
    wait_until(lambda: bool(driver.motion.status().servo_on[0]))
    ((engine,), (address,)) = engine_processes(runtime), runtime.glob("*/*.sock")
    chance, before = random.Random(SEED), driver.motion.status()
    for number in range(count):
        if number == 200:  # threads have come and gone, caches are filled
            files, memory = resources(engine)
        attack(address, hostile(chance))
        if number % 100 == 0:
            assert driver.engine.state() is EngineState.COMMUNICATING
    assert engine_processes(runtime) == [engine]
    after = driver.motion.status()
    assert after.pos_cmd.tolist() == before.pos_cmd.tolist()
    assert after.servo_on.tolist() == before.servo_on.tolist()
    wait_until(lambda: resources(engine)[0] <= files + 2)
    assert resources(engine)[1] <= memory + 8
    with closing(SocketLink(address, "looking on")) as link:
        wait_until(lambda: link.call("engine", "devices") == ("test", "looking on"))
        link.call("motion", "home", 0)


def test_hostile_bytes_change_nothing(runtime: Path, driver: Driver) -> None:
    campaign(runtime, driver, 2000)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_many_hostile_bytes_change_nothing(runtime: Path, driver: Driver) -> None:
    campaign(runtime, driver, 100_000)


# One by one, at an engine in this process


@pytest.fixture
def address(runtime: Path) -> Iterator[Path]:
    address = runtime / "engine.sock"
    claim = Claim.take(address)
    assert claim is not None
    host = Host(FakeEngine(default_machine()), claim)
    serving = threading.Thread(target=host.serve)
    serving.start()
    with closing(host.attach("test")):
        yield address
    serving.join()


def connect(address: Path) -> Line:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(address))
    return Line(connection, lines.LONGEST_ANSWER)


def is_ended(line: Line) -> bool:
    try:
        line.receive(20.0)
    except (EOFError, OSError) as error:
        return not isinstance(error, TimeoutError)
    return False


@pytest.mark.parametrize(
    "say", [b"", b"\0\0", framed(HELLO)[:10]], ids=["nothing", "half a length", "half a hello"]
)
def test_who_says_nothing_or_stops_in_the_middle_is_left(
    address: Path, monkeypatch: pytest.MonkeyPatch, say: bytes
) -> None:
    monkeypatch.setattr(hosts, "ANSWER_TIMEOUT", 0.2)
    monkeypatch.setattr(lines, "ANSWER_TIMEOUT", 0.2)
    with closing(connect(address)) as line:
        line._socket.sendall(say)
        began = time.monotonic()
        assert is_ended(line)
        assert time.monotonic() - began < 10.0


def test_a_device_may_be_silent_for_ever_but_not_in_the_middle_of_a_call(
    address: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "ANSWER_TIMEOUT", 0.2)
    monkeypatch.setattr(lines, "ANSWER_TIMEOUT", 0.2)
    with closing(SocketLink(address, "silent")) as link:
        time.sleep(0.5)
        assert link.call("engine", "devices") == ("test", "silent")
        link._device.line._socket.sendall(framed(CALLS[0])[:9])
        assert is_ended(link._device.line)


@pytest.mark.parametrize(
    "hello",
    [
        Hello(version(), "friend"),
        Hello(version(), DEVICE, "x" * 257),
        (version(), DEVICE, "name"),
        (version(), DEVICE, 5, b""),
        "hello",
    ],
    ids=str,
)
def test_who_does_not_greet_is_left(address: Path, hello: object) -> None:
    with closing(connect(address)) as line:
        line.send(pack(hello))
        assert is_ended(line)


@pytest.mark.parametrize(
    ("hello", "error", "reason"),
    [
        (Hello("another", DEVICE), CommandRefused, "belongs to another version"),
        (Hello(version(), CHANNEL), EngineLost, "another engine has taken its place"),
        (Hello(version(), CHANNEL, token=bytes(16)), EngineLost, "another engine"),
    ],
)
def test_who_comes_to_the_wrong_engine_is_told(
    address: Path, hello: Hello, error: type[Exception], reason: str
) -> None:
    with closing(connect(address)) as line:
        line.send(pack(hello))
        with pytest.raises(error, match=reason):
            unpack_answer(line.receive(20.0), lambda value: value)
        assert is_ended(line)


def test_an_impatient_device_that_speaks_out_of_turn_is_left(address: Path) -> None:
    with closing(connect(address)) as line:
        line._socket.sendall(framed(HELLO) * 2)
        assert is_ended(line)


def test_more_connections_than_allowed_are_left(
    runtime: Path, address: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "MOST_CONNECTIONS", 3)
    claim = Claim.take(runtime / "small.sock")
    assert claim is not None
    host = Host(FakeEngine(default_machine()), claim)
    serving = threading.Thread(target=host.serve)
    serving.start()
    own = host.attach("test")
    crowd = [SocketLink(runtime / "small.sock", str(number)) for number in range(3)]
    with pytest.raises((OSError, EOFError)):
        SocketLink(runtime / "small.sock", "one too many")
    crowd.pop().close()
    wait_until(lambda: len(own.call("engine", "devices")) == 3)
    wait_until(lambda: host._free._value > 0)
    crowd.append(SocketLink(runtime / "small.sock", "the next"))
    for link in crowd:
        link.close()
    own.close()
    serving.join()


# Another user

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
NOBODY = 65534


def as_nobody(act: Callable[[], bool]) -> bool:
    """What `act` returns in a process of another user."""
    child = os.fork()
    if not child:
        code = 2
        with suppress(BaseException):
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            code = 0 if act() else 1
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@needs_root
def test_another_user_cannot_join_even_through_an_open_door(runtime: Path, address: Path) -> None:
    def join() -> bool:
        with closing(connect(address)) as line:
            with suppress(OSError):  # it may be ended before anything is said
                line.send(HELLO)
            return is_ended(line)

    runtime.chmod(0o755)
    assert not as_nobody(join), "the socket lets nobody in"
    address.chmod(0o666)
    assert as_nobody(join), "and who comes in all the same is left at once"
    with closing(SocketLink(address, "own")) as link:
        assert link.call("engine", "devices") == ("test", "own")


@needs_root
def test_an_engine_of_another_user_is_not_spoken_to(runtime: Path) -> None:
    runtime.chmod(0o777)
    address = runtime / "theirs.sock"
    child = os.fork()
    if not child:
        with suppress(BaseException):
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(address))
            listener.listen()
            listener.accept()[0].recv(1)
        os._exit(0)
    try:
        wait_until(address.exists)
        refused: list[Exception] = []

        def is_refused() -> bool:
            try:
                SocketLink(address, "test")
            except PermissionError as error:
                refused.append(error)
            except ConnectionRefusedError:
                return False  # it does not listen yet
            return True

        wait_until(is_refused)
        assert f"belongs to user {NOBODY}" in str(refused[0])
    finally:
        os.waitpid(child, 0)
        address.unlink()


@needs_root
def test_another_user_s_directory_is_refused(runtime: Path, drivers: Callable[..., Driver]) -> None:
    squatted = runtime / f"wmx-fake-{os.getuid()}"
    squatted.mkdir(mode=0o700)
    os.chown(squatted, NOBODY, NOBODY)
    with pytest.raises(CommandRefused, match="must belong to user 0 alone"):
        drivers().engine.create_device("", "test")


def test_an_answer_that_is_too_long_ends_the_line(runtime: Path) -> None:
    ours, theirs = socket.socketpair()
    with closing(Line(ours, 10)) as line, theirs:
        theirs.sendall(framed(b"x" * 11))
        with pytest.raises(Malformed, match="11 bytes, at most 10"):
            line.receive(1.0)
