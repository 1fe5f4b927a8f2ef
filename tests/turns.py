"""Who of the workers of pytest-xdist may run a test when: all of them together, or one alone.

Kernel locks, which nobody can leave behind, on two files of the run in the temporary directory.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = "WMX_TEST_TURNS"
"""The variable that tells the workers of a run where its files are."""
PATIENCE = 60.0
"""How long who wants to be alone waits for the tests of others, s; some take hours."""


class Turns:
    """Those of one process, whose tests come one after the other."""

    def __init__(self, folder: Path, patience: float = PATIENCE) -> None:
        """In a folder that is the same for all processes."""
        self._door, self._room = (
            os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            for name in ("door", "room")
        )
        self._patience = patience

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run a test beside those of others, once nobody is alone or wants to be."""
        with self._at_the_door():
            fcntl.flock(self._room, fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """In a test: wait until those of others are over, and let no other begin meanwhile.

        What takes longer than `patience` goes on.
        """
        fcntl.flock(self._room, fcntl.LOCK_UN)  # for others who want to be alone wait for it
        with self._at_the_door():
            deadline = time.monotonic() + self._patience
            while not self._is_empty() and time.monotonic() < deadline:
                time.sleep(0.02)
            try:
                yield
            finally:
                fcntl.flock(self._room, fcntl.LOCK_SH)

    def _is_empty(self) -> bool:
        """Whether nobody else is in the room, which is locked then."""
        try:
            fcntl.flock(self._room, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    @contextmanager
    def _at_the_door(self) -> Iterator[None]:
        """Held by who wants to be alone, until it has been: nobody enters meanwhile."""
        fcntl.flock(self._door, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._door, fcntl.LOCK_UN)


if not Path(os.environ.get(FOLDER, "")).is_absolute():
    _folder = tempfile.TemporaryDirectory(prefix="wmx-turns")  # until this process ends
    os.environ[FOLDER] = _folder.name

TURNS = Turns(Path(os.environ[FOLDER]))
