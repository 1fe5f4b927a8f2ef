"""EngineStatus as the bytes that go into a recording, written and read in place.

For a fixed number of axes each array has its fixed place, so that a message is one record of numpy:
a recording of a minute holds 60,000 of them. `cdr` describes how the bytes are laid out.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from wmx_ros2_message.msg import EngineStatus

from ..drivers.values import MotionStatus
from .cdr import HEADER, Layout

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
"""What a status has in another form."""


def engine_status_cdr(values: Mapping[str, Any], stamps: Sequence[int]) -> list[bytes]:
    """`StatusSpan.values` as the bytes of a message for each cycle, sampled at `stamps` (ns)."""
    kind, lengths = _layout(values["servo_on"].shape[-1])
    memory = np.zeros((len(stamps), kind.itemsize), np.uint8)
    memory[:, : len(HEADER)] = np.frombuffer(HEADER, np.uint8)
    for at, length in lengths:
        memory[:, at : at + 4] = np.frombuffer(length.to_bytes(4, "little"), np.uint8)
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
    at = _layout(0)[1][1][0]
    if len(data) < at + 4:
        raise ValueError(f"{len(data)} bytes are no EngineStatus")
    kind, _ = _layout(int.from_bytes(data[at : at + 4], "little"))
    if len(data) != kind.itemsize:
        raise ValueError(f"{len(data)} bytes are no EngineStatus, which has {kind.itemsize}")
    return np.frombuffer(data, kind)[0]


@cache
def _layout(axes: int) -> "tuple[np.dtype[Any], list[tuple[int, int]]]":
    """The places of all fields, and the places and the values of the lengths."""
    layout = Layout()
    names, formats, offsets = ["stamp"], [("<i4", 2)], [layout.place(4, 8)]
    lengths = [(layout.place(4, 4), 1)]  # of the frame id, which is empty but for its end
    layout.place(1, 1)
    (_header, *fields) = EngineStatus.get_fields_and_field_types().items()
    for name, type_name in fields:
        element = type_name.removeprefix("sequence<").removesuffix(">")
        kind = np.dtype(_SIZES[element])
        names.append(name)
        if element == type_name:
            offsets.append(layout.place(kind.itemsize, kind.itemsize))
            formats.append((kind.str, ()))  # type: ignore[arg-type]
            continue
        lengths.append((layout.place(4, 4), axes))
        offsets.append(layout.place(kind.itemsize if axes else 1, kind.itemsize * axes))
        formats.append((kind.str, axes))
    record: Any = {
        "names": names,
        "formats": [(kind, shape) for kind, shape in formats],
        "offsets": offsets,
        "itemsize": layout.end,
    }
    return np.dtype(record), lengths
