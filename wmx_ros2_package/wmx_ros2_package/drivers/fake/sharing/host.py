"""Where a simulated engine lives: it serves its devices and ends with the last of them.

A host answers on a Unix socket, one thread per connection, and may also have devices in its own
process. The socket exists as long as the engine takes devices.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from socket import AF_UNIX, SHUT_RDWR, socket
from typing import Any, cast

from ...errors import EngineLost, ErrorCode
from ...values import MotionStatus
from ..engine import FakeEngine
from .link import DEVICE


class Host:
    """Serves `engine` at `address` until its last device is gone."""

    def __init__(
        self, engine: FakeEngine, address: Path, at_end: Callable[[], None] = lambda: None
    ) -> None:
        """Take over `address`, on which the caller holds the lock; call `at_end` at the end."""
        self.ended = False
        self._engine = engine
        self._address = address
        self._at_end = at_end
        self._lock = threading.Lock()
        address.unlink(missing_ok=True)
        self._socket = socket(AF_UNIX)
        self._socket.bind(str(address))
        os.chmod(address, 0o600)
        self._socket.listen(128)

    def serve(self) -> None:
        """Accept connections until the engine ends."""
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                connection = Connection(client.detach())
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def end_if_unused(self) -> None:
        """End the engine if it has no device."""
        with self._lock:
            if not self._engine.devices():
                self._end()

    def attach(self, name: str) -> "LocalLink":
        """A device in this process; EngineLost when the engine has just ended."""
        self._add_device(name)
        return LocalLink(self, name)

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """See `FakeEngine.call`; an engine that has crashed takes no more devices."""
        try:
            return self._engine.call(part, method, *args, **kwargs)
        except EngineLost:
            with self._lock:
                self._end()
            raise

    def try_read(self) -> MotionStatus | None:
        """See `FakeEngine.try_read`."""
        return self._engine.try_read()

    def detach(self, name: str) -> None:
        """One device fewer; the last one ends the engine."""
        with self._lock:
            self._engine.detach(name)
        self.end_if_unused()

    def _add_device(self, name: str) -> None:
        with self._lock:
            if self.ended:
                raise EngineLost(ErrorCode.IMLibIsNotRunning, "the engine has just ended")
            self._engine.attach(name)

    def _end(self) -> None:
        if self.ended:
            return
        self.ended = True
        self._address.unlink(missing_ok=True)
        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)  # wakes the thread that accepts
        self._socket.close()
        self._at_end()

    def _serve(self, connection: Connection) -> None:
        with connection, suppress(OSError, EOFError):
            purpose, name = connection.recv()
            if purpose != DEVICE:
                self._answer(connection)
                return
            self._add_device(name)
            try:
                connection.send((self._engine.axes, self._engine.clock))
                send_handle(connection, self._engine.shared_state.fd, os.getpid())
                self._answer(connection)
            finally:
                self.detach(name)

    def _answer(self, connection: Connection) -> None:
        """Carry out the client's calls until it says goodbye or is gone."""
        while request := connection.recv():
            part, method, args, kwargs = request
            try:
                answer = True, self.call(part, method, *args, **kwargs)
            except Exception as error:  # whatever it is belongs to the caller
                answer = False, error
            connection.send(answer)


class LocalLink:
    """A device in the process of its host."""

    def __init__(self, host: Host, name: str) -> None:
        self._host: Host | None = host
        self._name = name

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        return self._open_host().call(part, method, *args, **kwargs)

    def status(self) -> MotionStatus:
        seen = self._open_host().try_read()
        return seen if seen is not None else cast(MotionStatus, self.call("motion", "status"))

    def close(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            host.detach(self._name)

    def _open_host(self) -> Host:
        host = self._host
        if host is None:
            raise EngineLost(ErrorCode.DeviceIsNull, "the device is closed")
        return host
