"""Files of the format MCAP: written in chunks, named when they are whole, kept within a limit.

A file that is being written ends in `.part`. Each chunk of it stands for itself, and is handed to
the operating system at least every `FLUSH_PERIOD`, so that it outlives a writer that is killed
(`mending`). A lock of the operating system shows that its writer lives.
"""

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO, Any

from wmx_core.clock import STEADY, Clock

from .errors import RecordingError, require_mcap
from .schemas import definition

SUFFIX = ".mcap"
PART = ".part"
PREFIX = "wmx_"
DEFAULT_FOLDER = "~/.ros/wmx_recordings"
CHUNK_BYTES = 1 << 20
FLUSH_PERIOD = 1.0
"""After so many seconds what was added is handed to the operating system."""
BURST, PAUSE = 0.005, 0.005
"""A writer adds for the first and rests for the second, s: other threads of its process go on."""


class RecordingFile:
    """One file that is being written; one thread may use it. OSError where the disk refuses."""

    def __init__(self, path: Path, clock: Clock = STEADY) -> None:
        """Begin the file that will be `path` when it is whole."""
        require_mcap()
        from mcap.writer import Writer

        self.path = path
        self._clock = clock
        self._part = path.with_name(path.name + PART)
        self._stream = os.fdopen(os.open(self._part, os.O_WRONLY | os.O_CREAT, 0o666), "wb")
        try:
            lock(self._stream)
            self._stream.truncate()  # not before: another one may be writing it
        except OSError:
            self._stream.close()
            raise
        self._writer: Any = Writer(self._stream, chunk_size=CHUNK_BYTES)
        self._channels: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        self._flush_due = self._clock.now() + FLUSH_PERIOD
        self._rest_at = self._clock.now() + BURST
        self._writer.start(profile="ros2", library="wmx_ros2_package")
        self._stream.flush()  # from now on it is a file of its kind

    @property
    def size(self) -> int:
        """How many bytes were written, without the chunk that is being filled."""
        return self._stream.tell()

    def describe(self, values: Mapping[str, str]) -> None:
        """Say what the recording is of."""
        self._writer.add_metadata("wmx", dict(values))

    def attach(self, name: str, media_type: str, data: bytes, stamp: int) -> None:
        """Add a file of another kind, as it was at `stamp` (ns)."""
        self._writer.add_attachment(stamp, stamp, name, media_type, data)

    def add(
        self, topic: str, kind: str, stamp: int, data: bytes, definition: bytes | None = None
    ) -> None:
        """Add a serialized message of type `kind`, recorded at `stamp` (ns); or UnknownType.

        `definition` is that of its type, the installed one if there is none.
        """
        channel = self._channels.get(topic)
        if channel is None:
            channel = self._channels[topic] = self._register(topic, kind, definition)
        self._writer.add_message(channel, stamp, data, stamp)
        self.flush_when_due()
        if self._clock.now() >= self._rest_at:
            self._clock.sleep(PAUSE)
            self._rest_at = self._clock.now() + BURST

    def flush_when_due(self) -> None:
        """Flush if the last time was `FLUSH_PERIOD` ago."""
        if self._clock.now() >= self._flush_due:
            self.flush()

    def flush(self) -> None:
        """Hand what was added to the operating system: it stays if this process is killed."""
        self._flush_due = self._clock.now() + FLUSH_PERIOD
        self._writer.flush()
        if os.fstat(self._stream.fileno()).st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, "the file was removed while it was written")

    def close(self) -> Path:
        """Finish the file and give it its name: it is whole, and on the disk."""
        self._writer.finish()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        path = self._part.rename(self.path)  # while it is locked: nobody mends it meanwhile
        self._stream.close()
        return path

    def abandon(self, *, remove: bool = True) -> None:
        """Give up; what there is of the file is removed, or else left for `mending`."""
        if remove:  # while it is locked, as in `close`
            with suppress(OSError):
                self._part.unlink()
        with suppress(OSError):
            self._stream.close()

    def _register(self, topic: str, kind: str, given: bytes | None) -> int:
        schema = self._schemas.get(kind)
        if schema is None:
            text = definition(kind) if given is None else given
            schema = self._writer.register_schema(kind, "ros2msg", text)
            self._schemas[kind] = schema
        return int(self._writer.register_channel(topic, "cdr", schema))


def lock(file: IO[bytes]) -> None:
    """Have a part for oneself until `file` is closed; BlockingIOError where another one has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # of a file system without locks
        pass


class Folder:
    """The folder of recordings: their names, and how much of the disk they may take."""

    def __init__(self, path: Path, most_bytes: int, least_free: int, clock: Clock = STEADY) -> None:
        """At most `most_bytes` for all recordings here, and `least_free` bytes left on the disk."""
        self.path = path
        self._most_bytes = most_bytes
        self._least_free = least_free
        self._clock = clock
        self._last = "", 0
        """The name of the newest recording without its number, and that number."""

    def begin(self, stamp: float, label: str) -> RecordingFile:
        """Begin a recording that begins at `stamp` (s since the epoch); or RecordingError.

        The oldest recordings are removed where there would be too many.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._make_room()
            return RecordingFile(self._free_name(stamp, label), self._clock)
        except OSError as error:
            raise RecordingError(f"no recording can be written to {self.path}: {error}") from error

    def require_room(self) -> None:
        """RecordingError where nothing may be written now."""
        free = shutil.disk_usage(self.path).free
        if free < self._least_free:
            raise RecordingError(
                f"{free >> 20} MiB are free on the disk of {self.path}: must be "
                f"{self._least_free >> 20} MiB or more (parameter least_free_megabytes)"
            )

    def recordings(self) -> list[Path]:
        """The whole recordings, the oldest first; no folders, whatever they are called."""
        named = self.path.glob(f"{PREFIX}*{SUFFIX}")
        return sorted((path for path in named if not path.is_dir()), key=_age)

    def _make_room(self) -> None:
        recordings = self.recordings()
        sizes = {path: _size(path) for path in recordings}
        while recordings and sum(sizes[path] for path in recordings) > self._most_bytes:
            oldest = recordings.pop(0)
            oldest.unlink(missing_ok=True)
        self.require_room()

    def _free_name(self, stamp: float, label: str) -> Path:
        """A name that no recording has, nor has had while this node runs: log lines name them."""
        name = time.strftime("%Y-%m-%d_%H-%M-%S", time.localtime(stamp)) + f"_{label}"
        last, number = self._last
        for again in count(number + 1 if name == last else 0):
            numbered = f"{name}_{again}" if again else name
            path = self.path / f"{PREFIX}{numbered}{SUFFIX}"
            if not path.exists() and not path.with_name(path.name + PART).exists():
                self._last = name, again
                return path
        raise AssertionError


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
