"""Whole recordings of what a writer has left that was killed."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import astuple
from itertools import count
from pathlib import Path

from wmx_core.regular_file import open_regular_file

from .errors import RecordingError
from .files import PART, PREFIX, SUFFIX, Folder, RecordingFile, lock
from .reading import GAPS, Recording


def mend_all(folder: Folder, report: Callable[[RecordingError], object]) -> Iterator[Path]:
    """Make recordings of the parts in `folder` whose writers have ended.

    `report` is called for each that cannot be mended; it stays as it is.
    """
    for part in sorted(folder.path.glob(f"{PREFIX}*{SUFFIX}{PART}")):
        try:
            with open_regular_file(str(part)) as file:
                lock(file)  # against others who would mend it, too
                if os.fstat(file.fileno()).st_nlink:  # else another one just has
                    folder.require_room()
                    if mended := mend(part):
                        yield mended
        except (BlockingIOError, FileNotFoundError):
            continue
        except RecordingError as error:
            report(error)
        except (OSError, ValueError) as error:
            report(RecordingError(f"{part} cannot be mended: {error}"))


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
