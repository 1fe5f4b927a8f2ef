"""How a device reaches its engine: directly in the same process, or over a private socket.

Calls travel as pickles between processes of one user; the socket lies in a directory that only
this user may enter. Each thread has a connection of its own, so that a slow call on one thread
never delays the calls of another. Closing the first connection, or the death of the process,
detaches the device. The status is not called for but looked at, through a `window`.
"""

import os
import struct
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from pathlib import Path
from socket import (
    AF_UNIX,
    MSG_DONTWAIT,
    MSG_PEEK,
    SHUT_RDWR,
    SO_RCVTIMEO,
    SOL_SOCKET,
    socket,
)
from typing import Any, Protocol, cast
from weakref import WeakSet

from ...errors import EngineLost, ErrorCode
from ...values import MotionStatus
from .shared_state_reader import SharedStateReader

DEVICE, CHANNEL = "device", "channel"
"""What a new connection is for: attaching a device, or one more thread of an attached one."""
ANSWER_TIMEOUT = 5.0
"""An engine that does not answer within this time is lost, s."""
_GONE = OSError, EOFError
"""What a connection raises whose other end is gone or silent."""


class Link(Protocol):
    """A device's way to its engine."""

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of one part of the engine, see `FakeEngine.call`."""

    def status(self) -> MotionStatus:
        """What calling status of motion returns, by the shortest way."""

    def close(self) -> None:
        """Detach; returns when the engine has ended, if this was its last device."""


class SocketLink:
    """A device on an engine in another process."""

    def __init__(self, address: Path, name: str = "") -> None:
        """Attach to the engine at `address` under `name`; OSError or EOFError without one."""
        self._address = address
        self._thread = threading.local()
        self._lock = threading.Lock()
        self._connections: WeakSet[Connection] = WeakSet()
        """Those of all threads; one is gone, and closed by that, with its thread."""
        self._closed = False
        self._device = self._connect(DEVICE, name)
        axes, clock = self._device.recv()
        self._window = SharedStateReader(recv_handle(self._device), axes, clock)
        self._line = socket(fileno=os.dup(self._device.fileno()))

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        connection = getattr(self._thread, "connection", None)
        try:
            connection = connection or self._connect(CHANNEL)
            connection.send((part, method, args, kwargs))
            succeeded, result = connection.recv()
        except _GONE as error:
            if connection:
                with self._lock:
                    connection.close()  # a late answer is not that to a later call
            raise _lost(error) from error
        if succeeded:
            return result
        raise result

    def status(self) -> MotionStatus:
        self._require_alive()
        seen = self._window.read()
        return seen if seen is not None else cast(MotionStatus, self.call("motion", "status"))

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        with suppress(*_GONE):
            self._device.send(None)
            self._device.recv()  # ends when the device is detached, or after the timeout
        self._line.close()
        with self._lock:
            for connection in self._connections:
                _hang_up(connection)

    def _connect(self, purpose: str, name: str = "") -> Connection:
        line = socket(AF_UNIX)
        line.setsockopt(SOL_SOCKET, SO_RCVTIMEO, struct.pack("ll", int(ANSWER_TIMEOUT), 0))
        try:
            line.connect(str(self._address))
        except OSError:
            line.close()
            raise
        connection = Connection(line.detach())
        with self._lock:
            if self._closed:
                connection.close()
                raise EOFError("the device is closed")
            self._connections.add(connection)
        self._thread.connection = connection
        connection.send((purpose, name))
        return connection

    def _require_alive(self) -> None:
        """The shared state of a dead engine would still be there to look at."""
        try:
            if self._line.recv(1, MSG_PEEK | MSG_DONTWAIT):
                return
            raise EOFError("connection closed")
        except BlockingIOError:
            return  # nothing to read: the engine holds its end
        except _GONE as error:
            raise _lost(error) from error


def _hang_up(connection: Connection) -> None:
    """End a connection for the thread that may be waiting on it, to which closing it is left.

    Closed by another thread, its number might be that of another file by the time of a read.
    """
    with suppress(OSError), socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(SHUT_RDWR)


def _lost(error: Exception) -> EngineLost:
    return EngineLost(ErrorCode.IMLibIsNotRunning, f"the simulated engine is gone ({error!r})")
