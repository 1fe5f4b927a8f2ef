"""Messages between two processes of one user, over a Unix socket.

A connection takes turns: one end calls and waits for the reply before it calls again. A message
that does not come in time, or breaks off in the middle, ends the connection and nothing else.
"""

import os
import struct
from contextlib import suppress
from socket import (
    AF_UNIX,
    MSG_CMSG_CLOEXEC,
    MSG_DONTWAIT,
    MSG_PEEK,
    SHUT_RDWR,
    SHUT_WR,
    SO_RCVTIMEO,
    SO_SNDTIMEO,
    SOL_SOCKET,
    recv_fds,
    send_fds,
    socket,
)
from typing import Any

from .codec import unpacker

REPLY_TIMEOUT = 5.0
"""How long the other end may take for a reply, or to read a message, s."""
FOR_EVER = 0.0
BROKEN = OSError, EOFError
"""What a connection raises whose other end has ended, or does not reply in time."""
_TIMEVAL = struct.Struct("ll")
PIECE = 2**16
"""Bytes; most messages are one piece."""


class Connection:
    """One end of a connection; it belongs to one thread at a time."""

    def __init__(self, connected: socket) -> None:
        self._socket = connected
        self._unpacker = unpacker()
        self._timeout = FOR_EVER
        connected.setsockopt(SOL_SOCKET, SO_SNDTIMEO, _timeval(REPLY_TIMEOUT))

    def __del__(self) -> None:
        self._socket.close()

    def send(self, message: bytes, file: int | None = None) -> None:
        """Send a packed message, and an open file with it; OSError when it cannot be sent."""
        try:
            if file is None:
                self._socket.sendall(message)
            else:
                send_fds(self._socket, [message], [file])
        except BlockingIOError:
            raise TimeoutError("the other end does not read") from None

    def receive(self, timeout: float = FOR_EVER) -> Any:
        """Return the next message.

        TimeoutError when a part of it does not come within `timeout` (s), EOFError when the other
        end has ended.
        """
        self._set_timeout(timeout)
        while True:
            try:
                self._feed(self._socket.recv(PIECE))
                return next(self._unpacker)
            except StopIteration:
                continue  # the rest of it is still to come
            except BlockingIOError:
                raise TimeoutError(f"no message came within {timeout:g} s") from None

    def receive_with_file(self, timeout: float) -> tuple[Any, int | None]:
        """Return the next message, which is one piece, and the file that came with it."""
        self._set_timeout(timeout)
        try:
            data, files, _, _ = recv_fds(self._socket, PIECE, 1, MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            raise TimeoutError(f"no message came within {timeout:g} s") from None
        try:
            self._feed(data)
            return next(self._unpacker), files.pop() if files else None
        finally:
            for file in files:
                os.close(file)

    def is_alive(self) -> bool:
        """Return whether the other end has not ended; there must be no message to read."""
        try:
            return bool(self._socket.recv(1, MSG_PEEK | MSG_DONTWAIT))
        except BlockingIOError:
            return True  # nothing to read
        except OSError:
            return False

    def end(self) -> None:
        """Send no more: the other end reads the end of the connection, and closes its own."""
        with suppress(OSError):
            self._socket.shutdown(SHUT_WR)

    def shut_down(self) -> None:
        """End the connection under a thread that waits on it; `close` is still to be called."""
        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)

    def close(self) -> None:
        """Close the connection, which no other thread may be using."""
        self._socket.close()

    def _feed(self, data: bytes) -> None:
        if not data:
            raise EOFError("the other end has ended")
        self._unpacker.feed(data)

    def _set_timeout(self, timeout: float) -> None:
        if timeout != self._timeout:
            self._timeout = timeout
            self._socket.setsockopt(SOL_SOCKET, SO_RCVTIMEO, _timeval(timeout))


def connect(address: os.PathLike[str]) -> Connection:
    """Return a connection to the socket at `address`; OSError where no process listens there.

    TimeoutError where one listens that accepts no more connections, such as a suspended one.
    """
    connected = socket(AF_UNIX)
    try:
        connection = Connection(connected)  # whose timeout holds for connecting, too
        connected.connect(os.fspath(address))
    except BlockingIOError:
        connected.close()
        raise TimeoutError("the other end accepts no connection") from None
    except BaseException:
        connected.close()
        raise
    return connection


def _timeval(seconds: float) -> bytes:
    return _TIMEVAL.pack(int(seconds), int(seconds % 1 * 1e6))
