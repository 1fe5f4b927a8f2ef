"""Who owns which axis, kept by the kernel: one lock on one byte per axis of a file.

The locks are those of an open file description (`F_OFD_SETLK`): each `AxisLocks` has its own, in
one process or in several, and the kernel gives them back when their process ends, however it
ends. Behind the locked bytes the file holds a record per axis, in which its owner has written who
it is, for others to read.

Behind the records the file holds a mark per axis: a number that is drawn anew each time somebody
stops the axis. So whoever has read it before can tell that the axis was stopped since, also one
that rested, and no two who write it at once can hide each other's stop.

One more byte, with a record too, is for the engine itself (`ENGINE`). Another says that the file is
in use: whoever opens it shares a lock on it, and whoever closes it as the last removes the file.
"""

import fcntl
import os
import secrets
import struct
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from .values import MAX_AXES

ENGINE = MAX_AXES + 1
"""In place of an axis: the life of the engine."""
_IN_USE = MAX_AXES
"""The byte that everybody who has opened the file shares."""
_RECORDS = 256
"""Where the records begin."""
_RECORD_SIZE = 256
"""Of which the last byte says whether the axis is kept."""
_NAME_SIZE = _RECORD_SIZE - 1
_MARKS = _RECORDS + (ENGINE + 1) * _RECORD_SIZE
"""Where the marks begin."""
_MARK_SIZE = 8
_PATIENCE = 5.0
"""Removing the file takes no time, unless who does it was suspended meanwhile, s."""
_FLOCK = "hhqqi4x"
"""struct flock: type, whence, start, length, process (0 for these locks)."""


class AxisLocks:
    """The axes that one owner holds, in the file at `path` that it shares with all others."""

    def __init__(self, path: Path, name: str) -> None:
        """Hold none yet; `name` is what others are told. OSError if there can be no such file."""
        self.name = f"{name}, process {os.getpid()}"
        self._path = path
        self._file = _open_shared(path)

    def take(self, axis: int) -> bool:
        """Hold `axis`; false if somebody else does."""
        if not _lock(self._file, fcntl.F_WRLCK, axis):
            return False
        record = self.name.encode()[:_NAME_SIZE]
        os.pwrite(self._file, record.ljust(_RECORD_SIZE, b"\0"), _place(axis))
        return True

    def give_back(self, axis: int) -> None:
        """Hold `axis` no longer."""
        os.pwrite(self._file, bytes(_RECORD_SIZE), _place(axis))
        _lock(self._file, fcntl.F_UNLCK, axis)

    def keep(self, axis: int, *, kept: bool) -> None:
        """Tell others that `axis`, which is held, will be held when it rests, too; or not."""
        os.pwrite(self._file, bytes([kept]), _place(axis) + _NAME_SIZE)

    def is_kept(self, axis: int) -> bool:
        """Whether who holds `axis` has said so."""
        return os.pread(self._file, 1, _place(axis) + _NAME_SIZE) == b"\1"

    def owner(self, axis: int) -> str | None:
        """Who else holds `axis`."""
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, axis, 1, 0)
        kind, *_ = struct.unpack(_FLOCK, fcntl.fcntl(self._file, fcntl.F_OFD_GETLK, asked))
        if kind == fcntl.F_UNLCK:
            return None
        record = os.pread(self._file, _NAME_SIZE, _place(axis)).rstrip(b"\0")
        # Between the lock and the record there is a moment.
        return record.decode(errors="replace") or "somebody who has just taken it"

    def owners(self, axes: Iterable[int]) -> dict[int, str]:
        """Who else holds which of `axes`."""
        found = ((axis, self.owner(axis)) for axis in axes)
        return {axis: owner for axis, owner in found if owner is not None}

    def mark_stop(self, axes: Iterable[int], kind: bytes) -> None:
        """Let everybody see that `axes` are being stopped; `kind` is one byte that says how."""
        for axis in axes:
            mark = kind + secrets.token_bytes(_MARK_SIZE - 1)
            os.pwrite(self._file, mark, _MARKS + axis * _MARK_SIZE)

    def stop_marks(self, axes: Iterable[int]) -> tuple[bytes, ...]:
        """What differs from what it was when one of `axes` was stopped meanwhile."""
        marks = (os.pread(self._file, _MARK_SIZE, _MARKS + a * _MARK_SIZE) for a in axes)
        return tuple(mark.ljust(_MARK_SIZE, b"\0") for mark in marks)  # the file may be shorter yet

    def close(self) -> None:
        """Hold nothing any more; the last to close removes the file."""
        file, self._file = self._file, -1
        if file < 0:
            return
        with suppress(OSError):
            _lock(file, fcntl.F_UNLCK, _IN_USE)
            if _lock(file, fcntl.F_WRLCK, _IN_USE) and _is_at(file, self._path):
                self._path.unlink()
        os.close(file)


def _open_shared(path: Path) -> int:
    """The file at `path`, made if need be, with the lock that says that it is in use."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        # It may be removed between being opened and being locked: then it is opened again.
        if _lock(file, fcntl.F_RDLCK, _IN_USE) and _is_at(file, path):
            return file
        os.close(file)
    raise TimeoutError(f"{path} is being removed for {_PATIENCE:g} s already")


def _is_at(file: int, path: Path) -> bool:
    """Whether `path` still leads to the open `file`."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _lock(file: int, kind: int, byte: int) -> bool:
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack(_FLOCK, kind, os.SEEK_SET, byte, 1, 0))
    except BlockingIOError:
        return False
    return True


def _place(axis: int) -> int:
    return _RECORDS + axis * _RECORD_SIZE
