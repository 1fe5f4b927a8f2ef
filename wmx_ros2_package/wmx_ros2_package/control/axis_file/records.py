"""The layout of the axis file, and whether what is read can be what nodes have written.

Whatever may lie in the file, reading it raises nothing but `Unreadable`.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import IO_BYTES, MAX_AXES, EmergencyStop, Floats

E = TypeVar("E", bound=IntEnum)

NO_MEMBER = -1
MAX_MEMBERS = 128
NAME_SIZE = 192
ANY_REVISION = 1
"""The revision of settings that is less than that of every document."""
_MAGIC = b"WMX axes"


class StopCause(IntEnum):
    """The cause of a recorded stop."""

    STOP = 0
    EMERGENCY_STOP = 1
    SETTING = 2
    """A setting that gives positions another meaning: mode, units, direction, zero."""
    SERVO_OFF = 3
    """The servo was switched off."""
    FILE_LOST = 4
    """The file was deleted, or could not be read any more."""


OFF = StopCause.SERVO_OFF, StopCause.EMERGENCY_STOP
"""After these no servo comes on that was asked for before: recorded apart, where no later stop or
setting hides them."""


class ServoHistory(IntEnum):
    """Whether clients or nodes have switched the servo of an axis."""

    UNTOUCHED = 0
    """Nothing since the system was started."""
    SWITCHED_ON = 1
    """It was switched on: the node that does so at the start does not do it again."""
    SWITCHED_OFF = 2
    """A client has switched it off: it stays off until a client asks for it."""


class AxisPause(IntEnum):
    """How a pause of the system has left the motion of an axis."""

    NONE = 0
    HELD = 1
    """It rests where its motion was paused, which goes on after the pause."""
    AWAY = 2
    """Its motor is elsewhere by now: the motion must not go on."""


FULL_SPEED = 100
LEAST_SPEED = 1
"""Percent."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast everything moves that has a path or a target, as clients have set it."""

    percent: int = FULL_SPEED
    """The percentage of the commanded speed, `LEAST_SPEED` to `FULL_SPEED`."""
    paused: bool = False

    @property
    def rate(self) -> float:
        """The part of the commanded speed that is in force: 0 while it is paused."""
        return 0.0 if self.paused else self.percent / FULL_SPEED


AXIS = np.dtype(
    [
        ("stopped", "f8"),
        ("cause", "u1"),
        ("servo", "u1"),
        ("kept", "u1"),
        ("pause", "u1"),
        ("owner", "i2"),
        ("_1", "u1", 2),
        ("commanded", "f8"),
        ("stop_input_byte", "i4"),
        ("stop_input", "u1"),
        ("stop_input_bit", "u1"),
        ("stop_input_value", "u1"),
        ("off_cause", "u1"),
        ("off", "f8"),
    ]
)
HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("replaced", "u1"),
        ("engine_ready", "u1"),
        ("emergency_stop", "u1"),
        ("assumed", "u1"),
        ("generation", "u4"),
        ("leader", "i2"),
        ("ended", "u1"),
        ("slower", "u1"),
        ("paused", "u1"),
        ("_", "u1", 3),
        ("settings_revision", "u8"),
        ("system", "u1", 16),
    ]
)
RECORDS = np.dtype([("header", HEADER), ("axes", AXIS, MAX_AXES)])
NAMES = np.dtype((f"S{NAME_SIZE}", MAX_MEMBERS))
NAMES_AT = RECORDS.itemsize
FILE_SIZE = RECORDS.itemsize + NAMES.itemsize


def header_offset(field: str) -> int:
    """Where a field of the header is in the file."""
    return int(HEADER.fields[field][1])  # type: ignore[index]


def axis_offset(axis: int, field: str) -> int:
    """Where a field of an axis is in the file."""
    return HEADER.itemsize + axis * AXIS.itemsize + int(AXIS.fields[field][1])  # type: ignore[index]


_STOP_INPUT = "stop_input", "stop_input_bit", "stop_input_value", "stop_input_byte"
_BEGINNING = _MAGIC + b"\0"
"""The first bytes of every file that is in use: "replaced" is 0."""


class Unreadable(ValueError):
    """The contents of the file were not written by nodes; the text says why."""


class Records:
    """The records of the file as they were read; `data` has all but the names of members."""

    def __init__(self, data: bytes | bytearray) -> None:
        """Unreadable unless `data` is that of a file in use; see also `require_sound`."""
        if len(data) != RECORDS.itemsize:
            raise Unreadable(f"it has {len(data)} bytes of {RECORDS.itemsize}")
        if not data.startswith(_BEGINNING):
            replaced = data.startswith(_MAGIC)
            raise Unreadable(
                "another node has found that" if replaced else "it begins with other bytes"
            )
        self.data = data
        records = np.frombuffer(data, RECORDS, 1)
        self.header: NDArray[Any] = records["header"]
        self.axes: NDArray[Any] = records["axes"][0]
        self.owner: NDArray[Any] = self.axes["owner"]
        self.kept: NDArray[Any] = self.axes["kept"]
        self.commanded: Floats = self.axes["commanded"]
        self.stopped: Floats = self.axes["stopped"]

    @property
    def system(self) -> bytes:
        """The id of the system, which all files have that take the place of one another."""
        return self.header["system"][0].tobytes()  # type: ignore[no-any-return]

    @property
    def generation(self) -> int:
        """How often the file was renewed."""
        return int(self.header["generation"][0])

    @property
    def emergency_stop(self) -> EmergencyStop | None:
        """The level of the emergency stop; that of an unreadable number is LEVEL1."""
        number = int(self.header["emergency_stop"][0])
        return _member(EmergencyStop, number - 1, EmergencyStop.LEVEL1) if number else None

    @property
    def speed(self) -> Speed:
        """The speed of the system; of unreadable numbers the least, paused."""
        header = self.header[0]
        slower = min(int(header["slower"]), FULL_SPEED - LEAST_SPEED)
        return Speed(FULL_SPEED - slower, bool(header["paused"]))

    def stop_cause(self, axis: int) -> StopCause:
        """The cause of the last stop of `axis`."""
        return _member(StopCause, int(self.axes["cause"][axis]), StopCause.FILE_LOST)

    def off_cause(self, axis: int, since: float) -> StopCause | None:
        """The last of `OFF` that was recorded for `axis` since a time, s; None if there was none.

        FILE_LOST where it is not known.
        """
        off = self.axes[axis]
        if off["off"] < since:
            return None
        return _member(StopCause, int(off["off_cause"]), StopCause.FILE_LOST)

    def servo_history(self, axis: int) -> ServoHistory:
        """Whether a client switched the servo of `axis` on or off."""
        return _member(ServoHistory, int(self.axes["servo"][axis]), ServoHistory.SWITCHED_OFF)

    def pauses(self) -> dict[int, AxisPause]:
        """The axes that rest where their motions were paused; AWAY where that is unreadable."""
        pauses = self.axes["pause"]
        return {
            axis: _member(AxisPause, int(pauses[axis]), AxisPause.AWAY)
            for axis in pauses.nonzero()[0].tolist()
        }

    def stop_inputs(self) -> list[StopInput]:
        """The inputs that stop axes; Unreadable where one is none."""
        axes = self.axes
        try:
            return [
                StopInput(
                    axis=axis,
                    address=int(axes["stop_input_byte"][axis]),
                    bit=int(axes["stop_input_bit"][axis]),
                    value=bool(axes["stop_input_value"][axis]),
                    kind=StopKind(int(axes["stop_input"][axis]) - 1),
                )
                for axis in axes["stop_input"].nonzero()[0].tolist()
            ]
        except ValueError as error:
            raise Unreadable(str(error)) from error

    def require_sound(self) -> None:
        """Unreadable where a field has a value that nodes do not write."""
        axes, header = self.axes, self.header
        wrong = {
            "emergency_stop": header["emergency_stop"] > len(EmergencyStop),
            "leader": (header["leader"] < NO_MEMBER) | (header["leader"] >= MAX_MEMBERS),
            "flags": (header["engine_ready"] > 1) | (header["assumed"] > 1) | (header["ended"] > 1),
            "speed": (header["slower"] > FULL_SPEED - LEAST_SPEED) | (header["paused"] > 1),
            "pause": axes["pause"] > max(AxisPause),
            "owner": (self.owner < NO_MEMBER) | (self.owner >= MAX_MEMBERS) | (self.kept > 1),
            "cause": (axes["cause"] > max(StopCause)) | (axes["off_cause"] > max(StopCause)),
            "servo": axes["servo"] > max(ServoHistory),
            "stop input": (axes["stop_input"] > len(StopKind))
            | (axes["stop_input_bit"] > 7)
            | (axes["stop_input_value"] > 1)
            | (axes["stop_input_byte"] < 0)
            | (axes["stop_input_byte"] >= IO_BYTES),
            "time": ~((self.stopped >= 0.0) & np.isfinite(self.stopped) & (self.commanded >= 0.0)),
            "off": ~((axes["off"] >= 0.0) & np.isfinite(axes["off"])),
        }
        for field, found in wrong.items():
            if found.any():
                raise Unreadable(f"no node has written such a value of {field!r}")


def new_system(system_id: UUID) -> bytes:
    """The contents of the file of a new system."""
    data = np.zeros(1, RECORDS)
    header = data["header"]
    header["magic"], header["leader"] = _MAGIC, NO_MEMBER
    header["system"][0] = list(system_id.bytes)
    data["axes"]["owner"] = NO_MEMBER
    return data.tobytes() + bytes(NAMES.itemsize)


def next_system(data: bytes, system_id: UUID) -> bytes:
    """The contents of a new system after an earlier one, of which only `data` is left.

    What only a client may undo is as it was: an emergency stop, stop inputs, settings, the speed,
    servos that were switched off. Where `data` is unreadable nothing of that is known: it counts as
    an emergency stop, the speed as the least one, and every servo as switched off.
    """
    new = new_system(system_id)[:NAMES_AT]
    contents = np.frombuffer(bytearray(new), RECORDS, 1)
    header, axes = contents["header"], contents["axes"][0]
    try:
        before = Records(data)
        for field in _STOP_INPUT:
            axes[field] = before.axes[field]
        axes["servo"] = before.axes["servo"]
        axes["servo"][axes["servo"] != ServoHistory.SWITCHED_OFF] = ServoHistory.UNTOUCHED
        for field in ("emergency_stop", "assumed", "settings_revision", "slower", "paused"):
            header[field] = before.header[field]
        Records(contents.tobytes()).require_sound()
    except Unreadable:
        contents = np.frombuffer(bytearray(new), RECORDS, 1)
        contents["header"]["emergency_stop"] = EmergencyStop.LEVEL1 + 1
        contents["header"]["assumed"] = True
        contents["header"]["slower"] = FULL_SPEED - LEAST_SPEED
        contents["axes"]["servo"] = ServoHistory.SWITCHED_OFF
    return contents.tobytes() + bytes(NAMES.itemsize)


def renewed_contents(before: Records, names: bytes, now: float, *, certain: bool) -> bytes:
    """The contents of the file that takes the place of a lost one, `now` (s of the steady clock).

    What was asked of any axis until now is refused, as by a stop. Unless it is `certain` that
    `before` is the newest, servos that no client has switched off may have been by now: they count
    as switched off. Axes that were kept or commanded may have been let go: their owners have them
    while they move. The document of settings may be a newer one: it has to be read.
    """
    contents = np.frombuffer(bytearray(before.data), RECORDS, 1)
    contents["header"]["generation"] = before.generation + 1
    axes = contents["axes"]
    axes["stopped"], axes["cause"] = now, StopCause.FILE_LOST
    if not certain:
        axes["servo"] = ServoHistory.SWITCHED_OFF
        axes["off"], axes["off_cause"] = now, StopCause.FILE_LOST
        axes["kept"] = False
        axes["commanded"] = np.minimum(axes["commanded"], now)
        if before.header["settings_revision"][0]:
            contents["header"]["settings_revision"] = ANY_REVISION
    return contents.tobytes() + names.ljust(NAMES.itemsize, b"\0")


def _member(kind: type[E], number: int, otherwise: E) -> E:
    """The member of an enumeration with `number`, or another one where there is none."""
    try:
        return kind(number)
    except ValueError:
        return otherwise
