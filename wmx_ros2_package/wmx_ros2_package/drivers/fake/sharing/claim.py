"""Which process is the engine of a device path: the one that holds a lock, as long as it lives.

The kernel gives the lock back when its holder ends, however it ends, and not before: a holder that
is stopped keeps it. So there is one engine of a path at any time, or none. Only the holder makes
and removes the socket beside the lock file, and removes that file when it ends; the next one begins
with a new file. A holder that is killed leaves its files to the next engine that starts, whichever
path that has.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

_STOPPED = "Tt"
"""States of a stopped process in /proc: by a signal, by a debugger."""


class Claim:
    """The right to be the engine whose socket is at `address`, as long as `fd` is open."""

    def __init__(self, address: Path, fd: int) -> None:
        """Of a lock on `fd` that is held already, by this process or by the one that started it."""
        self.address = address
        self.fd = fd
        os.set_inheritable(fd, False)
        self.sign()

    def sign(self) -> None:
        """Write down that it is this process that holds the lock, for others to say."""
        os.pwrite(self.fd, f"{os.getpid():<10}".encode(), 0)

    @classmethod
    def take(cls, address: Path) -> "Claim | None":
        """None while somebody else is the engine there, or is starting it."""
        path = _lock_file(address)
        while True:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_file_at(path, fd):
                    address.unlink(missing_ok=True)  # of an engine that was killed
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
        """Where the engine writes what nobody else can be told."""
        return self.address.with_suffix(".log")

    def pass_on(self) -> None:
        """Leave the claim to the process that has the lock as well, if it lives."""
        os.close(self.fd)

    def give_back(self) -> None:
        """The engine has ended, or none was started."""
        self.remove_files()
        os.close(self.fd)

    def remove_files(self) -> None:
        """Nothing of the engine stays; who attaches from now on finds none."""
        lock = _lock_file(self.address)
        if _is_file_at(lock, self.fd):
            self.log.unlink(missing_ok=True)
            self.address.unlink(missing_ok=True)
            lock.unlink()


def clear_dead(directory: Path) -> None:
    """Remove what killed engines have left in `directory`.

    A log that says something stays, under another name, until the next one is killed.
    """
    for lock in directory.glob("*.lock"):
        if claim := Claim.take(lock.with_suffix(".sock")):
            with suppress(FileNotFoundError):
                if claim.log.stat().st_size:
                    claim.log.rename(claim.log.with_suffix(".last.log"))
            claim.give_back()


def holder(address: Path) -> str:
    """Who holds the claim to `address`, in words."""
    try:
        with _lock_file(address).open("rb") as file:
            process = int(file.read(10))
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, ValueError, IndexError):
        return "the process that holds its lock is not known"
    stopped = " is stopped: continue it (kill -CONT) or end it (kill -KILL)"
    return f"process {process}" + (stopped if state in _STOPPED else " is busy, or hangs")


def _lock_file(address: Path) -> Path:
    return address.with_suffix(".lock")


def _is_file_at(path: Path, fd: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(fd))
    return False
