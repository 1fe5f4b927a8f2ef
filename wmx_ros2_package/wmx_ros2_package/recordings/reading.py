"""Recordings read back, record by record: one of gigabytes takes no more memory than a small one.

A file that was cut off, by a crash or a copy that did not end, is read as far as it is whole, and
`Recording.cut_off` has the reason. What is no recording is refused with a RecordingError.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import RecordingError, require_mcap

MOST_RECORD_BYTES = 64 << 20
"""The longest record that is read, and chunk once it is unpacked: those of our own files have 1 MiB
and a message."""
MOST_ATTACHMENTS = 100
MAGIC = b"\x89MCAP0\r\n"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a recording, still serialized."""

    topic: str
    kind: str
    """Its type, such as std_msgs/msg/Bool."""
    time: int
    """When it was recorded, ns since the epoch."""
    data: bytes
    definition: bytes = b""
    """That of its type, as it stands in the file."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a recording."""

    name: str
    media_type: str
    time: int
    data: bytes


class Recording:
    """The recording in the file `path`."""

    def __init__(self, path: Path) -> None:
        """RecordingError where there is no file, or one of another kind."""
        require_mcap()
        self.path = path
        self.about: dict[str, str] = {}
        """What the recording is of; known when it has been read."""
        self.attachments: dict[str, Attachment] = {}
        """The newest of each name."""
        self.cut_off = ""
        """Why the file is not whole; empty where it is."""
        try:
            with path.open("rb") as file:
                magic = file.read(len(MAGIC))
        except OSError as error:
            raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
        if magic != MAGIC:
            kind = "is empty" if not magic else "is no MCAP file"
            if magic[:5] == MAGIC[:5]:
                kind = f"is MCAP of version {magic[5:6].decode(errors='replace')}: must be 0"
            raise RecordingError(f"{path} {kind}")

    def messages(self) -> Iterator[Message]:
        """The messages in the order in which they were written."""
        from mcap.records import Attachment as Attached
        from mcap.records import Channel, Chunk, DataEnd, Metadata, Schema
        from mcap.records import Message as Written
        from mcap.stream_reader import StreamReader, breakup_chunk

        schemas: dict[int, tuple[str, bytes]] = {}
        channels: dict[int, tuple[str, str, bytes]] = {}
        whole = False

        def read(record: Any) -> Iterator[Message]:
            if isinstance(record, Written):
                if record.channel_id in channels:
                    topic, kind, definition = channels[record.channel_id]
                    yield Message(topic, kind, record.log_time, record.data, definition)
            elif isinstance(record, Schema):
                schemas[record.id] = record.name, record.data
            elif isinstance(record, Channel):
                channels[record.id] = record.topic, *schemas.get(record.schema_id, ("", b""))

        try:
            with self.path.open("rb") as file:
                stream = StreamReader(file, emit_chunks=True, record_size_limit=MOST_RECORD_BYTES)
                for record in stream.records:
                    if isinstance(record, Chunk):
                        _require_size(record.uncompressed_size)
                        for each in breakup_chunk(record, validate_crc=True):
                            yield from read(each)
                    elif isinstance(record, Metadata):
                        if record.name == "wmx":
                            self.about |= record.metadata
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
        except GeneratorExit:
            raise
        except Exception as error:  # whatever the bytes make of the reader
            self.cut_off = f"{type(error).__name__}: {error}".rstrip(": ")
        if not whole and not self.cut_off:
            self.cut_off = "the end is missing"


def _require_size(bytes_unpacked: int) -> None:
    if bytes_unpacked > MOST_RECORD_BYTES:
        raise ValueError(f"a chunk of {bytes_unpacked >> 20} MiB: must be 64 MiB at most")
