"""One engine per device path: found if it runs, started if it does not.

The first device to attach starts the engine as a process of its own (a daemon that outlives its
starter and ends with its last device). A process that hosts the engine, as `bringup` does, runs it
inside, for its own devices and for those of others. An `EngineLock` decides which process is the
engine; the daemon inherits it, so that a starter that is killed takes nothing with it.
"""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from os.path import isdir, isfile
from pathlib import Path

from wmx_core.clock import STEADY, ProcessClock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.module_command import module_command
from wmx_core.options import MACHINE_FILES

from ..engine.clock import RunningClock
from ..engine.engine import SimulatedEngine, initial_parameters
from ..engine.machine.description import Machine, default_machine, load_machine
from .address import address_of
from .codec import result_of, unpack
from .engine_client import EngineClient, LocalClient, RemoteClient
from .engine_lock import EngineLock, describe, holder, is_suspended, remove_leftovers
from .engine_server import EngineServer

START_TIMEOUT = 30.0
"""An engine that does not take devices by then is given up, s."""
_ATTACH_TIMEOUT = START_TIMEOUT + 5.0
"""How long to wait for another process that starts or ends the same engine, s."""
_TIDYING_TIMEOUT = 0.2
"""How long a lock may be held by an engine of another path, s: one that starts takes the lock of
each that was killed, to remove up to three files, which takes about a millisecond."""
_INTERVAL = 0.01
"""s."""
_STARTS = 3
"""An engine may end between its start and being attached to: start it again so often."""

_servers: dict[Path, EngineServer] = {}
"""The engines that this process hosts, by their address."""
_hosting = threading.Lock()
"""Held while an engine is started here: its lock is taken then, but it is not in `_servers` yet."""


def machine_at(device_path: str) -> Machine:
    """Return the machine that the engine at `device_path` simulates."""
    return load_machine(Path(device_path)) if is_machine_file(device_path) else default_machine()


def require_files(device_path: str) -> None:
    """Raise what is wrong with the machine at `device_path`, or with the parameters it names."""
    initial_parameters(machine_at(device_path))


def is_machine_file(device_path: str) -> bool:
    """Whether `device_path` names a machine file, which ends in .yaml or .yml.

    A folder, or a path that has no ending or one with a digit first, where the SDK may stand, names
    a default machine; so that a typing mistake does not start that one, everything else is refused.
    """
    path = Path(device_path)
    if path.suffix.lower() in MACHINE_FILES:
        return True
    if isfile(path) or (path.suffix[1:2].isalpha() and not isdir(path)):
        detail = (
            f"device_path is {device_path!r}: must be a machine file, which ends in .yaml or .yml, "
            "a folder, or a path without an ending"
        )
        raise CommandRefused(ErrorCode.ParamOutOfRange, detail)
    return False


def attach(device_path: str, name: str) -> EngineClient:
    """Return a device `name` on the engine at `device_path`, which is started if none runs."""
    with _refusals(device_path):
        return _attach(device_path, name, hosting=False)


def attach_hosting(device_path: str, name: str, clock: ProcessClock = STEADY) -> EngineClient:
    """Return a device on the engine at `device_path`, which this process hosts, or starts to host.

    Refused with ResourceInUse while another process is the engine there.
    """
    with _refusals(device_path), _hosting:
        return _attach(device_path, name, hosting=True, clock=clock)


def attach_private(device_path: str, name: str, clock: ProcessClock = STEADY) -> EngineClient:
    """Return a device on an engine of its own in this process, which no other device reaches.

    It simulates the machine at `device_path`, and ends with the device.
    """
    with _refusals(device_path):
        return LocalClient(_engine(device_path, clock), name)


def require_hosting(device_path: str) -> None:
    """Refuse with ResourceInUse while another process is the engine at `device_path`."""
    with _refusals(device_path), _hosting:
        address = address_of(device_path)
        if _hosted(address) is None:
            _lock_to_host(device_path, address).release()


def _attach(
    device_path: str, name: str, *, hosting: bool, clock: ProcessClock = STEADY
) -> EngineClient:
    address = address_of(device_path)
    deadline = clock.now() + _ATTACH_TIMEOUT
    starts = 0
    while clock.now() < deadline:
        if client := _join(address, name, hosting=hosting):
            return client
        lock = _lock_to_host(device_path, address) if hosting else EngineLock.take(address)
        if lock:
            if starts == _STARTS:
                lock.release()
                detail = f"no engine stays up at {device_path!r}"
                raise CommandRefused(ErrorCode.StartProcessFailed, detail)
            starts += 1
            remove_leftovers(address.parent)
            if hosting:
                _start_here(device_path, lock, clock)
            else:
                _start_process(device_path, lock)
        else:
            clock.sleep(_INTERVAL)
    raise _unresponsive(address)


def _lock_to_host(device_path: str, address: Path) -> EngineLock:
    """Return the lock; refused with ResourceInUse while another process is the engine there."""
    deadline = STEADY.now() + _TIDYING_TIMEOUT
    while True:
        if lock := EngineLock.take(address):
            return lock
        if STEADY.now() > deadline:
            raise _runs_elsewhere(device_path, address)
        STEADY.sleep(_INTERVAL)


def _join(address: Path, name: str, *, hosting: bool) -> EngineClient | None:
    """Return a device on the engine that takes devices at `address`, if there is one."""
    try:
        if server := _hosted(address):
            return LocalClient(server, name)
        return None if hosting else RemoteClient(address, name)
    except TimeoutError:
        raise _unresponsive(address) from None
    except (OSError, EOFError, EngineLost):
        return None


def _hosted(address: Path) -> EngineServer | None:
    """Return the engine that this process hosts at `address`, if there is one."""
    server = _servers.get(address)
    return None if server is None or server.ended else server


def _engine(device_path: str, clock: ProcessClock) -> SimulatedEngine:
    machine = machine_at(device_path)
    return SimulatedEngine(machine, RunningClock(machine.clock_rate, real=clock))


def _start_here(device_path: str, lock: EngineLock, clock: ProcessClock) -> None:
    try:
        server = EngineServer(_engine(device_path, clock), lock)
    except BaseException:
        lock.release()
        raise
    threading.Thread(target=server.serve, name="simulated-engine", daemon=True).start()
    _servers[lock.address] = server


def _start_process(device_path: str, lock: EngineLock) -> None:
    """Start the daemon; it returns when it takes devices, or with the error why it cannot."""
    words = device_path, str(lock.address), str(lock.fd)
    try:
        started = subprocess.run(
            module_command(f"{__package__}.daemon", *words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            pass_fds=[lock.fd],
            timeout=START_TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        detail = f"the engine at {device_path!r} did not start within {START_TIMEOUT:g} s"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail) from None
    else:
        if started.returncode != 0:
            lock.remove_files()
            if started.stdout:
                result_of(unpack(started.stdout))  # raises why the daemon could not start
            reason = started.stderr.decode(errors="replace").strip()
            raise CommandRefused(ErrorCode.StartProcessFailed, reason)
    finally:
        lock.pass_on()


@contextmanager
def _refusals(device_path: str) -> Iterator[None]:
    """Refuse what fails for want of a file or folder, such as the runtime directory."""
    try:
        yield
    except OSError as error:
        detail = f"no engine can run at {device_path!r}: {error}"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail) from error


def _unresponsive(address: Path) -> CommandRefused:
    process = holder(address)
    cause = " is suspended: continue it (kill -CONT) or end it (kill -KILL)"
    detail = f"the engine at {address} does not respond: {describe(process)}"
    detail += cause if is_suspended(process) else " is busy, or hangs"
    return CommandRefused(ErrorCode.CreateDeviceLockError, detail)


def _runs_elsewhere(device_path: str, address: Path) -> CommandRefused:
    detail = (
        f"the simulated engine of {device_path!r} runs in {describe(holder(address))}: end that "
        "system first, or give this one a device_path of its own"
    )
    return CommandRefused(ErrorCode.ResourceInUse, detail)
