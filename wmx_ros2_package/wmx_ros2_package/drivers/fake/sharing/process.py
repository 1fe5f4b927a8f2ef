"""One engine per device path: found if it runs, started if it does not.

Whoever attaches first starts the engine, as a process of its own (a daemon that outlives its
starter and ends with its last device) or inside the starter's process. A `Claim` decides who is
first, and goes to the daemon with its start: a starter that is killed takes nothing with it.
"""

import subprocess
import sys
import threading
import time
from os.path import isdir, isfile
from pathlib import Path

from ...errors import CommandRefused, EngineLost, ErrorCode
from ..engine import FakeEngine
from ..machine.description import Machine, default_machine, load_machine
from .address import address_of
from .claim import Claim, clear_dead, holder
from .encoding import unpack_error
from .host import Host
from .link import Link, SocketLink

_MACHINE_FILE_SUFFIXES = {".yaml", ".yml"}
START_TIMEOUT = 30.0
"""An engine that does not take devices by then is given up, s."""
_PATIENCE = START_TIMEOUT + 5.0
"""How long to wait for another process that starts or ends the same engine, s."""
_INTERVAL = 0.01
"""s."""
_STARTS = 3
"""An engine may end between its start and being attached to: start it again so often."""

_hosts: dict[Path, Host] = {}
"""The engines inside this process, by their address."""


def attach(device_path: str, name: str, *, in_process: bool = False) -> Link:
    """A device `name` on the engine at `device_path`, started, `in_process` or not, if need be.

    What it simulates: `machine_at`.
    """
    try:
        return _attach(device_path, name, in_process=in_process)
    except OSError as error:  # such as a runtime directory that does not exist
        detail = f"no engine can run at {device_path!r}: {error}"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail) from error


def machine_at(device_path: str) -> Machine:
    """The machine that the engine at `device_path` simulates.

    A path that ends in .yaml or .yml is a machine file. A folder, or a path that has no ending or
    one with a digit first, where the SDK may stand, names a default machine; so that a slip of the
    pen does not start that one, everything else is refused.
    """
    path = Path(device_path)
    if path.suffix.lower() in _MACHINE_FILE_SUFFIXES:
        return load_machine(path)
    if isfile(path) or (path.suffix[1:2].isalpha() and not isdir(path)):
        detail = (
            f"device_path is {device_path!r}: must be a machine file, which ends in .yaml or .yml, "
            "a folder, or a path without an ending"
        )
        raise CommandRefused(ErrorCode.ParamOutOfRange, detail)
    return default_machine()


def _attach(device_path: str, name: str, *, in_process: bool) -> Link:
    address = address_of(device_path)
    deadline = time.monotonic() + _PATIENCE
    starts = 0
    while time.monotonic() < deadline:
        if link := _join(address, name):
            return link
        if claim := Claim.take(address):
            if starts == _STARTS:
                claim.give_back()
                detail = f"no engine stays up at {device_path!r}"
                raise CommandRefused(ErrorCode.StartProcessFailed, detail)
            starts += 1
            clear_dead(address.parent)
            if in_process:
                _start_in_process(device_path, claim)
            else:
                _start_process(device_path, claim)
        else:
            time.sleep(_INTERVAL)
    raise _silent(address)


def _join(address: Path, name: str) -> Link | None:
    """A device on the engine that takes devices at `address`, if there is one."""
    host = _hosts.get(address)
    try:
        return host.attach(name) if host and not host.ended else SocketLink(address, name)
    except TimeoutError:
        raise _silent(address) from None
    except (OSError, EOFError, EngineLost):
        return None


def _silent(address: Path) -> CommandRefused:
    detail = f"the engine at {address} does not answer: {holder(address)}"
    return CommandRefused(ErrorCode.CreateDeviceLockError, detail)


def _start_in_process(device_path: str, claim: Claim) -> None:
    try:
        host = Host(FakeEngine(machine_at(device_path)), claim)
    except BaseException:
        claim.give_back()
        raise
    threading.Thread(target=host.serve, name="fake-engine", daemon=True).start()
    _hosts[claim.address] = host


def _start_process(device_path: str, claim: Claim) -> None:
    """Start the daemon; it returns when it takes devices, or with the error why it cannot."""
    command = f"{__package__}.daemon", device_path, str(claim.address), str(claim.fd)
    try:
        started = subprocess.run(
            [sys.executable, "-m", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            pass_fds=[claim.fd],
            timeout=START_TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        detail = f"the engine at {device_path!r} did not start within {START_TIMEOUT:g} s"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail) from None
    else:
        if started.returncode != 0:
            claim.remove_files()
            raise _failure(started)
    finally:
        claim.pass_on()


def _failure(started: "subprocess.CompletedProcess[bytes]") -> Exception:
    """Why the daemon could not start: as it says itself, or else by what it printed."""
    if started.stdout:
        return unpack_error(started.stdout)
    reason = started.stderr.decode(errors="replace").strip()
    return CommandRefused(ErrorCode.StartProcessFailed, reason)
