"""EngineStatus as the bytes that go into a recording, written and read in place.

For a fixed number of axes each array has its fixed place, so that a message is one record of numpy:
a recording of a minute holds 60,000 of them. `cdr` describes how the bytes are laid out.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from wmx_ros2_message.msg import EngineStatus

from wmx_core.values import MAX_AXES, MotionStatus

from .cdr import Layout

NO_EMERGENCY_STOP = -1
_SIZES = {
    "boolean": "?",
    "int8": "i1",
    "uint8": "u1",
    "int32": "i4",
    "uint64": "u8",
    "double": "f8",
}
_WORDED = "stamp", "emergency_stop"
"""Fields that a status has in another form."""


def engine_status_cdr(values: Mapping[str, Any], stamps: Sequence[int]) -> list[bytes]:
    """`StatusSpan.values` as the bytes of a message for each cycle, sampled at `stamps` (ns)."""
    kind, blank, _ = _layout(values["servo_on"].shape[-1])
    memory = np.tile(np.frombuffer(blank, np.uint8), (len(stamps), 1))
    records = memory.view(kind)[:, 0]
    records["stamp"] = np.transpose(np.divmod(stamps, 1_000_000_000))
    stop = values["emergency_stop"]
    records["emergency_stop"] = NO_EMERGENCY_STOP if stop is None else stop
    for name in kind.names or ():
        if name not in _WORDED:
            records[name] = values[name]
    return [message.tobytes() for message in memory]


def values_of(status: MotionStatus) -> dict[str, Any]:
    """`status` as `StatusSpan.values` has it, of one cycle."""
    values = {name: getattr(status, name) for name in MotionStatus.__slots__}
    return values | {"time": [status.time], "cycle": [status.cycle]}


def read_engine_status(data: bytes) -> Any:
    """The record of an EngineStatus: a numpy value whose fields have the names of the message.

    ValueError for bytes of another length than their number of axes needs.
    """
    *_, at = _layout(0)
    if len(data) < at + 4:
        raise ValueError(f"{len(data)} bytes are no EngineStatus")
    axes = int.from_bytes(data[at : at + 4], "little")
    if axes > MAX_AXES:  # before a layout is made and kept of so many
        raise ValueError(f"an EngineStatus has {MAX_AXES} axes at most, not {axes}")
    kind, *_ = _layout(axes)
    if len(data) != kind.itemsize:
        raise ValueError(f"{len(data)} bytes are no EngineStatus, which has {kind.itemsize}")
    return np.frombuffer(data, kind)[0]


@cache
def _layout(axes: int) -> "tuple[np.dtype[Any], bytes, int]":
    """The places of all fields, a message without their values, and where it has its `axes`."""
    layout = Layout()
    names, offsets = ["stamp"], [layout.place(4, 8)]
    formats: list[tuple[str, Any]] = [("<i4", 2)]
    layout.text("")  # the frame id
    lengths = []
    (_header, *fields) = EngineStatus.get_fields_and_field_types().items()
    for name, type_name in fields:
        element = type_name.removeprefix("sequence<").removesuffix(">")
        kind = np.dtype(_SIZES[element])
        names.append(name)
        if element == type_name:
            offsets.append(layout.place(kind.itemsize, kind.itemsize))
            formats.append((kind.str, ()))
            continue
        lengths.append(layout.length(axes))
        offsets.append(layout.place(kind.itemsize if axes else 1, kind.itemsize * axes))
        formats.append((kind.str, (axes,)))
    record: Any = {
        "names": names,
        "formats": formats,
        "offsets": offsets,
        "itemsize": layout.end,
    }
    return np.dtype(record), bytes(layout.buffer()), lengths[0]
