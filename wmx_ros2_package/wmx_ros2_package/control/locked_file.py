"""A file of which processes lock single bytes: the kernel keeps who holds one, and who is alive.

The locks belong to an open file (`F_OFD_SETLK`). Each `LockedFile` has its own, in one process or
in several, and the kernel releases them when their process ends, however it ends.
"""

import fcntl
import os
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

_OPEN_TIMEOUT = 5.0
"""How long another process may take to create or remove the file, s: it takes no time, unless the
process is suspended in between."""
_FLOCK = "hhqqi4x"
"""struct flock: type, whence, start, length, process (0 for these locks)."""


class LockedFile:
    """The file at `path`, which is made if need be; any thread may call.

    Who has it open shares the lock on the byte `in_use`.
    """

    def __init__(self, path: Path, in_use: int) -> None:
        """Raises an OSError where the file cannot be opened."""
        self._path = path
        self._in_use = in_use
        self._closing = threading.Lock()
        """Held around each use of `number`, so that none meets a file that is being closed."""
        self.number, self.alone = _open_shared(path, in_use)
        """The number of the open file, -1 once it is closed; whether no other process has it open,
        until `share` is called."""

    def share(self) -> None:
        """Let other processes open the file."""
        self.lock(self._in_use, fcntl.F_RDLCK)

    def lock(self, byte: int, kind: int = fcntl.F_WRLCK) -> bool:
        """Lock a byte; false where another one has it, or the file is closed."""
        with self._closing:
            return self.number >= 0 and _lock(self.number, kind, byte)

    def unlock(self, byte: int) -> None:
        """Unlock a byte."""
        self.lock(byte, fcntl.F_UNLCK)

    def is_locked(self, byte: int) -> bool:
        """Whether another one holds the lock on `byte`."""
        with self._closing:
            return self.number >= 0 and is_locked(self.number, byte)

    def close(self, keep: Callable[[], object]) -> None:
        """Close the file; the last one removes it, unless `keep` is true then.

        All locks are released here, for a mapping would hold them as long as it is used.
        """
        with self._closing:
            file, self.number = self.number, -1
        if file < 0:
            return
        _lock(file, fcntl.F_UNLCK, self._in_use)
        last = _lock(file, fcntl.F_WRLCK, self._in_use)
        if last and not keep() and _is_at(file, self._path):
            self._path.unlink()
        _lock(file, fcntl.F_UNLCK, 0, 0)
        os.close(file)


def is_locked(file: int, byte: int) -> bool:
    """Whether another one than the open `file` holds the lock on `byte`."""
    wanted = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
    found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, wanted)
    return bool(struct.unpack(_FLOCK, found)[0] != fcntl.F_UNLCK)


def _open_shared(path: Path, in_use: int) -> tuple[int, bool]:
    """The open file at `path`, and whether no other process has it open: then it is locked."""
    deadline = time.monotonic() + _OPEN_TIMEOUT
    while time.monotonic() < deadline:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        alone = _lock(file, fcntl.F_WRLCK, in_use)
        # It may be removed between being opened and being locked: then it is opened again.
        if (alone or _lock(file, fcntl.F_RDLCK, in_use)) and _is_at(file, path):
            return file, alone
        os.close(file)
        time.sleep(0.001)
    raise TimeoutError(f"{path} is being created or removed for {_OPEN_TIMEOUT:g} s already")


def _is_at(file: int, path: Path) -> bool:
    """Whether `path` still leads to the open `file`."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _lock(file: int, kind: int, byte: int, count: int = 1) -> bool:
    """Lock or unlock `count` bytes, 0 for all from `byte` on; false where another one has them."""
    wanted = struct.pack(_FLOCK, kind, os.SEEK_SET, byte, count, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, wanted)
    except BlockingIOError:
        return False
    return True
