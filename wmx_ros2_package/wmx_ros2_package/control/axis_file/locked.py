"""A file of which processes lock single bytes: the kernel keeps who holds one, and who is alive.

Each `LockedFile` has locks of its own, in one process or in several, and the kernel releases them
when their process ends, however it ends.

The file is read and written by system calls: memory that is mapped ends its process with SIGBUS
where the file was truncated. And it may be deleted while processes have it open, by who empties a
folder of temporary files. So each of them holds a `PathLock`, too, which no file system can lose.
While one is held, the file is not made anew by a process that does not find it: it waits until the
others have put it back (`publish`).
"""

import fcntl
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from wmx_core.clock import Clock
from wmx_core.path_lock import PathLock, is_locked, lock_bytes
from wmx_core.private_directory import require_private

OPEN_TIMEOUT = 5.0
"""How long other processes may take to create, put back or remove the file, s: it takes no time,
unless a process is suspended in between."""


class LockedFile:
    """The file at `path`, which is made if need be; any thread may call.

    Who has it open shares the lock on the byte `in_use`.
    """

    def __init__(
        self,
        path: Path,
        in_use: int,
        new: Callable[[], bytes],
        clock: Clock,
        *,
        members_live: bool = False,
    ) -> None:
        """Raises an OSError where the file cannot be opened; `new` is what a new one contains.

        With `members_live` the caller puts back a file that others, or itself, had open.
        """
        self._path = path
        self._in_use = in_use
        self._closing = threading.Lock()
        """Held around each use of `number`, so that none meets a file that is being closed."""
        self._root = PathLock(path)
        try:
            opened = _open_shared(path, in_use, new, clock, self._root, members_live)
        except BaseException:
            self._root.close()
            raise
        self.number, self.alone = opened
        """The number of the open file, -1 once it is closed; whether no other process has it open,
        until `share` is called."""

    def share(self) -> None:
        """Let other processes open the file."""
        self.lock(self._in_use, fcntl.F_RDLCK)

    def lock(self, byte: int, kind: int = fcntl.F_WRLCK) -> bool:
        """Lock a byte; false where another one has it, or the file is closed."""
        with self._closing:
            return self.number >= 0 and lock_bytes(self.number, kind, byte)

    def unlock(self, byte: int) -> None:
        """Unlock a byte."""
        self.lock(byte, fcntl.F_UNLCK)

    def is_locked(self, byte: int) -> bool:
        """Whether another one holds the lock on `byte`."""
        with self._closing:
            return self.number >= 0 and is_locked(self.number, byte)

    def read(self, size: int, at: int = 0) -> bytes:
        """Return `size` bytes, fewer where the file is shorter; none once it is closed."""
        with self._closing:
            return os.pread(self.number, size, at) if self.number >= 0 else b""

    def write(self, data: bytes, at: int) -> None:
        """Write `data`; nothing is done once the file is closed."""
        with self._closing:
            if self.number >= 0:
                os.pwrite(self.number, data, at)

    def is_at_its_path(self) -> bool:
        """Whether the path still leads to this file; also once it is closed."""
        with self._closing:
            return self.number < 0 or _is_at(self.number, self._path)

    def close(self, keep: Callable[[int], object]) -> None:
        """Close the file; the last one removes it, unless `keep` is true of it then.

        It is given the number of the open file. All locks are released here: a process that is
        being started would hold them for a moment longer.
        """
        with self._closing:
            file, self.number = self.number, -1
        if file < 0:
            return
        lock_bytes(file, fcntl.F_UNLCK, self._in_use)
        last = lock_bytes(file, fcntl.F_WRLCK, self._in_use)
        if last and not keep(file) and _is_at(file, self._path):
            self._path.unlink()
        lock_bytes(file, fcntl.F_UNLCK, 0, 0)
        os.close(file)
        self._root.close()


def publish(path: Path, data: bytes, *, replace: bool) -> None:
    """Have a file with `data` at `path`, complete as soon as it is there.

    With `replace` it takes the place of one that is there; else FileExistsError. Its space is
    reserved, so that a disk that becomes full later keeps nothing from being written into it.
    """
    require_private(path.parent)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    draft.unlink(missing_ok=True)
    file = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(file, 0, len(data))
        os.pwrite(file, data, 0)
        if replace:
            os.replace(draft, path)
        else:
            os.link(draft, path)
    finally:
        os.close(file)
        draft.unlink(missing_ok=True)


def _open_shared(
    path: Path,
    in_use: int,
    new: Callable[[], bytes],
    clock: Clock,
    root: PathLock,
    members_live: bool,
) -> tuple[int, bool]:
    """The open file at `path`, and whether no other process has it open: then it is locked."""
    deadline = clock.now() + OPEN_TIMEOUT
    while clock.now() < deadline:
        try:
            file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            if members_live or not root.is_held_by_others():
                with suppress(FileExistsError):  # another process was quicker
                    publish(path, new(), replace=False)
            else:
                clock.sleep(0.001)
            continue
        alone = lock_bytes(file, fcntl.F_WRLCK, in_use)
        shared = alone or lock_bytes(file, fcntl.F_RDLCK, in_use)
        lost = alone and not members_live and root.is_held_by_others()
        # It may be removed between being opened and being locked: then it is opened again. One that
        # none of its members has open is being removed, or is lost and put back by them.
        if shared and not lost and _is_at(file, path):
            root.hold()
            return file, alone and not members_live
        os.close(file)
        clock.sleep(0.001)
    if root.is_held_by_others():
        raise TimeoutError(
            f"{path} was deleted, or is created or removed for {OPEN_TIMEOUT:g} s already, while "
            "processes that use it live and do not respond: end them, or continue them"
        )
    raise TimeoutError(f"{path} is being created or removed for {OPEN_TIMEOUT:g} s already")


def _is_at(file: int, path: Path) -> bool:
    """Whether `path` still leads to the open `file`."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path, follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return False
