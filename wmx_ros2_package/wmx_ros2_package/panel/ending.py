"""The end of the panel: what it still moves is stopped, before its process ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from threading import Thread
from types import FrameType
from typing import Protocol

SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
"""The last one comes when the terminal is closed."""
END_TIMEOUT = 3.0
"""How long the machine may take to be left, s: the middleware may hang."""


class Server(Protocol):
    """A server of uvicorn."""

    def run(self) -> None:
        """Serve until a signal has come."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal."""


def run_until_signal(server: Server, leave: Callable[[], object]) -> None:
    """Run `server` until one of SIGNALS, then `leave`, for END_TIMEOUT at most.

    uvicorn raises the signal again once it has ended. What handled it before would end the process
    there, with nothing stopped: so the server itself takes signals from now on, and a second one
    changes nothing. One that was ignored at the start, as `nohup` asks for, stays so.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, server.handle_exit)
    try:
        server.run()
    finally:
        leaving = Thread(target=leave, name="panel-end", daemon=True)
        leaving.start()
        leaving.join(END_TIMEOUT)
