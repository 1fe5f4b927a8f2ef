"""Reads and computes in a process of its own what comes from files, so that nothing here waits.

Whatever a file makes of its reader, a browser that has sent it gets an answer in time: the process
is ended when it takes too long, and started again for the next file.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from wmx_core.module_command import module_command

from .file_process import NOT_READ
from .restarts import END_WITH_PARENT

T = TypeVar("T")
MOST_WAITING = 8
"""So many files wait at most, of all pages."""


class FileError(ValueError):
    """A file was not read; the text has the reason."""


class FileReader:
    """One process that reads one file after the other. Any loop may ask, `close` ends it."""

    def __init__(self, timeout: float = 15.0) -> None:
        """A file for which it takes longer than `timeout` (s) is given up."""
        self.timeout = timeout
        self._thread = ThreadPoolExecutor(1, "panel-files")
        self._waiting = 0
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """What `work`, a function of a module, returns for `arguments`; FileError if it refuses."""
        if self._waiting >= MOST_WAITING:
            raise FileError("the panel is reading other files: try again")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._ask, work, arguments)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End the process; what it reads is given up, and what waits is not read."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()  # so that the thread waits for it no longer
        self._thread.submit(self._end)
        self._thread.shutdown()

    def _ask(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        try:
            connection = self._running()
            if self._closed:  # while this waited, or while the process was being started
                raise FileError("the panel ends: no file is read any more")
            connection.send((work, arguments))
            if not connection.poll(self.timeout):
                raise FileError(f"it takes longer than {self.timeout:g} s, and was given up")
            done, answer = connection.recv()
        except FileError:
            self._end()
            raise
        except (EOFError, OSError):
            self._end()
            raise FileError(NOT_READ) from None
        if not done:
            raise FileError(answer)
        return answer  # type: ignore[no-any-return]

    def _running(self) -> Connection:
        """The connection to the process, which is started where there is none."""
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._connection is None:
            self._connection, far = Pipe()
            with far:
                number = far.fileno()
                self._process = subprocess.Popen(
                    # That a killed panel is gone is seen between files only.
                    [*END_WITH_PARENT, *module_command(f"{__package__}.file_process", str(number))],
                    pass_fds=[number],
                    stdin=subprocess.DEVNULL,
                )
        return self._connection

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = self._connection = None
