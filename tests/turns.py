"""Who of the workers of pytest-xdist may run a test when: all of them together, or one alone.

Kernel locks, which nobody can leave behind. Runs of one checkout wait for each other, too.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Turns:
    """Those of one process, whose tests come one after the other."""

    def __init__(self, door: Path, room: Path) -> None:
        """Two files, or folders, that exist; they are the same for all processes."""
        self._door = os.open(door, os.O_RDONLY | os.O_CLOEXEC)
        """Held by who wants to be alone, until it has been: nobody enters meanwhile."""
        self._room = os.open(room, os.O_RDONLY | os.O_CLOEXEC)
        """Shared by all whose test runs."""

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
        """In a test: wait until those of others are over, and let no other begin meanwhile."""
        fcntl.flock(self._room, fcntl.LOCK_UN)  # for others who want to be alone wait for it
        with self._at_the_door():
            fcntl.flock(self._room, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._room, fcntl.LOCK_SH)

    @contextmanager
    def _at_the_door(self) -> Iterator[None]:
        fcntl.flock(self._door, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._door, fcntl.LOCK_UN)


TURNS = Turns(door=Path(__file__), room=Path(__file__).parent)
