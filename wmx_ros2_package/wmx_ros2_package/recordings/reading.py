"""Recordings read back, record by record: one of gigabytes takes no more memory than a small one.

A file that was cut off, by a crash or a copy that did not end, is read as far as it is whole, and
`Recording.cut_off` has the reason. A chunk that is broken, as by a bit that has flipped, is
skipped, and `Recording.gaps` has its times. What is no recording is refused with a RecordingError.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from wmx_core.regular_file import open_regular_file

from .errors import RecordingError, require_mcap
from .mcap_records import MAGIC, Index, in_words, of_channel, records, unpacked

MOST_ATTACHMENTS = 100
GAPS = "gaps"
"""What was missing already in what this is made of, in the metadata, as JSON."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a recording, still serialized."""

    topic: str
    kind: str
    """Its type, such as std_msgs/msg/Bool."""
    time: int
    """When it was recorded, ns since the epoch."""
    data: bytes
    definition: bytes
    """That of its type, as it stands in the file."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a recording."""

    name: str
    media_type: str
    time: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a recording that cannot be read."""

    first: int
    """When its first message was recorded, ns since the epoch; 0 where that is not known."""
    last: int
    """The same of its last one."""
    reason: str


class Recording:
    """The recording in the file `path`."""

    def __init__(self, path: Path, *, skips: bool = True) -> None:
        """RecordingError where there is no file, or one of another kind.

        What is broken is skipped, else the file counts as cut off there.
        """
        require_mcap()
        self._skips = skips
        self.path = path
        self.about: dict[str, str] = {}
        """What the recording is of; known when it has been read."""
        self.attachments: dict[str, Attachment] = {}
        """The newest of each name."""
        self.gaps: list[Gap] = []
        """What was skipped, for it is broken."""
        self.cut_off = ""
        """Why the file is not whole; empty where it is."""
        try:
            with open_regular_file(str(path)) as file:
                magic = file.read(len(MAGIC))
        except ValueError as error:
            raise RecordingError(f"{path} cannot be read: it {error}") from None
        except OSError as error:
            raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
        if magic != MAGIC:
            kind = "is empty" if not magic else "is no MCAP file"
            if magic[:5] == MAGIC[:5]:
                kind = f"is MCAP of version {magic[5:6].decode(errors='replace')}: must be 0"
            raise RecordingError(f"{path} {kind}")

    def messages(self) -> Iterator[Message]:
        """The messages in the order in which they were written."""
        self.gaps.clear()
        from mcap.records import Attachment as Attached
        from mcap.records import Channel, Chunk, DataEnd, Metadata, Schema
        from mcap.records import Message as Written
        from mcap.stream_reader import breakup_chunk

        index = Index(self.path)
        schemas = index.schemas.copy()
        channels = {id: of_channel(each, schemas) for id, each in index.channels.items()}
        whole, unknown = False, 0

        def read(record: Any) -> Iterator[Message]:
            nonlocal unknown
            if isinstance(record, Written):
                if record.channel_id in channels:
                    topic, kind, definition = channels[record.channel_id]
                    yield Message(topic, kind, record.log_time, record.data, definition)
                else:
                    unknown += 1
            elif isinstance(record, Schema):
                schemas[record.id] = record.name, record.data
            elif isinstance(record, Channel):
                channels[record.id] = of_channel(record, schemas)

        try:
            with open_regular_file(str(self.path)) as file:
                for record in self._records(file, index):
                    if isinstance(record, Chunk):
                        try:
                            parts = breakup_chunk(unpacked(record), validate_crc=True)
                        except Exception as error:  # whatever the bytes make of the reader
                            self._miss(record.message_start_time, record.message_end_time, error)
                            continue
                        for each in parts:
                            yield from read(each)
                    elif isinstance(record, Metadata):
                        if record.name == "wmx":
                            self.about |= record.metadata
                            self.gaps += _gaps_of_before(self.about.pop(GAPS, "[]"))
                    elif isinstance(record, Attached):
                        if len(self.attachments) >= MOST_ATTACHMENTS:
                            self.attachments.pop(next(iter(self.attachments)))
                        self.attachments[record.name] = Attachment(
                            record.name, record.media_type, record.log_time, record.data
                        )
                    elif isinstance(record, DataEnd):
                        whole = True
                        break  # an index follows, of what was read
                    else:
                        yield from read(record)
        except Exception as error:  # likewise
            self.cut_off = in_words(error)
        if unknown:
            self.gaps.append(
                Gap(0, 0, f"{unknown} messages of topics that a broken part describes")
            )
        if not whole and not self.cut_off:
            self.cut_off = "the end is missing"

    def _records(self, file: BinaryIO, index: Index) -> Iterator[Any]:
        """The records of the file; after a broken one those from the next chunk on."""
        from mcap.records import Chunk

        at = len(MAGIC)
        while True:
            file.seek(at)
            try:
                for record in records(file):
                    chunk = index.after(at)
                    if chunk is not None and file.tell() > chunk.start:
                        raise ValueError("the length of a record is wrong")
                    if index.at(at) is not None and not isinstance(record, Chunk):
                        raise ValueError("a chunk is no chunk any more")
                    yield record
                    at = file.tell()
                return
            except Exception as error:
                chunk = index.after(at)
                if chunk is None:
                    raise
                before = index.at(at)
                times = (before.first, before.last) if before is not None else (0, 0)
                self._miss(*times, error)
                at = chunk.start

    def _miss(self, first: int, last: int, error: Exception) -> None:
        """Note what cannot be read, and go on, unless only what follows without a gap counts."""
        if not self._skips:
            raise error
        self.gaps.append(Gap(first, last, in_words(error)))


def _gaps_of_before(text: str) -> list[Gap]:
    try:
        return [Gap(int(first), int(last), str(reason)) for first, last, reason in json.loads(text)]
    except (ValueError, TypeError):
        return [Gap(0, 0, "what was missing before it was mended cannot be read")]
