"""How a device reaches its engine: directly in the same process, or over a private socket.

Calls travel as pickles between processes of one user; the socket lies in a directory that only
this user may enter. Each thread has a connection of its own, so that a slow call on one thread
never delays the calls of another. Closing the first connection, or the death of the process,
detaches the device.
"""

import threading
from contextlib import suppress
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any, Protocol

from ..errors import EngineLost, ErrorCode

DEVICE, CHANNEL = "device", "channel"
"""What a new connection is for: attaching a device, or one more thread of an attached one."""
_CLOSE_TIMEOUT = 5.0
"""How long the last device waits for the engine's process to end, s."""


class Link(Protocol):
    """A device's way to its engine."""

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of one part of the engine, see `FakeEngine.call`."""

    def close(self) -> None:
        """Detach; returns when the engine has ended, if this was its last device."""


class SocketLink:
    """A device on an engine in another process."""

    def __init__(self, address: Path) -> None:
        """Attach to the engine at `address`; OSError or EOFError when there is none."""
        self._address = address
        self._thread = threading.local()
        self._lock = threading.Lock()
        self._connections: list[Connection] = []
        self._closed = False
        self._device = self._connect(DEVICE)

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        try:
            connection = getattr(self._thread, "connection", None) or self._connect(CHANNEL)
            connection.send((part, method, args, kwargs))
            succeeded, result = connection.recv()
        except (OSError, EOFError) as error:
            raise EngineLost(
                ErrorCode.IMLibIsNotRunning, f"the simulated engine is gone ({error!r})"
            ) from error
        if succeeded:
            return result
        raise result

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        with suppress(OSError, EOFError):
            self._device.send(None)
            if self._device.poll(_CLOSE_TIMEOUT):
                self._device.recv()  # ends with EOFError: the device is detached
        for connection in self._connections:
            connection.close()

    def _connect(self, purpose: str) -> Connection:
        connection = Client(str(self._address), "AF_UNIX")
        with self._lock:
            if self._closed:
                connection.close()
                raise EOFError("the device is closed")
            self._connections.append(connection)
        self._thread.connection = connection
        connection.send(purpose)
        connection.recv()
        return connection
