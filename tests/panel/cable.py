"""A cable between a browser and the panel, which can be cut while something moves.

It is a process of its own: what drives browsers keeps the lock of its Python for longer than the
panel may take to answer a stop.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.managers import BaseManager, BaseProxy
from typing import TypeAlias

End: TypeAlias = "socket.socket | PanelEnd"
OF_STOPS = b"GET /stop "
"""How the request for a connection of stops begins."""
TEXT = 1
"""The opcode of its messages (RFC 6455, 5.2)."""


def has_message(frames: bytes) -> bool:
    """Whether one of these frames is a message; a ping or a pong may come before it.

    Those have less than 126 bytes (RFC 6455, 5.5).
    """
    while len(frames) > 1:
        if frames[0] & 0x0F == TEXT:
            return True
        mask = 4 if frames[1] & 0x80 else 0
        frames = frames[2 + mask + (frames[1] & 0x7F) :]
    return False


class PanelEnd:
    """The end of one connection at the panel, which notes how long stops wait there, s."""

    def __init__(self, port: int, waits: list[float]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self._waits = waits
        self._of_stops = False
        self._asked = 0.0
        """When the first stop was sent that is not answered; of several at once the others are
        left out."""

    def sendall(self, piece: bytes) -> None:
        if piece.startswith(OF_STOPS):
            self._of_stops = True
        elif self._of_stops and not self._asked and has_message(piece):
            self._asked = time.monotonic()
        self.socket.sendall(piece)

    def recv(self, size: int) -> bytes:
        piece = self.socket.recv(size)
        if self._asked and has_message(piece):
            self._waits.append(time.monotonic() - self._asked)
            self._asked = 0.0
        return piece

    def shutdown(self, how: int) -> None:
        self.socket.shutdown(how)


class Cable:
    """Forwards TCP connections to a port; `cut` loses no connection, but every byte stays."""

    def __init__(self, port: int) -> None:
        self._target = port
        self.stop_waits: list[float] = []
        """How long the panel took to answer each stop, s, without the cable and the browser."""
        self._whole = threading.Event()
        self._whole.set()
        self.delay = 0.0
        """How much later each piece arrives, s."""
        self._server = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    def close(self) -> None:
        self.mend()
        for end in self._threads[:1], self._threads[1:]:
            for each in (self._server, *self._sockets):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            for thread in end:
                thread.join()
        for each in (self._server, *self._sockets):
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                self._sockets.append(near)
                try:
                    far = PanelEnd(self._target, self.stop_waits)
                except OSError:  # the panel is not there
                    near.close()
                    continue
                self._sockets.append(far.socket)
                for pair in ((near, far), (far, near)):
                    self._threads.append(
                        threading.Thread(target=self._forward, args=pair, daemon=True)
                    )
                    self._threads[-1].start()

    def _forward(self, source: End, sink: End) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                self._whole.wait()
                time.sleep(self.delay)
                sink.sendall(piece)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


class CableProxy(BaseProxy):
    """A cable, for another process."""

    _exposed_ = ("__getattribute__", "__setattr__", "cut", "mend", "close")

    @property
    def url(self) -> str:
        return str(self._callmethod("__getattribute__", ("url",)))

    @property
    def stop_waits(self) -> list[float]:
        return [*self._callmethod("__getattribute__", ("stop_waits",))]

    def set_delay(self, delay: float) -> None:
        self._callmethod("__setattr__", ("delay", delay))

    def cut(self) -> None:
        self._callmethod("cut")

    def mend(self) -> None:
        self._callmethod("mend")

    def close(self) -> None:
        self._callmethod("close")


class Cables(BaseManager):
    """A process of cables."""


Cables.register("Cable", Cable, CableProxy)


@contextmanager
def cable(port: int) -> Iterator[CableProxy]:
    with Cables(ctx=get_context("spawn")) as process:
        cable: CableProxy = process.Cable(port)  # type: ignore[attr-defined]
        try:
            yield cable
        finally:
            cable.close()
