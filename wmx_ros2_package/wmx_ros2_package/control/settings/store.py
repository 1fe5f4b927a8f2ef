"""Reads and writes for all processes what clients have set; if that is lost, motion is refused.

It lies beside the axis file, in the directory that only its user can enter, and is written as a
whole: a reader finds that of before or that of after. The axis file has the revision of the newest
one, so that a document that is missing, old or garbage is noticed.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.parameters.parameter_set import MAX_FILE_BYTES
from wmx_core.regular_file import read_regular_file

from ..axis_file.shared import SharedAxisFile
from ..ownership import Ownership
from .document import SettingsDocument, decoded, encoded, everything_lost

LOCK_TIMEOUT = 2.0
"""How long another node may take to set something, s: it takes some milliseconds."""
_MOST_BYTES = 4 * MAX_FILE_BYTES
"""A larger file is no document."""
_RETRY_PERIOD = 0.002

Record = Callable[[SettingsDocument], SettingsDocument]
"""Returns a document with a change."""


class MadeOtherwise(CommandRefused):
    """The refusal of a change of which the engine has made another one, or that is not kept."""


class SettingsStore:
    """The document beside the axis file of `ownership`; any thread may call.

    While the device is closed there is none, and nothing is recorded.
    """

    def __init__(self, ownership: Ownership) -> None:
        self._ownership = ownership
        self._changing = threading.RLock()
        """Held while a setting is given to the engine and recorded."""
        self._known = SettingsDocument()
        """The newest document that was read or written here."""
        self._seen: tuple[int, ...] = ()
        """The inode, time, size and revision of the file that was read last."""

    @property
    def path(self) -> Path | None:
        """Where the document is; None while the device is closed."""
        return None if (file := self._ownership.file) is None else file.settings_path

    def document(self) -> SettingsDocument:
        """Return the newest document; one that cannot be read is one that has lost everything."""
        file = self._ownership.file
        revision = 0 if file is None else file.settings_revision
        if file is None or not revision:
            return SettingsDocument()
        if self._known.revision != revision:
            if (read := _read(file, revision)) is None:
                return everything_lost(revision)
            self._known = read
        return self._known

    def restore(self, put_back: Record, *, recorded: bool = True) -> SettingsDocument:
        """Return what `put_back` makes of the newest document, and record it if `recorded`."""
        if (file := self._ownership.file) is None:
            return SettingsDocument()
        with self._writing(file):
            found = self._find(file)
            kept = found if found.says_nothing else put_back(found)
            known = kept == found and kept.revision == self._known.revision
            if recorded and not (known and kept.revision == file.settings_revision):
                self.write(file, kept)
            return kept

    def _find(self, file: SharedAxisFile) -> SettingsDocument:
        """Return the newest document, also where the axis file is a new one."""
        if file.settings_revision or not os.path.lexists(file.settings_path):
            self._known = self._known if file.settings_revision else SettingsDocument()
            return self.document()
        return _read(file, 0) or everything_lost(0)

    def change(self, change: Callable[[], None], record: Record) -> None:
        """Make a `change` of the engine and record it; what is refused is not recorded.

        The document is written before, and put in its place after: a disk that is full refuses.
        """
        if (file := self._ownership.file) is None:
            change()
            return
        with self._writing(file):
            before = self.document()
            after = record(before)
            if after == before:
                change()
                return
            after = replace(after, revision=self._next(before))
            try:
                prepared = prepare(file.settings_path, after)
            except OSError as error:
                raise _not_kept(error) from error
            try:
                change()
            except BaseException:
                prepared.unlink(missing_ok=True)
                raise
            try:
                os.replace(prepared, file.settings_path)
            except OSError as error:
                refused = _not_kept(error)
                raise MadeOtherwise(refused.code, f"it is made, but {refused.detail}") from error
            self._know(file, after)

    def write(self, file: SharedAxisFile, document: SettingsDocument) -> None:
        """Put `document` in the place of the newest one."""
        document = replace(document, revision=self._next(document))
        try:
            os.replace(prepare(file.settings_path, document), file.settings_path)
        except OSError as error:
            raise _not_kept(error) from error
        self._know(file, document)

    def _know(self, file: SharedAxisFile, document: SettingsDocument) -> None:
        self._known = document
        file.settings_revision = document.revision

    @contextmanager
    def _writing(self, file: SharedAxisFile) -> Iterator[None]:
        """Let no other thread or node change the document; refused where one does for long."""
        with self._changing:
            deadline = self._ownership.clock.now() + LOCK_TIMEOUT
            while not file.lock_settings():
                if self._ownership.clock.now() > deadline:
                    detail = f"another node sets something for {LOCK_TIMEOUT:g} s already"
                    raise CommandRefused(ErrorCode.ResourceInUse, detail)
                self._ownership.clock.sleep(_RETRY_PERIOD)
            try:
                yield
            finally:
                file.unlock_settings()

    def _next(self, document: SettingsDocument) -> int:
        """A revision that no document of another system has had."""
        return max(document.revision + 1, round(self._ownership.clock.now() * 1e9))

    def repair(self) -> None:
        """Write the document again that is in force, where another one is in its place, or none.

        The node that has recorded it knows it, and so does each one that has read it. To be called
        once a second; nothing is waited for.
        """
        file, known = self._ownership.file, self._known
        if file is None or not known.revision or known.revision != file.settings_revision:
            return
        with suppress(OSError, ValueError):
            found = os.lstat(file.settings_path)
            seen = found.st_ino, found.st_mtime_ns, found.st_size, known.revision
            if seen == self._seen:
                return
            if read_document(file.settings_path).revision >= known.revision:
                self._seen = seen
                return
        if not self._changing.acquire(blocking=False):
            return
        try:
            if file.lock_settings():
                with suppress(OSError):
                    if file.settings_revision == known.revision:
                        os.replace(prepare(file.settings_path, known), file.settings_path)
                file.unlock_settings()
        finally:
            self._changing.release()


def read_document(path: Path) -> SettingsDocument:
    """The document at `path`; ValueError has the reason why there is none."""
    return decoded(read_regular_file(str(path), _MOST_BYTES))


def prepare(path: Path, document: SettingsDocument) -> Path:
    """Write `document` beside `path`, so that `os.replace` makes it the one there; OSError."""
    prepared = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    with suppress(FileNotFoundError):  # of a process of this number that was killed
        prepared.unlink()
    file = os.open(prepared, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(encoded(document))
            stream.flush()
            os.fsync(file)
    except OSError:
        prepared.unlink(missing_ok=True)
        raise
    return prepared


def _read(file: SharedAxisFile, revision: int) -> SettingsDocument | None:
    """The document of a file; None where there is none that is new enough."""
    try:
        document = read_document(file.settings_path)
    except ValueError:
        return None
    if document.revision < revision:
        return None
    if document.revision > revision > 0:  # who wrote it died before the file had its revision
        file.settings_revision = document.revision
    return document


def _not_kept(error: OSError) -> CommandRefused:
    return CommandRefused(ErrorCode.FileOperationFailed, f"settings cannot be kept: {error}")
