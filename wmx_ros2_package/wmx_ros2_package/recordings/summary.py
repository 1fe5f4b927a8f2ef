"""What a recording shows: when what happened to which axis, and what the axes did.

Everything is found by the type of its topic, so that the namespace of the recorder does not matter.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from wmx_ros2_message.msg import BeginMotion, EndMotion, EngineCommand

from wmx_core.device_codes import alarm_in_words
from wmx_core.values import EmergencyStop, Floats

from ..control.conditions import CONDITIONS, SERVO_OFF
from ..control.request import EndReason
from ..messages.engine_status_cdr import NO_EMERGENCY_STOP, read_engine_status
from .reading import Message, Recording
from .schemas import is_of_this_version

STATUS, COMMAND = "wmx_ros2_message/msg/EngineStatus", "wmx_ros2_message/msg/EngineCommand"
BEGIN, END = "wmx_ros2_message/msg/BeginMotion", "wmx_ros2_message/msg/EndMotion"
MOST_EVENTS = 100_000
"""So many are kept, and the others counted."""
MOST_SAMPLES = 200_000
"""So many times a curve has at most."""
EXPECTED = EndReason.ARRIVED, EndReason.REPLACED
"""How a motion ends that nothing went wrong with."""
_FLAGS = "engine_state", "pos_cmd"
"""From the first to before the second a status has what changes only when something happens."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    time: int
    """ns since the epoch."""
    axes: tuple[int, ...]
    """Those that it is about; empty for all."""
    text: str
    expected: bool = False
    """Whether it is no more than what was commanded."""
    refused: bool = False
    """Whether it is a command that was refused, which changed nothing."""


Shown = tuple[list[Event], dict[int, str]]
"""What a message shows, and the names of axes that it has."""


@dataclass(slots=True)
class Extent:
    """What one axis did, in the engine's units."""

    low: float
    high: float
    velocity: float
    """The greatest of the command, without sign."""
    following_error: float
    """The greatest, without sign."""


@dataclass(slots=True)
class Summary:
    """What a recording shows."""

    first: int = 0
    """When its first status was taken, ns since the epoch; 0 without one."""
    last: int = 0
    statuses: int = 0
    events: list[Event] = field(default_factory=list)
    extents: dict[int, Extent] = field(default_factory=dict)
    """Of each axis that moved."""
    names: dict[int, str] = field(default_factory=dict)
    """The names of axes, as far as motions had them: the newest of each."""
    more: int = 0
    """Events beyond those that are kept."""
    other_version: int = 0
    """Messages of another version of the interfaces, which are left out."""


def summarize(recording: Recording) -> Summary:
    """Read all of `recording`; what cannot be decoded is left out."""
    found, before = Summary(), None
    for message in recording.messages():
        if not is_readable(message):
            found.other_version += 1
            continue
        if message.kind != STATUS:
            _keep(found, _events(message, found.names))
            continue
        try:
            status = read_engine_status(message.data)
        except ValueError:
            continue
        if before is None:
            found.first = message.time
        found.last, found.statuses = message.time, found.statuses + 1
        _keep(found, changes(before, status, message.time))
        _extend(found.extents, before, status)
        before = status
    found.events.sort(key=lambda event: event.time)
    return found


def is_readable(message: Message) -> bool:
    """Whether `message` has the fields that its type has here; what is not ours always has."""
    ours = message.kind.startswith("wmx_ros2_message/")
    return not ours or is_of_this_version(message.kind, message.definition)


def records(recording: Recording) -> Iterator[tuple[int, Any]]:
    """Each status that can be read, as `read_engine_status` returns it, after its time."""
    for message in recording.messages():
        if message.kind == STATUS and is_readable(message):
            with suppress(ValueError):
                yield message.time, read_engine_status(message.data)


def _keep(found: Summary, events: Iterable[Event]) -> None:
    for event in events:
        if len(found.events) < MOST_EVENTS:
            found.events.append(event)
        else:
            found.more += 1


def curves_of(
    recording: Recording, axes: Sequence[int], quantity: str
) -> tuple[Floats, list[Floats]]:
    """The times of the statuses (s from the first one) and field `quantity` of each of `axes`.

    Of more than `MOST_SAMPLES` statuses every second is taken, every fourth...
    """
    times, rows = list[int](), list[Any]()
    number, stride = 0, 1
    for time, record in records(recording):
        values = record[quantity]
        if all(axis < len(values) for axis in axes):
            if number % stride == 0:
                times.append(time)
                rows.append(values[[*axes]].copy())  # not the whole status that it is a part of
            number += 1
        if len(times) > MOST_SAMPLES:
            times, rows, stride = times[::2], rows[::2], 2 * stride
    columns = np.array(rows).reshape(len(rows), len(axes)).T
    return (np.array(times) - (times[0] if times else 0)) * 1e-9, [*columns]


def changes(before: Any, now: Any, time: int) -> Iterator[Event]:
    """What has come or gone between two statuses, as `read_engine_status` returns them."""
    if before is None or len(before["servo_on"]) != len(now["servo_on"]):
        return
    if _flags(before) == _flags(now):
        return
    stop = int(now["emergency_stop"])
    if stop != before["emergency_stop"]:
        released = stop == NO_EMERGENCY_STOP
        level = "released" if released else f"({EmergencyStop(stop).name.lower()})"
        yield Event(time, (), f"emergency stop {level}")
    for condition in CONDITIONS:
        is_there, was = (record[condition.flag] == condition.when for record in (now, before))
        for axis in np.flatnonzero(is_there != was).tolist():
            words = condition.words
            if condition.name == "AmpAlarm" and is_there[axis]:
                words += f" {alarm_in_words(int(now['alarm_code'][axis]))}"
            if condition is SERVO_OFF:
                words = "servo off" if is_there[axis] else "servo on"
            elif was[axis]:
                words += ": no more"
            place = f" at {now['actual_pos'][axis]:.6g} u"
            yield Event(time, (axis,), words + place, expected=bool(was[axis]))


def _events(message: Message, names: dict[int, str]) -> Iterable[Event]:
    """What `message` shows, whose `names` of axes are noted."""
    reader = {COMMAND: _command, BEGIN: _begin, END: _end}.get(message.kind)
    if reader is None:
        return ()
    try:
        shown, named = reader(message)
    except Exception:  # whatever the middleware makes of bytes that are none of its own
        return ()
    names |= named
    return shown


def _command(message: Message) -> Shown:
    command = deserialize_message(message.data, EngineCommand)
    if not command.error_code:
        return [], {}
    text = f"{command.source}: {command.method} was refused: {command.message}"
    return [Event(message.time, (), text, refused=True)], {}


def _begin(message: Message) -> Shown:
    begin = deserialize_message(message.data, BeginMotion)
    targets = ", ".join(f"{target:.6g}" for target in begin.target_position)
    text = f"{begin.source}: motion begins" + (f", to {targets}" if targets else "")
    return [Event(message.time, (*begin.axes,), text, expected=True)], _names(begin)


def _end(message: Message) -> Shown:
    end = deserialize_message(message.data, EndMotion)
    try:
        reason = EndReason(end.reason)
    except ValueError:
        return [], {}
    text = f"{end.source}: motion ends: {reason.name}"
    text += f", {end.message}" if end.message else ""
    refused = reason is EndReason.REFUSED
    event = Event(message.time, (*end.axes,), text, expected=reason in EXPECTED, refused=refused)
    return [event], _names(end)


def _names(motion: BeginMotion | EndMotion) -> dict[int, str]:
    return dict(zip(motion.axes, motion.names, strict=False))


def _flags(record: Any) -> bytes:
    fields = record.dtype.fields
    first, end = (fields[name][1] for name in _FLAGS)
    return bytes(record.tobytes()[first:end])


def _extend(extents: dict[int, Extent], before: Any, now: Any) -> None:
    command, velocity = now["pos_cmd"], now["velocity_cmd"]
    moving = np.flatnonzero(velocity)
    for axis in moving.tolist():
        at, extent = float(command[axis]), extents.get(axis)
        if extent is None:
            known = before is not None and axis < len(before["pos_cmd"])
            start = float(before["pos_cmd"][axis]) if known else at
            extent = extents[axis] = Extent(min(start, at), max(start, at), 0.0, 0.0)
        extent.low, extent.high = min(extent.low, at), max(extent.high, at)
        extent.velocity = max(extent.velocity, abs(float(velocity[axis])))
        error = abs(float(now["following_error"][axis]))
        extent.following_error = max(extent.following_error, error)
