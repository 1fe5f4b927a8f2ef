"""Curves of the scope as a file of the format MCAP, which Foxglove and PlotJuggler open."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from typing import Any

from wmx_core.values import Floats

from ..messages.cdr import HEADER
from ..recordings.errors import RecordingError, require_mcap
from ..recordings.schemas import UnknownType, definition

KIND = "std_msgs/msg/Float64"
_CDR = struct.Struct("<4sd")
"""A serialized Float64: what says that it is little-endian CDR, and the number."""


def as_mcap(times: Floats, values: Floats, topics: Sequence[str], units: Sequence[str]) -> bytes:
    """All samples as a file: a topic for each curve, whose metadata has the unit.

    `times` are those of the status, s since the epoch; ValueError where no file can be made.
    """
    try:
        require_mcap()
        text = definition(KIND)
    except (RecordingError, UnknownType) as error:
        raise ValueError(f"{error}") from None
    from mcap.writer import CompressionType, Writer

    file = io.BytesIO()
    writer: Any = Writer(file, compression=CompressionType.LZ4)
    writer.start(profile="ros2", library="wmx_panel")
    schema = writer.register_schema(KIND, "ros2msg", text)
    channels = [
        writer.register_channel(topic, "cdr", schema, {"unit": unit})
        for topic, unit in zip(topics, units, strict=True)
    ]
    stamps = [round(time * 1e9) for time in times.tolist()]
    for stamp, row in zip(stamps, values.T.tolist(), strict=True):
        for channel, value in zip(channels, row, strict=True):
            writer.add_message(channel, stamp, _CDR.pack(HEADER, value), stamp)
    writer.finish()
    return file.getvalue()
