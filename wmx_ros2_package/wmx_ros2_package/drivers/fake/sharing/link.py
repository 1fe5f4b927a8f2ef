"""How a device reaches its engine: directly in the same process, or over a private socket.

Each thread has a connection of its own, so that a slow call on one thread never delays the calls of
another. Closing the first connection, or the death of the process, detaches the device; the others
say which engine they belong to, for another one may be at its address by then. The status is not
called for but looked at, through a `SharedStateReader`.
"""

import os
import threading
from contextlib import suppress
from pathlib import Path
from socket import AF_UNIX, socket
from typing import Any, Protocol, cast
from weakref import WeakSet

from ...errors import EngineLost, ErrorCode
from ...values import MotionStatus
from ..clock import RunningClock
from .encoding import pack, pack_call, result_reader, unpack_answer, version
from .greeting import CHANNEL, DEVICE, LONGEST_NAME, Hello, Welcome
from .line import ANSWER_TIMEOUT, LONGEST_ANSWER, Line
from .shared_state_reader import SharedStateReader
from .value_types import Malformed, reader

READING_TIMEOUT = 60.0
"""How long the engine may take to read a file or a script, s."""
_READ_BY_ENGINE = {"load_parameters", "play"}
_GONE = OSError, EOFError, Malformed
"""What a line raises whose other end is gone, silent, or talks nonsense."""
_GOODBYE = b""


class Link(Protocol):
    """A device's way to its engine."""

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of one part of the engine, see `FakeEngine.call`."""

    def status(self) -> MotionStatus:
        """What calling status of motion returns, by the shortest way."""

    def close(self) -> None:
        """Detach; returns when the engine has ended, if this was its last device."""


class _Channel:
    """The connection of one thread."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._lock = threading.Lock()
        """Whoever holds it uses the line."""

    def ask(self, message: bytes, timeout: float) -> bytes:
        """The answer to `message`."""
        with self._lock:
            try:
                self.line.send(message)
                return self.line.receive(timeout)
            except BaseException:
                self.line.close()  # a late answer is not that to a later call
                raise

    def say_goodbye(self) -> None:
        """Return when the other end has closed the line, unless it is being used."""
        if self._lock.acquire(blocking=False):
            with suppress(*_GONE):
                self.line.send(_GOODBYE)
                self.line.receive(ANSWER_TIMEOUT)
            self._lock.release()

    def close(self) -> None:
        """End the line, also under a thread that waits on it."""
        self.line.hang_up()
        with self._lock:
            self.line.close()


class SocketLink:
    """A device on an engine in another process."""

    def __init__(self, address: Path, name: str = "") -> None:
        """Attach to the engine at `address` under `name`.

        OSError or EOFError without one, TimeoutError from one that does not answer, EngineLost
        from one that has just ended.
        """
        self._address = address
        self._thread = threading.local()
        self._lock = threading.Lock()
        self._channels: WeakSet[_Channel] = WeakSet()
        """Those of all threads; one is gone, and closed by that, with its thread."""
        self._closed = False
        self._device = self._open()
        try:
            welcome, self._reader = _greet(self._device.line, name)
        except BaseException:
            self._device.close()
            raise
        self._token = welcome.token

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        message = pack_call(part, method, args, kwargs)
        timeout = READING_TIMEOUT if method in _READ_BY_ENGINE else ANSWER_TIMEOUT
        try:
            answer = self._own_channel().ask(message, timeout)
            return unpack_answer(answer, result_reader(part, method))
        except _GONE as error:
            raise _lost(error) from error

    def status(self) -> MotionStatus:
        if not self._device.line.is_alive():  # its shared state would still be there to look at
            raise _lost(EOFError("the other end is gone"))
        seen = self._reader.read()
        return seen if seen is not None else cast(MotionStatus, self.call("motion", "status"))

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._device.say_goodbye()
        for channel in list(self._channels):
            channel.close()
        self._reader.close()

    def _own_channel(self) -> _Channel:
        """That of the calling thread."""
        channel: _Channel | None = getattr(self._thread, "channel", None)
        if channel is None:
            channel = self._open()
            answer = channel.ask(pack(Hello(version(), CHANNEL, token=self._token)), ANSWER_TIMEOUT)
            unpack_answer(answer, reader(None))
        return channel

    def _open(self) -> _Channel:
        """A new line to the address, which is the calling thread's from now on."""
        channel = _Channel(Line(_connected(self._address), LONGEST_ANSWER))
        try:
            channel.line.require_same_user()
            with self._lock:
                if self._closed:
                    raise EOFError("the device is closed")
                self._channels.add(channel)
        except BaseException:
            channel.close()
            raise
        self._thread.channel = channel
        return channel


def _greet(line: Line, name: str) -> tuple[Welcome, SharedStateReader]:
    """Attach a device `name`: what the engine says of itself, and its shared state."""
    line.send(pack(Hello(version(), DEVICE, name[:LONGEST_NAME])))
    answer, file = line.receive_with_file(ANSWER_TIMEOUT)
    try:
        welcome: Welcome = unpack_answer(answer, reader(Welcome))
    except BaseException:
        if file is not None:
            os.close(file)
        raise
    if file is None:
        raise EOFError("no shared state came")
    clock = RunningClock(welcome.rate, welcome.start_ns)
    return welcome, SharedStateReader(file, welcome.axes, clock)


def _connected(address: Path) -> socket:
    connection = socket(AF_UNIX)
    try:
        connection.connect(str(address))
    except BaseException:
        connection.close()
        raise
    return connection


def _lost(error: Exception) -> EngineLost:
    return EngineLost(ErrorCode.IMLibIsNotRunning, f"the simulated engine is gone ({error!r})")
