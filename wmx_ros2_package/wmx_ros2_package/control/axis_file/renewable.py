"""Asked by `shared`: the axis file as one member has it open; where it is lost, all is refused.

A file is lost when it is deleted, or when something else is in it than nodes have written. The
first member that finds it marks it as replaced, and puts another one in its place, from what was in
it last; the others go on with that one. All that was asked of any axis until then is refused, as by
a stop. While that cannot be done, every command is refused.

What is written while another member replaces the file is not lost: that member marks the file, then
reads what is in it; who writes reads the mark afterwards, and writes again into the next file.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from uuid import UUID

import numpy as np

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.path_lock import is_locked
from wmx_core.values import MAX_AXES

from .locked import OPEN_TIMEOUT, LockedFile, publish
from .records import (
    FILE_SIZE,
    MAX_MEMBERS,
    NAME_SIZE,
    NAMES_AT,
    NO_MEMBER,
    RECORDS,
    Records,
    Unreadable,
    axis_offset,
    header_offset,
    new_system,
    next_system,
    renewed_contents,
)

IN_USE = MAX_AXES
ENGINE = MAX_AXES + 1
RENEW = MAX_AXES + 2
MEMBERS = MAX_AXES + 3
SETTINGS = MEMBERS + MAX_MEMBERS
RENEW_INTERVAL = 0.001
RENEW_TIMEOUT = 0.05
"""How often, and for how long, a stop waits for another member that puts the file back, s."""
MARKED_TIMEOUT = 1.0
"""How long a member that has marked the file as replaced may take to put the next one in its place,
or back, if that was lost as well, s. It has died or is suspended then."""


class AxisFileLost(CommandRefused):
    """The refusal of every command while the file is lost."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(ErrorCode.FileOperationFailed, f"{path} cannot be used: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A loss of the file, as each member that finds it reports it."""

    path: Path
    why: str
    """Why the file was lost, in words."""
    renewed: bool
    """Whether the file is in use again."""
    first: bool
    """Whether no other member has put it back: then all axes are to be stopped here."""


class RenewableFile:
    """The file at `path`, as the member `name` has it open; any thread may call."""

    def __init__(
        self,
        path: Path,
        name: str,
        system_id: UUID,
        on_loss: Callable[[Loss], object],
        on_renewed: Callable[[Records, int], object],
        clock: Clock,
    ) -> None:
        """Open the file, which is made if need be; OSError where it cannot be.

        The first member begins the system `system_id`.

        `on_loss` is called in whatever thread finds that the file is lost, and `on_renewed` when
        another file is open in its place: with what was known last, and the number until then.
        """
        self.path = path
        self.problem = ""
        """Why the file cannot be put back, in words; empty unless it is lost."""
        self._name = name
        self._on_loss = on_loss
        self._on_renewed = on_renewed
        self._clock = clock
        self._renewing = threading.RLock()
        """Held while another file takes the place of the one that is open."""
        self._writing = threading.RLock()
        """Held while something is written, and while what is remembered of it is taken along: for
        a moment, so that stops may wait for it."""
        self._file, self._records = self._open(system_id)
        self._shadow = bytearray(self._records.data)
        """The contents of the file when it was checked last, with what was written here since."""
        self._marked_at = inf
        """When the file was first found to be marked as replaced, s of the steady clock."""
        try:
            self.number = self._join(NO_MEMBER)
        except OSError:
            self.close(_keep)
            raise

    def close(self, keep: Callable[[int], object]) -> None:
        """Leave; the last member removes the file unless `keep` is true then."""
        with self._renewing:
            self._file.close(keep)

    # Locks

    def lock(self, byte: int) -> bool:
        """Lock a byte; false where another member has it, or the file is closed."""
        return self._file.lock(byte)

    def unlock(self, byte: int) -> None:
        """Unlock a byte."""
        self._file.unlock(byte)

    def is_locked(self, byte: int) -> bool:
        """Whether another member holds the lock on `byte`."""
        return self._file.is_locked(byte)

    # Reading

    def usable(self) -> Records | None:
        """The records of the file, which is put back if it is lost; None where it cannot be."""
        records = self._read()
        if records is None and not self.problem and self._renew():
            records = self._read()
        return records

    def known(self) -> Records:
        """The records of the file; while it is lost, what was known of it last."""
        return self._read() or self.usable() or self.last_sound()

    def last_sound(self) -> Records:
        """The contents of the file when it was checked last, with what was written here since."""
        return Records(bytes(self._shadow))

    def why_unusable(self) -> str:
        """Why the file cannot be used, in words; empty while it can."""
        if self.usable() is not None:
            return ""
        return self.problem or "another process is putting it back"

    def require_usable(self) -> None:
        """AxisFileLost while the file is lost."""
        if why := self.why_unusable():
            raise AxisFileLost(self.path, why)

    def names(self, number: int = 0, count: int = MAX_MEMBERS) -> bytes:
        """The names of so many members from `number` on, NAME_SIZE bytes each."""
        size = count * NAME_SIZE
        return self._file.read(size, NAMES_AT + number * NAME_SIZE).ljust(size, b"\0")

    def check(self) -> bool:
        """Put the file back if it is lost; whether it is in use."""
        with self._writing:
            records = self._read()
            if records is not None and self._file.is_at_its_path():
                with suppress(Unreadable):
                    if records.data != self._shadow:
                        records.require_sound()
                        self._shadow = bytearray(records.data)
                    self.problem = ""
                    return True
        return self._renew()

    def _read(self) -> Records | None:
        """Read the records of the file; None where nodes have not written its contents.

        A file that is closed has the contents that it had last.
        """
        file, known = self._file, self._records
        data = file.read(RECORDS.itemsize)
        if data == known.data or file.number < 0:
            return known
        try:
            self._records = records = Records(data)
        except Unreadable:
            return None
        return records

    # Writing

    def write(self, at: int, data: bytes) -> None:
        """Write into the file, and remember it: for the one that takes its place if it is lost."""
        with self._writing:
            self._shadow[at : at + len(data)] = data
            with suppress(OSError):  # who reads finds what is in it then
                self._file.write(data, at)

    def write_surely(self, write: Callable[[], object]) -> None:
        """Call `write`, and again where the file was replaced meanwhile; it takes a moment at most.

        While the file is lost nothing is written but what is remembered here.
        """
        deadline = self._clock.now() + RENEW_TIMEOUT
        waited = self._renewing.acquire(timeout=RENEW_TIMEOUT)  # what it carries over comes first
        try:
            write()
            while self._read() is None and self._clock.now() < deadline:
                if self._renew():
                    write()
                elif self.problem:
                    return
                else:
                    self._clock.sleep(RENEW_INTERVAL)
        finally:
            if waited:
                self._renewing.release()

    # A file that was lost

    def _renew(self) -> bool:
        """Go on with the file that takes the place of the lost one; whether there is one."""
        with self._renewing:
            file, why = self._file, self._why_lost()
            if not why:
                return True  # another thread was quicker
            if not file.lock(RENEW):
                return False  # another member puts it back: the next attempt finds that
            if self._is_left_to_another():
                file.unlock(RENEW)
                return False
            error, first = "", True
            try:
                first = self._replace()
                file.close(_keep)
            except OSError as failure:
                error = str(failure)
                file.unlock(RENEW)
            is_new, self.problem = not self.problem, f"{why}: {error}" if error else ""
        if is_new or not error:
            renewed = not error
            self._on_loss(Loss(path=self.path, why=error or why, renewed=renewed, first=first))
        return not error

    def _is_left_to_another(self) -> bool:
        """Whether a member that has marked the file as replaced may know more than this one."""
        if self._file.read(1, header_offset("replaced")) != b"\1" or self._is_replaced():
            return False
        self._marked_at = min(self._marked_at, self._clock.now())
        return self._clock.now() < self._marked_at + MARKED_TIMEOUT

    def _why_lost(self) -> str:
        if self._file.number < 0:
            return ""
        try:
            Records(self._file.read(RECORDS.itemsize)).require_sound()
        except Unreadable as error:
            return str(error)
        return "" if self._file.is_at_its_path() else "it was deleted"

    def _replace(self) -> bool:
        """Open a file in the place of the lost one; whether no other member has put it there."""
        with suppress(OSError):
            self._file.write(b"\1", header_offset("replaced"))
        if first := not self._is_replaced():
            publish(self.path, self._next_contents(), replace=True)
        file = LockedFile(self.path, IN_USE, self._next_contents, self._clock, members_live=True)
        try:
            records = Records(file.read(RECORDS.itemsize))
            file.share()
        except Unreadable as error:
            file.close(_keep)
            raise OSError(str(error)) from None
        with self._writing:
            before = self.last_sound()
            self._file, self._records, self._shadow = file, records, bytearray(records.data)
            self._marked_at = inf
            number, self.number = self.number, self._join(self.number)
            self._on_renewed(before, number)
        return first

    def _is_replaced(self) -> bool:
        """Whether the path leads to the file of another member that has replaced the lost one.

        A copy that was made earlier is no such file. That of another system, of processes that
        cannot be found by a lock on the root directory, is taken where its number is higher.
        """
        with suppress(OSError, Unreadable):
            file = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                found, mine = Records(os.pread(file, RECORDS.itemsize, 0)), self.last_sound()
                found.require_sound()
                if found.system == mine.system:
                    return found.generation > mine.generation
                return is_locked(file, IN_USE) and found.system > mine.system
            finally:
                os.close(file)
        return False

    def _next_contents(self) -> bytes:
        """Return the contents of the lost file; where it is unreadable, those that it had last."""
        data, names = bytearray(self._file.read(RECORDS.itemsize)), self.names()
        try:
            data[header_offset("replaced")] = False
            records = Records(data)
            records.require_sound()
            certain = True
        except (IndexError, Unreadable):
            records, names, certain = self.last_sound(), b"", False
        return renewed_contents(records, names, self._clock.now(), certain=certain)

    # Opening

    def _open(self, system_id: UUID) -> tuple[LockedFile, Records]:
        """Open the file, in which an earlier system may have left something."""
        deadline = self._clock.now() + OPEN_TIMEOUT
        while True:
            file = LockedFile(self.path, IN_USE, lambda: new_system(system_id), self._clock)
            try:
                if file.alone:
                    os.posix_fallocate(file.number, 0, FILE_SIZE)
                    left = file.read(RECORDS.itemsize)
                    file.write(next_system(left, system_id), 0)
                    file.share()
                return file, Records(file.read(RECORDS.itemsize))
            except Unreadable as error:  # its members put it back within a second
                file.close(_keep)
                if self._clock.now() > deadline:
                    raise TimeoutError(f"{self.path} cannot be used: {error}") from None
                self._clock.sleep(RENEW_INTERVAL)
            except BaseException:
                file.close(_keep)
                raise

    def _join(self, wanted: int) -> int:
        """Take the number `wanted`, or the first that no member has, and what its last one left."""
        numbers = range(MAX_MEMBERS)
        for number in (*([wanted] if wanted in numbers else []), *numbers):
            if self._file.lock(MEMBERS + number):
                left = (self.known().owner == number) & (number != wanted)
                for axis in left.nonzero()[0].tolist():
                    self.write(axis_offset(axis, "kept"), b"\0")
                    self.write(axis_offset(axis, "owner"), np.int16(NO_MEMBER).tobytes())
                name = self._name.encode()[:NAME_SIZE].ljust(NAME_SIZE, b"\0")
                self._file.write(name, NAMES_AT + number * NAME_SIZE)
                return int(number)
        raise OSError(f"{self.path} has {MAX_MEMBERS} members: no more may join")


def _keep(_: int) -> bool:
    return True
