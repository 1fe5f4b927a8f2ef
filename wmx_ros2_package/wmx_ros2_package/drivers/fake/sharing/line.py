"""Messages over a Unix socket, between two processes of one user: a length, then so many bytes.

A line takes turns: each end waits for one message before it sends the next. What is too long, comes
unasked for, stays away or breaks off in the middle ends the line, and nothing else.
"""

import os
import struct
from contextlib import suppress
from socket import (
    MSG_CMSG_CLOEXEC,
    MSG_DONTWAIT,
    MSG_PEEK,
    SHUT_RDWR,
    SO_PEERCRED,
    SO_RCVTIMEO,
    SO_SNDTIMEO,
    SOL_SOCKET,
    recv_fds,
    send_fds,
    socket,
)

from .value_types import Malformed

LONGEST_CALL = 2**21
"""Bytes: 1000 points of a spline of 128 axes have 1 MiB."""
LONGEST_ANSWER = 2**26
"""Bytes: parameters come from a file of at most 16 MiB."""
ANSWER_TIMEOUT = 5.0
"""How long the other end may take for an answer, or between two pieces of a message, s."""
FOR_EVER = 0.0
_HEAD = struct.Struct("!I")
_CREDENTIALS = struct.Struct("3i")
"""Process, user, group."""
_TIMEVAL = struct.Struct("ll")
_PIECE = 2**16
"""Bytes; most messages are one piece."""


class Line:
    """One end of a connection, which it closes."""

    def __init__(self, connection: socket, longest: int) -> None:
        """Messages that come have at most `longest` bytes."""
        self._socket = connection
        self._longest = longest
        self._timeout = FOR_EVER
        connection.setsockopt(SOL_SOCKET, SO_SNDTIMEO, _timeval(ANSWER_TIMEOUT))

    def __del__(self) -> None:
        self._socket.close()

    def require_same_user(self) -> None:
        """PermissionError for a process of another user at the other end."""
        credentials = self._socket.getsockopt(SOL_SOCKET, SO_PEERCRED, _CREDENTIALS.size)
        _, user, _ = _CREDENTIALS.unpack(credentials)
        if user != os.geteuid():
            raise PermissionError(f"the other end belongs to user {user}, not {os.geteuid()}")

    def send(self, message: bytes, file: int | None = None) -> None:
        """Send a message, and an open file with it; OSError when the other end takes none."""
        data = _HEAD.pack(len(message)) + message
        try:
            if file is None:
                self._socket.sendall(data)
            else:
                send_fds(self._socket, [data], [file])
        except BlockingIOError:
            raise TimeoutError("nothing is taken any more") from None

    def receive(self, timeout: float = FOR_EVER) -> bytes:
        """The next message; TimeoutError when it does not begin within `timeout` (s).

        EOFError when the other end is gone, Malformed for what breaks the rules.
        """
        return self._complete(self._piece(timeout, _PIECE))

    def receive_with_file(self, timeout: float) -> tuple[bytes, int | None]:
        """The next message, and the file that came with it."""
        self._set_timeout(timeout)
        try:
            data, files, _, _ = recv_fds(self._socket, _PIECE, 1, MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            raise TimeoutError(f"nothing came within {timeout:g} s") from None
        try:
            if not data:
                raise EOFError("the other end is gone")
            return self._complete(data), files.pop() if files else None
        finally:
            for file in files:
                os.close(file)

    def is_alive(self) -> bool:
        """Whether the other end still holds the line."""
        try:
            return bool(self._socket.recv(1, MSG_PEEK | MSG_DONTWAIT))
        except BlockingIOError:
            return True  # nothing to read
        except OSError:
            return False

    def hang_up(self) -> None:
        """End the line under whoever waits on it; closing it is for later."""
        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)

    def close(self) -> None:
        """Close it; nobody else may be using it."""
        self._socket.close()

    def _complete(self, data: bytes) -> bytes:
        """The message that begins with `data`."""
        while len(data) < _HEAD.size:
            data += self._piece(ANSWER_TIMEOUT, _HEAD.size - len(data))
        (length,) = _HEAD.unpack_from(data)
        if length > self._longest:
            raise Malformed(f"{length} bytes, at most {self._longest}")
        if len(data) == _HEAD.size + length:
            return data[_HEAD.size :]
        pieces, missing = [data[_HEAD.size :]], _HEAD.size + length - len(data)
        while missing > 0:
            pieces.append(self._piece(ANSWER_TIMEOUT, min(missing, _PIECE)))
            missing -= len(pieces[-1])
        if missing:
            raise Malformed("more than one message")
        return b"".join(pieces)

    def _piece(self, timeout: float, size: int) -> bytes:
        self._set_timeout(timeout)
        try:
            data = self._socket.recv(size)
        except BlockingIOError:
            raise TimeoutError(f"nothing came within {timeout:g} s") from None
        if not data:
            raise EOFError("the other end is gone")
        return data

    def _set_timeout(self, timeout: float) -> None:
        if timeout != self._timeout:
            self._timeout = timeout
            self._socket.setsockopt(SOL_SOCKET, SO_RCVTIMEO, _timeval(timeout))


def _timeval(seconds: float) -> bytes:
    return _TIMEVAL.pack(int(seconds), int(seconds % 1 * 1e6))
