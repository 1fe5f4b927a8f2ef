"""Takes each device's calls, of its own process (`bringup`) or of others, and calls the engine.

One thread per connection answers on a Unix socket, which only this user can reach (`address`) and
which exists as long as the engine takes devices.
"""

import os
import secrets
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from socket import AF_UNIX, SHUT_RDWR, socket
from typing import Any, cast

from wmx_core.errors import EngineLost, ErrorCode, WmxError

from ..engine.clock import RunningClock
from ..engine.engine import SimulatedEngine
from ..engine.proxies import declared
from .codec import pack, reply_of
from .connection import BROKEN, REPLY_TIMEOUT, Connection
from .engine_lock import CHECK_PERIOD, EngineLock
from .handshake import HandshakeReply, HandshakeRequest, other_version, version


class EngineServer:
    """Serves `engine` at the address of an engine lock until its last device has detached."""

    def __init__(
        self, engine: SimulatedEngine, lock: EngineLock, at_end: Callable[[], None] = lambda: None
    ) -> None:
        """Take over `lock`; `at_end` is called at the end."""
        self.ended = False
        self._engine = engine
        self.try_read = engine.try_read
        self._engine_lock = lock
        self._at_end = at_end
        self._id = secrets.token_bytes(16)
        self._lock = threading.Lock()
        self._socket = _listening(lock.address)
        self._bound = os.stat(lock.address)

    def serve(self) -> None:
        """Accept connections until the engine ends."""
        while not self.ended:
            try:
                client, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()
            except TimeoutError:
                self._put_files_back()
            except (OSError, RuntimeError):  # the end, or too many open files or threads
                time.sleep(0.0 if self.ended else 0.1)

    def _put_files_back(self) -> None:
        """Let devices reach the engine again whose files were deleted or replaced."""
        address = self._engine_lock.address
        with self._lock, suppress(OSError):
            if self.ended or not self._engine_lock.put_back() or _leads_to(address, self._bound):
                return
            address.unlink(missing_ok=True)
            old, self._socket = self._socket, _listening(address)
            self._bound = os.stat(address)
            old.close()
            print(f"{address} was deleted while the engine runs: it is put back", file=sys.stderr)

    def end_if_unused(self) -> None:
        """End the engine if it has no device."""
        with self._lock:
            if not self._engine.devices():
                self._end()

    def attach(self, name: str) -> None:
        """Add a device; EngineLost when the engine has just ended."""
        with self._lock:
            if self.ended:
                raise EngineLost(ErrorCode.IMLibIsNotRunning, "the engine has just ended")
            self._engine.attach(name)

    def detach(self, name: str) -> None:
        """Remove a device; the last one ends the engine."""
        with self._lock:
            self._engine.detach(name)
        self.end_if_unused()

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        """See `SimulatedEngine.call`; an engine that has crashed ends."""
        try:
            return self._engine.call(part, method, *args, **kwargs)
        except EngineLost:
            with self._lock:
                self._end()
            raise

    def _end(self) -> None:
        if self.ended:
            return
        self._engine_lock.remove_files()
        self.ended = True
        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)  # wakes the thread that accepts
        self._socket.close()
        self._engine_lock.pass_on()
        self._at_end()

    def _serve(self, client: socket) -> None:
        with suppress(*BROKEN), closing(Connection(client)) as connection:
            request = HandshakeRequest(*connection.receive(REPLY_TIMEOUT))
            try:
                self._require_version(request)
                if request.device is None:
                    self._answer(connection)
                else:
                    self.attach(request.device)
                    try:
                        self._answer(connection)
                    finally:
                        self.detach(request.device)
            except WmxError as refused:
                connection.send(pack(reply_of(refused)))

    def _require_version(self, request: HandshakeRequest) -> None:
        if request.version != version():
            raise other_version()

    def _answer(self, connection: Connection) -> None:
        """Carry out the calls of a client until its end of the connection is closed."""
        clock = cast(RunningClock, self._engine.clock)
        reply = HandshakeReply(self._id, self._engine.axes, clock.rate)
        connection.send(pack((True, reply)), self._engine.shared_state.fd)
        while True:
            part, method, args, kwargs = connection.receive()
            connection.send(self._reply(part, method, args, kwargs))

    def _reply(self, part: str, method: str, args: Any, kwargs: Any) -> bytes:
        try:
            if declared(part, method).local:
                raise AttributeError(f"{part}.{method} belongs to the process of the engine")
            return pack((True, self.call(part, method, *args, **kwargs)))
        except Exception as error:  # whatever it is belongs to the caller
            return pack(reply_of(error))


def _listening(address: Path) -> socket:
    """A socket at `address` that only this user can reach."""
    made = socket(AF_UNIX)
    try:
        made.bind(str(address))
        os.chmod(address, 0o600)
        made.listen(128)
        made.settimeout(CHECK_PERIOD)
    except BaseException:
        made.close()
        raise
    return made


def _leads_to(address: Path, bound: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.stat(address, follow_symlinks=False), bound)
    return False
