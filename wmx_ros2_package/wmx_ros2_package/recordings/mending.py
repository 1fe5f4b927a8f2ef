"""Whole recordings of what a writer has left that was killed."""

import fnmatch
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple
from itertools import count
from pathlib import Path

from wmx_core.regular_file import open_regular_file

from .errors import RecordingError
from .files import PART, PREFIX, SUFFIX, Folder, RecordingFile, lock
from .reading import GAPS, Recording

NEW = 10.0
"""A part without any content that is younger, s, has a writer that is held up, and none that was
killed."""


def mend_all(folder: Folder, report: Callable[[RecordingError], object]) -> Iterator[Path]:
    """Make recordings of the parts in `folder` whose writers have ended.

    `report` is called for each that cannot be mended, which stays as it is, and for a folder that
    cannot be read.
    """
    try:
        names = os.listdir(folder.path)
    except FileNotFoundError:
        return
    except OSError as error:
        report(RecordingError(f"recordings in {folder.path} cannot be mended: {error}"))
        return
    for name in sorted(fnmatch.filter(names, f"{PREFIX}*{SUFFIX}{PART}")):
        part = folder.path / name
        try:
            if _is_about_to_be_locked(part):
                continue
            with open_regular_file(str(part)) as file:
                lock(file)  # against others who would mend it, too
                if os.path.samestat(os.fstat(file.fileno()), part.stat()):  # else it is whole now
                    folder.require_room()
                    if mended := mend(part):
                        yield mended
        except (BlockingIOError, FileNotFoundError):
            continue
        except RecordingError as error:
            report(error)
        except (OSError, ValueError) as error:
            report(RecordingError(f"{part} cannot be mended: {error}"))


def _is_about_to_be_locked(part: Path) -> bool:
    """Whether a writer has just made the part, which it locks before it writes into it."""
    status = part.stat()
    is_empty = stat.S_ISREG(status.st_mode) and status.st_size == 0
    return is_empty and abs(time.time() - status.st_mtime) < NEW


def mend(part: Path) -> Path | None:
    """Make a whole recording of what there is of `part`; None, and no file, where it has nothing.

    Raises RecordingError where it cannot be read or written.
    """
    path = part.with_name(part.name.removesuffix(PART))
    try:
        if not part.stat().st_size:
            part.unlink()
            return None
        mended = RecordingFile(_free_name(path))
    except OSError as error:
        raise RecordingError(f"{part} cannot be mended: {error}") from error
    messages = 0
    try:
        recording = Recording(part)
        for message in recording.messages():
            mended.add(message.topic, message.kind, message.time, message.data, message.definition)
            messages += 1
        for attachment in recording.attachments.values():
            mended.attach(attachment.name, attachment.media_type, attachment.data, attachment.time)
        about = recording.about | {"mended": "its writer ended before it was whole"}
        if recording.gaps:
            about[GAPS] = json.dumps([astuple(gap) for gap in recording.gaps])
        mended.describe(about)
        if not messages:
            mended.abandon()
            part.unlink()
            return None
        made = mended.close()
        part.unlink()
        return made
    except OSError as error:
        mended.abandon()
        raise RecordingError(f"{part} cannot be mended: {error}") from error
    except RecordingError:
        mended.abandon()
        raise


def _free_name(path: Path) -> Path:
    """A name that no recording has: two may have been called `path`, by a clock that was set."""
    for number in count():
        end = f"_mended_{number}" if number else "_mended"
        made = path.with_name(f"{path.stem}{end}{SUFFIX}")
        if not made.exists():
            return made
    raise AssertionError
