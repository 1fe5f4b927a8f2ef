"""A program in a terminal of its own, and what it draws there."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import circles
from ros import WAIT_TIMEOUT, eventually

ROWS, COLUMNS = 40, 120


class InTerminal:
    """The program, and the terminal's other end."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._end, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *command],
            env={**environment, "TERM": "xterm-256color"},
            stdin=inside,
            stdout=inside,
            stderr=inside,
        )
        os.close(inside)
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def press(self, keys: bytes) -> None:
        os.write(self._end, keys)

    def says(self, text: str) -> None:
        eventually(lambda: text in self.output, f"{text!r} in\n{self.output}")

    def wait(self) -> int:
        code = self.process.wait(WAIT_TIMEOUT)
        self._reader.join(WAIT_TIMEOUT)
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with suppress(OSError):
            os.close(self._end)

    def _read(self) -> None:
        with suppress(OSError):  # the program has ended
            while data := os.read(self._end, 4096):
                self.output += data.decode(errors="replace")


@contextmanager
def in_terminal(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[InTerminal]:
    circles.require_mark()
    program = InTerminal(command, environment)
    try:
        yield program
    finally:
        program.close()
