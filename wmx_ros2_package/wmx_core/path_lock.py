"""Locks of the kernel on single bytes, and one that a path has which no file system can lose.

The locks belong to an open file (`F_OFD_SETLK`): the kernel releases them when its process ends,
however it ends.
"""

import fcntl
import os
import struct
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

_FLOCK = "hhqqi4x"
"""struct flock: type, whence, start, length, process (0 for these locks)."""


class PathLock:
    """A shared lock by which the processes that use what is at `path` know of each other.

    It is on a byte of the root directory whose number is computed from the path, so that nothing
    has to be at the path. Where that directory cannot be locked, as on some network file systems,
    and between containers, no other process is ever found by it.
    """

    def __init__(self, path: Path) -> None:
        digest = sha256(os.fsencode(f"{os.getuid()}:{path}")).digest()
        self._byte = int.from_bytes(digest[:7], "big")
        self._directory = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def is_held_by_others(self) -> bool:
        """Whether another one holds it, in whatever process."""
        with suppress(OSError):
            return is_locked(self._directory, self._byte)
        return False

    def hold(self) -> None:
        """Hold it until it is closed."""
        with suppress(OSError):
            lock_bytes(self._directory, fcntl.F_RDLCK, self._byte)

    def close(self) -> None:
        """Hold it no longer; once, for the number of a closed file is soon that of another one."""
        directory, self._directory = self._directory, -1
        if directory < 0:
            return
        with suppress(OSError):
            lock_bytes(directory, fcntl.F_UNLCK, self._byte)
        os.close(directory)


def is_locked(file: int, byte: int) -> bool:
    """Whether another one than the open `file` holds the lock on `byte`."""
    wanted = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
    found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, wanted)
    return bool(struct.unpack(_FLOCK, found)[0] != fcntl.F_UNLCK)


def lock_bytes(file: int, kind: int, byte: int, count: int = 1) -> bool:
    """Lock or unlock `count` bytes, 0 for all from `byte` on; false where another one has them."""
    wanted = struct.pack(_FLOCK, kind, os.SEEK_SET, byte, count, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, wanted)
    except BlockingIOError:
        return False
    return True
