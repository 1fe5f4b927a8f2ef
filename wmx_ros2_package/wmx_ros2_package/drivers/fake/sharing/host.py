"""Where a simulated engine lives: it serves its devices and ends with the last of them.

A host answers on a Unix socket, one thread per connection, and may also have devices in its own
process. The socket exists as long as the engine takes devices. Whoever comes must be a process of
the same user and greet it properly; a connection that breaks a rule is closed, and nothing else.
"""

import os
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from socket import AF_UNIX, SHUT_RDWR, socket
from typing import Any, cast

from ...errors import EngineLost, ErrorCode, WmxError
from ...values import MotionStatus
from ..clock import RunningClock
from ..engine import FakeEngine
from .claim import Claim
from .encoding import pack_error, pack_result, unpack_call
from .greeting import CHANNEL, Welcome, read_hello
from .line import ANSWER_TIMEOUT, LONGEST_CALL, Line
from .value_types import Malformed

MOST_CONNECTIONS = 512
"""At a time, half as many as a process may have files open where nobody says otherwise."""


class Host:
    """Serves `engine` at the address of a claim until its last device is gone."""

    def __init__(
        self, engine: FakeEngine, claim: Claim, at_end: Callable[[], None] = lambda: None
    ) -> None:
        """Take over `claim`; call `at_end` at the end."""
        self.ended = False
        self._engine = engine
        self._claim = claim
        self._at_end = at_end
        self._token = secrets.token_bytes(16)
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._socket = socket(AF_UNIX)
        try:
            self._socket.bind(str(claim.address))
            os.chmod(claim.address, 0o600)
            self._socket.listen(128)
        except BaseException:
            self._socket.close()
            raise

    def serve(self) -> None:
        """Accept connections until the engine ends."""
        while not self.ended:
            try:
                client, _ = self._socket.accept()
            except OSError:  # the end, or too many open files
                time.sleep(0.0 if self.ended else 0.1)
                continue
            if not self._free.acquire(blocking=False):
                client.close()
                continue
            try:
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()
            except RuntimeError:  # too many threads
                client.close()
                self._free.release()

    def end_if_unused(self) -> None:
        """End the engine if it has no device."""
        with self._lock:
            if not self._engine.devices():
                self._end()

    def attach(self, name: str) -> "LocalLink":
        """A device in this process; EngineLost when the engine has just ended."""
        self._add_device(name)
        return LocalLink(self, name)

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
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
        self._claim.remove_files()
        self.ended = True
        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)  # wakes the thread that accepts
        self._socket.close()
        self._claim.pass_on()
        self._at_end()

    def _serve(self, client: socket) -> None:
        try:
            gone = suppress(OSError, EOFError, Malformed)
            with closing(client), gone, closing(Line(client, LONGEST_CALL)) as line:
                line.require_same_user()
                self._greet(line)
        finally:
            self._free.release()

    def _greet(self, line: Line) -> None:
        try:
            hello = read_hello(line.receive(ANSWER_TIMEOUT), self._token)
            if hello.purpose == CHANNEL:
                line.send(pack_result(None))
                self._answer(line)
            else:
                self._add_device(hello.name)
                try:
                    self._welcome(line)
                    self._answer(line)
                finally:
                    self.detach(hello.name)
        except WmxError as refused:
            line.send(pack_error(refused))

    def _welcome(self, line: Line) -> None:
        clock = cast(RunningClock, self._engine.clock)
        welcome = Welcome(self._token, self._engine.axes, clock.start_ns, clock.rate)
        line.send(pack_result(welcome), self._engine.shared_state.fd)

    def _answer(self, line: Line) -> None:
        """Carry out the client's calls until it says goodbye or is gone."""
        while message := line.receive():
            try:
                part, method, args, kwargs = unpack_call(message)
                answer = pack_result(self.call(part, method, *args, **kwargs))
            except Malformed:
                raise
            except Exception as error:  # whatever it is belongs to the caller
                answer = pack_error(error)
            line.send(answer)


class LocalLink:
    """A device in the process of its host."""

    def __init__(self, host: Host, name: str) -> None:
        self._host: Host | None = host
        self._name = name

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
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
