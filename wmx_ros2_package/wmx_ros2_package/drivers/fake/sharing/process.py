"""One engine per device path: found if it runs, started if it does not.

Whoever attaches first starts the engine, as a process of its own (a daemon that outlives its
starter and ends with its last device) or inside the starter's process. A lock file decides who
is first.
"""

import fcntl
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import cast

from ...errors import CommandRefused, EngineLost, ErrorCode, WmxError
from ...values import DEFAULT_DEVICE_PATH
from ..engine import FakeEngine
from ..machine.description import Machine, default_machine, load_machine
from .host import Host
from .link import Link, SocketLink

_MACHINE_FILE_SUFFIXES = {".yaml", ".yml"}
_LONGEST_PATH = 4096
_LONGEST_ADDRESS = 107
"""What Linux allows, in bytes."""
_LOCK_TIMEOUT = 10.0
"""How long to wait for another process that is starting the same engine, s."""
_ATTEMPTS = 3
"""An engine may end between being found and being attached to: look again."""

_hosts: dict[Path, Host] = {}
"""The engines inside this process, by their address."""


def attach(device_path: str, name: str, *, in_process: bool = False) -> Link:
    """A device `name` on the engine at `device_path`, started, `in_process` or not, if need be.

    A path that ends in .yaml or .yml is a machine file; any other names a default machine.
    """
    try:
        return _attach(device_path, name, in_process=in_process)
    except OSError as error:  # such as a runtime directory that does not exist
        detail = f"no engine can run at {device_path!r}: {error}"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail) from error


def machine_at(device_path: str) -> Machine:
    """The machine that the engine at `device_path` simulates."""
    path = Path(device_path)
    return load_machine(path) if path.suffix in _MACHINE_FILE_SUFFIXES else default_machine()


def _attach(device_path: str, name: str, *, in_process: bool) -> Link:
    address = _address_of(device_path)
    with _lock(address):
        for _ in range(_ATTEMPTS):
            try:
                host = _hosts.get(address)
                if host and not host.ended:
                    return host.attach(name)
                return SocketLink(address, name)
            except (OSError, EOFError, EngineLost):
                if in_process:
                    _start_in_process(device_path, address)
                else:
                    _start_process(device_path, address)
    raise CommandRefused(ErrorCode.StartProcessFailed, f"no engine stays up at {device_path!r}")


def _start_in_process(device_path: str, address: Path) -> None:
    host = Host(FakeEngine(machine_at(device_path)), address)
    threading.Thread(target=host.serve, name="fake-engine", daemon=True).start()
    _hosts[address] = host


def _start_process(device_path: str, address: Path) -> None:
    """Start the daemon; it returns when it takes devices, or with the error why it cannot."""
    started = subprocess.run(
        [sys.executable, "-m", f"{__package__}.daemon", device_path, str(address)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if started.stdout:
        raise cast(WmxError, pickle.loads(started.stdout))
    if started.returncode != 0:
        reason = started.stderr.decode(errors="replace").strip()
        raise CommandRefused(ErrorCode.StartProcessFailed, reason)


def _address_of(device_path: str) -> Path:
    """The socket of the engine at `device_path`, in a directory only this user may enter."""
    if "\0" in device_path or len(os.fsencode(device_path)) > _LONGEST_PATH:
        detail = f"a device path must have at most {_LONGEST_PATH} bytes, none of them zero"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail)
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    directory = Path(base) / f"wmx-fake-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077:
        detail = f"{directory} must belong to user {os.getuid()} alone (mode 0700)"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail)
    key = os.path.realpath(device_path or DEFAULT_DEVICE_PATH)
    address = directory / f"{sha256(os.fsencode(key)).hexdigest()[:16]}.sock"
    if len(os.fsencode(address)) > _LONGEST_ADDRESS:
        detail = f"{address} is longer than the {_LONGEST_ADDRESS} bytes a socket's path may have"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail)
    return address


@contextmanager
def _lock(address: Path) -> Iterator[None]:
    """Hold the lock on `address`: nobody else starts its engine meanwhile."""
    deadline = time.monotonic() + _LOCK_TIMEOUT
    with address.with_suffix(".lock").open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise CommandRefused(ErrorCode.CreateDeviceLockError) from None
                time.sleep(0.01)
        yield
