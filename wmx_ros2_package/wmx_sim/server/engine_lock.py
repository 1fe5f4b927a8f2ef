"""Which process is the engine of a device path: the one that holds a lock, as long as it lives.

The kernel releases the lock when its holder ends, however it ends, and not before: a holder that is
suspended keeps it. So a path has one engine at any time, or none. Only the holder makes and removes
the socket beside the lock file, and removes that file when it ends; the next engine begins with a
new file. The files of a holder that was killed are removed by the next engine that starts, whatever
path that has.
"""

import fcntl
import os
import threading
from contextlib import suppress
from pathlib import Path

from wmx_core.path_lock import PathLock
from wmx_core.private_directory import require_private

CHECK_PERIOD = 0.5
"""How often an engine looks for its files, s."""
_SUSPENDED = "Tt"
"""States of a suspended process in /proc: by a signal, by a debugger."""


class EngineLock:
    """The right to be the engine whose socket is at `address`, as long as `fd` is open."""

    def __init__(self, address: Path, fd: int) -> None:
        """The lock on `fd` is held already, by this process or by the one that started it."""
        self.address = address
        self.fd = fd
        os.set_inheritable(fd, False)
        self._changing = threading.Lock()
        """Held while the file is closed or put back, so that none closes a number twice: it would
        be that of another file by then."""
        self._lives = PathLock(address)
        self._lives.hold()
        self.write_holder()

    def write_holder(self) -> None:
        """Write into the file that this process holds the lock, for error messages."""
        os.pwrite(self.fd, f"{os.getpid():<10}".encode(), 0)

    @classmethod
    def take(cls, address: Path) -> "EngineLock | None":
        """Return the lock, or None while another process is the engine there, or starts it.

        A log of an engine that was killed is renamed to end in .last.log, unless it is empty, and
        stays until another engine of that path is killed.
        """
        path = _lock_file(address)
        while True:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_file_at(path, fd):
                    if _lives(address):  # the engine whose files were deleted
                        os.close(fd)
                        return None
                    address.unlink(missing_ok=True)  # of an engine that was killed
                    _keep_log(_log_file(address))
                    return cls(address, fd)
            except BlockingIOError:
                os.close(fd)
                return None
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)  # its holder has just removed it: the next file decides

    @property
    def log(self) -> Path:
        """The file for the output of the engine's process."""
        return _log_file(self.address)

    def pass_on(self) -> None:
        """Leave the lock to the process that inherited it, if there is one."""
        self._lives.close()
        with self._changing:
            file, self.fd = self.fd, -1
            if file >= 0:
                os.close(file)

    def release(self) -> None:
        """Remove the files and release the lock: the engine has ended, or none was started."""
        self.remove_files()
        self.pass_on()

    def remove_files(self) -> None:
        """Remove the files of the engine, so that a device that attaches now finds none."""
        lock = _lock_file(self.address)
        if self.fd >= 0 and _is_file_at(lock, self.fd):
            self.log.unlink(missing_ok=True)
            self.address.unlink(missing_ok=True)
            lock.unlink()

    def put_back(self) -> bool:
        """Have the lock file where it was deleted; whether it is there, or the lock was left."""
        with self._changing:
            return self.fd < 0 or self._put_back()

    def _put_back(self) -> bool:
        path = _lock_file(self.address)
        if _is_file_at(path, self.fd):
            return True
        with suppress(OSError):
            require_private(path.parent)
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BaseException:
                os.close(fd)
                raise
            old, self.fd = self.fd, fd
            os.close(old)
            self.write_holder()
        return _is_file_at(path, self.fd)


def _lives(address: Path) -> bool:
    """Whether the engine at `address` lives, with its files or without."""
    lock = PathLock(address)
    try:
        return lock.is_held_by_others()
    finally:
        lock.close()


def remove_leftovers(directory: Path) -> None:
    """Remove the files of killed engines in `directory`, but for their last logs."""
    for file in directory.glob("*.lock"):
        if lock := EngineLock.take(file.with_suffix(".sock")):
            lock.release()


def holder(address: Path) -> int | None:
    """Return the process that holds the lock of `address`, as far as is known."""
    try:
        with _lock_file(address).open("rb") as file:
            return int(file.read(10))
    except (OSError, ValueError):
        return None


def describe(process: int | None) -> str:
    """Return `process` in words, with the beginning of the command that started it."""
    if process is None:
        return "a process that is not known"
    try:
        words = Path(f"/proc/{process}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return f"process {process}"
    words = [word for word in words if not word.startswith("import ")]  # see module_command
    return f"process {process} ({' '.join(Path(word).name for word in words[:3]).strip()})"


def is_suspended(process: int | None) -> bool:
    """Return whether `process` is suspended."""
    with suppress(OSError, IndexError):
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        return state in _SUSPENDED
    return False


def _lock_file(address: Path) -> Path:
    return address.with_suffix(".lock")


def _log_file(address: Path) -> Path:
    return address.with_suffix(".log")


def _keep_log(log: Path) -> None:
    with suppress(FileNotFoundError):
        if log.stat().st_size:
            log.rename(log.with_suffix(".last.log"))


def _is_file_at(path: Path, fd: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(fd))
    return False
