"""The log on stderr, which a thread of its own writes.

A terminal that is held (Ctrl-S), or a pipe that nothing reads, holds up what writes to it: neither
a stop nor the end of a jog may wait for that.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread

LOG_FORMAT = "%(asctime)s %(name)s: %(message)s"
MOST_LINES = 1000
"""So many lines wait to be written; those that come then are dropped."""
FLUSH_TIMEOUT = 1.0
"""How long the end of the process waits until all is written, s."""


class LogWriter(logging.Handler):
    """Has each line written later: what logs it waits for nothing."""

    def __init__(self, file: int) -> None:
        """`file` is the descriptor: an object over it has a lock that who writes holds."""
        super().__init__()
        # A simple one: where Python collects garbage as it takes a line, that may log another one.
        self._lines: SimpleQueue[str | Event] = SimpleQueue()
        Thread(target=self._write, args=(file,), name="panel-log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Take one line."""
        try:
            if self._lines.qsize() < MOST_LINES:
                self._lines.put(self.format(record))
        except Exception:  # of a record that cannot be formatted, as every handler does
            self.handleError(record)

    def flush(self) -> None:
        """Wait until all is written, for FLUSH_TIMEOUT at most."""
        written = Event()
        self._lines.put(written)
        written.wait(FLUSH_TIMEOUT)

    def _write(self, file: int) -> None:
        while True:
            line = self._lines.get()
            if isinstance(line, Event):
                line.set()
                continue
            with suppress(OSError):  # it was closed
                os.write(file, f"{line}\n".encode(errors="replace"))
