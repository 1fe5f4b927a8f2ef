"""A device's calls of its engine; asks it for the status, or reads memory of another process.

Each thread has a connection of its own, so that a slow call on one thread never delays the calls of
another. Closing the first connection, or the death of the process, detaches the device. The status
is not called for but read from mapped memory, see `MappedStatus`.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, cast
from weakref import WeakSet

from wmx_core.errors import EngineLost, ErrorCode
from wmx_core.values import MotionStatus

from ..engine.clock import RunningClock
from ..engine.proxies import declared
from .codec import EngineMistake, pack, result_of
from .connection import BROKEN, REPLY_TIMEOUT, Connection, connect
from .engine_lock import CHECK_PERIOD
from .handshake import HandshakeReply, HandshakeRequest, other_version, version
from .mapped_status import MappedStatus

READING_TIMEOUT = 60.0
"""How long the engine may take to read a file or a script, s."""
PUT_BACK_TIMEOUT = 4.0 * CHECK_PERIOD
"""How long an engine may take to put back its socket, s."""
_INTERVAL = 0.01


class EngineClient(Protocol):
    """A device's way to its engine."""

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of one part of the engine, see `SimulatedEngine.call`."""

    def status(self) -> MotionStatus:
        """Return what calling the status of motion returns, by the shortest way."""

    def close(self) -> None:
        """Detach; returns when the engine has ended, if this was its last device."""


class LocalEngine(Protocol):
    """An engine in this process: a `SimulatedEngine`, or an `EngineServer` that serves one."""

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any: ...
    def try_read(self) -> MotionStatus | None: ...
    def attach(self, name: str) -> None: ...
    def detach(self, name: str) -> None: ...


class LocalClient:
    """A device on an engine in the same process."""

    def __init__(self, engine: LocalEngine, name: str) -> None:
        """Attach; EngineLost when the engine has just ended."""
        engine.attach(name)
        self._engine: LocalEngine | None = engine
        self._name = name

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        if (engine := self._engine) is None:
            raise EngineLost(ErrorCode.DeviceIsNull, "the device is closed")
        return engine.call(part, method, *args, **kwargs)

    def status(self) -> MotionStatus:
        engine = self._engine
        read = engine.try_read() if engine is not None else None
        return read if read is not None else cast(MotionStatus, self.call("motion", "status"))

    def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.detach(self._name)


class RemoteClient:
    """A device on an engine in another process."""

    def __init__(self, address: Path, name: str = "") -> None:
        """Attach to the engine at `address` under `name`.

        OSError or EOFError without one, TimeoutError from one that does not reply, EngineLost
        from one that has just ended.
        """
        self._address = address
        self._thread = threading.local()
        self._lock = threading.Lock()
        self._channels: WeakSet[_Channel] = WeakSet()
        """Those of all threads; one is closed when its thread has ended."""
        self._closed = False
        self._device = self._open()
        self._engine, file = self._device.shake_hands(name)
        self._thread.channel = self._device
        clock = RunningClock(self._engine.rate)
        self._mapped = MappedStatus(file, self._engine.axes, clock)

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        timeout = READING_TIMEOUT if declared(part, method).reading else REPLY_TIMEOUT
        message = pack((part, method, args, kwargs))
        try:
            reply = self._own_channel().call(message, timeout)
        except BROKEN as error:
            raise _lost(error) from error
        return result_of(reply)

    def status(self) -> MotionStatus:
        if not self._device.connection.is_alive():  # its memory can still be read then
            raise _lost(EOFError("the other end has ended"))
        read = self._mapped.read()
        return read if read is not None else cast(MotionStatus, self.call("motion", "status"))

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._device.detach()
        for channel in list(self._channels):
            channel.close()
        self._mapped.close()

    def _own_channel(self) -> "_Channel":
        """Return the channel of the calling thread."""
        channel: _Channel | None = getattr(self._thread, "channel", None)
        if channel is None:
            channel = self._open_again()
            engine, file = channel.shake_hands(None)
            os.close(file)
            if engine != self._engine:
                channel.close()
                raise EngineLost(ErrorCode.IMLibIsNotRunning, "another engine has taken its place")
            self._thread.channel = channel
        return channel

    def _open_again(self) -> "_Channel":
        """Return a new connection to an engine that lives; its socket may have been deleted."""
        deadline = time.monotonic() + PUT_BACK_TIMEOUT
        while True:
            try:
                return self._open()
            except (FileNotFoundError, ConnectionRefusedError):
                if not self._device.connection.is_alive() or time.monotonic() > deadline:
                    raise
            time.sleep(_INTERVAL)

    def _open(self) -> "_Channel":
        """Return a new connection, which is the calling thread's once hands are shaken."""
        channel = _Channel(connect(self._address))
        with self._lock:
            if self._closed:
                channel.close()
                raise EOFError("the device is closed")
            self._channels.add(channel)
        return channel


class _Channel:
    """The connection of one thread."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._lock = threading.Lock()
        """Held while the connection is used."""

    def shake_hands(self, device: str | None) -> tuple[HandshakeReply, int]:
        """Return what the engine replies, and the open file of its mapped status.

        CommandRefused by an engine of another version, or whose reply only such a one can send.
        """
        with self._used() as connection:
            connection.send(pack(HandshakeRequest(version(), device)))
            try:
                reply, file = connection.receive_with_file(REPLY_TIMEOUT)
                engine = HandshakeReply(*result_of(reply))
            except (ValueError, TypeError, LookupError, EngineMistake) as error:
                raise other_version() from error
            if file is None:
                raise EOFError("the engine sent no mapped status")
            return engine, file

    def call(self, message: bytes, timeout: float) -> Any:
        """Return the reply to `message`."""
        with self._used() as connection:
            connection.send(message)
            return connection.receive(timeout)

    @contextmanager
    def _used(self) -> Iterator[Connection]:
        """Yield the connection for one turn, and close it when that fails.

        A late reply would be taken for that to a later call.
        """
        with self._lock:
            try:
                yield self.connection
            except BaseException:
                self.connection.close()
                raise

    def detach(self) -> None:
        """End the connection, and return when the other end has closed it, too."""
        if self._lock.acquire(blocking=False):  # unless a thread waits for a reply
            self.connection.end()
            with suppress(*BROKEN):
                self.connection.receive(REPLY_TIMEOUT)
            self._lock.release()

    def close(self) -> None:
        """End the connection, also under a thread that waits on it."""
        self.connection.shut_down()
        with self._lock:
            self.connection.close()


def _lost(error: Exception) -> EngineLost:
    return EngineLost(ErrorCode.IMLibIsNotRunning, f"the simulated engine is gone ({error!r})")
