"""The records of a file of the format MCAP, and the index at its end.

A record is a byte for its kind, its length in 8 bytes, and its contents
(https://mcap.dev/spec).
"""

from __future__ import annotations

import os
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from wmx_core.regular_file import open_regular_file

MAGIC = b"\x89MCAP0\r\n"
MOST_RECORD_BYTES = 64 << 20
"""The longest record that is read, and chunk once it is unpacked: those of our own files have 1 MiB
and a message."""
_HEAD = struct.Struct("<BQ")
_FOOTER = struct.Struct("<BQQQI")
_FOOTER_KIND, _FOOTER_BYTES = 2, 20
_CRC_BYTES = 4
_UNPACKING = {"zstd": "zstandard", "lz4": "lz4.frame"}
"""What unpacks chunks, each by its function `open`."""


def records(file: BinaryIO) -> Iterator[Any]:
    """The records from where `file` stands, None for one that no recording is read by.

    EOFError where one is cut off, ValueError for what is none.
    """
    from mcap.data_stream import ReadDataStream
    from mcap.opcode import Opcode
    from mcap.records import Message

    readers = _readers()
    while True:
        head = file.read(_HEAD.size)
        if not head:
            return
        if len(head) < _HEAD.size:
            raise EOFError("a record is cut off")
        kind, length = _HEAD.unpack(head)
        if kind == 0:  # as in a file with a hole, whose length may be anything
            raise ValueError("there is no record of kind 0")
        if length > MOST_RECORD_BYTES:
            raise ValueError(f"a record of {length >> 20} MiB: must be 64 MiB at most")
        contents = file.read(length)
        if len(contents) < length:
            raise EOFError("a record is cut off")
        if kind == Opcode.ATTACHMENT:
            _require_crc(contents)
        stream = ReadDataStream(BytesIO(contents))
        if kind == Opcode.MESSAGE:
            yield Message.read(stream, length)
        else:
            yield readers[kind].read(stream) if kind in readers else None


def _require_crc(attachment: bytes) -> None:
    """Raise ValueError where the checksum at its end, 0 for none, is another one."""
    written = int.from_bytes(attachment[-_CRC_BYTES:], "little")
    if written not in (0, zlib.crc32(attachment[:-_CRC_BYTES])):
        raise ValueError("the checksum of an attachment is wrong")


def _readers() -> Mapping[int, Any]:
    """What reads each kind that a recording is read by; others are left out."""
    from mcap import records as kinds
    from mcap.opcode import Opcode

    return {
        Opcode.SCHEMA: kinds.Schema,
        Opcode.CHANNEL: kinds.Channel,
        Opcode.CHUNK: kinds.Chunk,
        Opcode.CHUNK_INDEX: kinds.ChunkIndex,
        Opcode.ATTACHMENT: kinds.Attachment,
        Opcode.METADATA: kinds.Metadata,
        Opcode.DATA_END: kinds.DataEnd,
    }


def unpacked(chunk: Any) -> Any:
    """`chunk` with its records as they are.

    ValueError where they are too long, or not as long as it says: what is packed may unpack to any
    length.
    """
    most = chunk.uncompressed_size
    if most > MOST_RECORD_BYTES:
        raise ValueError(f"a chunk of {most >> 20} MiB: must be 64 MiB at most")
    if (module := _UNPACKING.get(chunk.compression)) is None:
        return chunk
    with import_module(module).open(BytesIO(chunk.data)) as stream:
        data = stream.read(most + 1)
    if len(data) != most:
        raise ValueError(f"a chunk does not unpack to the {most} bytes that it says")
    return replace(chunk, compression="", data=data)


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """Where a chunk begins in the file, and the times of its first and last message, ns."""

    start: int
    first: int
    last: int


class Index:
    """What the end of the file at `path` has about all of it; empty where it has none."""

    def __init__(self, path: Path) -> None:
        from mcap.records import Channel, ChunkIndex, Schema

        self.schemas: dict[int, tuple[str, bytes]] = {}
        self.channels: dict[int, Any] = {}
        chunks = []
        try:
            with open_regular_file(str(path)) as file:
                for record in _summary(file):
                    if isinstance(record, Schema):
                        self.schemas[record.id] = record.name, record.data
                    elif isinstance(record, Channel):
                        self.channels[record.id] = record
                    elif isinstance(record, ChunkIndex):
                        start, end = record.message_start_time, record.message_end_time
                        chunks.append(IndexedChunk(record.chunk_start_offset, start, end))
        except Exception:  # whatever the bytes make of the reader: it is no more than a help
            chunks = []
        self._chunks = sorted(chunks, key=lambda chunk: chunk.start)
        self._starts = [chunk.start for chunk in self._chunks]

    def after(self, at: int) -> IndexedChunk | None:
        """The first chunk that begins behind a place in the file."""
        place = bisect_right(self._starts, at)
        return self._chunks[place] if place < len(self._chunks) else None

    def at(self, at: int) -> IndexedChunk | None:
        """The chunk that begins there."""
        place = bisect_right(self._starts, at) - 1
        return self._chunks[place] if place >= 0 and self._starts[place] == at else None


def _summary(file: BinaryIO) -> Iterator[Any]:
    size = file.seek(0, os.SEEK_END)
    footer_at = size - len(MAGIC) - _FOOTER.size
    file.seek(footer_at)
    kind, length, start, _, _ = _FOOTER.unpack(file.read(_FOOTER.size))
    if (kind, length) != (_FOOTER_KIND, _FOOTER_BYTES) or file.read() != MAGIC or not start:
        return
    file.seek(start)
    for record in records(file):
        yield record
        if file.tell() >= footer_at:
            return


def of_channel(channel: Any, schemas: Mapping[int, tuple[str, bytes]]) -> tuple[str, str, bytes]:
    """The topic of a channel, and the name and the definition of its type."""
    name, definition = schemas.get(channel.schema_id, ("", b""))
    return channel.topic, name, definition


def in_words(error: Exception) -> str:
    """Why bytes cannot be read."""
    return f"{type(error).__name__}: {error}".rstrip(": ")
