"""A cable between a browser and the panel, which can be cut while something moves."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Cable:
    """Forwards TCP connections to a port; `cut` loses no connection, but every byte stays."""

    def __init__(self, port: int) -> None:
        self._target = port
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
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:  # the panel is not there
                    near.close()
                    continue
                self._sockets.append(far)
                for pair in ((near, far), (far, near)):
                    self._threads.append(
                        threading.Thread(target=self._forward, args=pair, daemon=True)
                    )
                    self._threads[-1].start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                self._whole.wait()
                time.sleep(self.delay)
                sink.sendall(piece)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def cable(port: int) -> Iterator[Cable]:
    cable = Cable(port)
    try:
        yield cable
    finally:
        cable.close()
