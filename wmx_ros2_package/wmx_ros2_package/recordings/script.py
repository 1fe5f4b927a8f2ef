"""What was commanded on a recorded machine, and what came of it, as values in their order.

Commands, begins, ends, parameters and inputs are few, and read at once; the statuses of a recording
of gigabytes are read one after the other.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import floor
from typing import Any

from rclpy.serialization import deserialize_message
from std_msgs.msg import String
from wmx_ros2_message.msg import BeginMotion, EndMotion, EngineCommand, IoChange

from wmx_core.values import EmergencyStop, EngineState, MotionStatus

from ..control.reported_motion import arguments_of
from ..control.request import Begin, EndReason
from ..messages.engine_status_cdr import NO_EMERGENCY_STOP
from ..messages.motions import begin_of, uuid
from ..messages.times import seconds
from .errors import RecordingError
from .reading import Message, Recording
from .summary import BEGIN, COMMAND, END, STATUS, is_readable, records

IO, PARAMETERS = "wmx_ros2_message/msg/IoChange", "std_msgs/msg/String"
PARAMETERS_TOPIC = "wmx/engine/parameters"
MOST = 200_000
"""So many commands and motions are replayed at most."""
MOST_UNREAD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCommand:
    """A call of the engine."""

    stamp: int
    """When the node called, ns since the epoch."""
    source: str
    method: str
    arguments: dict[str, Any]
    called_at: float
    """s of the steady clock of the recorded machine."""
    answered_at: float
    code: int
    """Of its refusal, 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMotion:
    """A motion that began and ended."""

    begin: Begin
    """Its `time` is s since the epoch, as that of `ended`."""
    ended: float
    final: tuple[float, ...]
    reason: EndReason


@dataclass(slots=True)
class Script:
    """What a recording has beside its statuses."""

    commands: list[RecordedCommand] = field(default_factory=list)
    """In the order in which they were called."""
    motions: list[RecordedMotion] = field(default_factory=list)
    parameters: list[tuple[int, bytes]] = field(default_factory=list)
    """XML, and when it was read (ns)."""
    inputs: list[tuple[int, int, bytes]] = field(default_factory=list)
    """When inputs had changed (ns), from which byte on, and what they are then."""
    unread: dict[str, None] = field(default_factory=dict)
    """What cannot be replayed, in words."""


def read_script(recording: Recording) -> Script:
    """Read all but the statuses of `recording`; RecordingError where there are too many."""
    found, begins = Script(), dict[Any, Begin]()
    for message in recording.messages():
        if not is_readable(message):
            _leave_out(found, f"{message.kind} is of another version")
            continue
        if message.kind == STATUS:
            continue
        try:
            _take(found, begins, message)
        except ValueError as error:
            _leave_out(found, str(error))
        except RuntimeError:  # of the middleware: bytes that are none of its own
            _leave_out(found, f"{message.kind} cannot be read")
        if len(found.commands) + len(found.motions) > MOST:
            raise RecordingError(f"{recording.path} has more than {MOST} commands and motions")
    if "parameters.xml" in recording.attachments:
        found.parameters.insert(0, (0, recording.attachments["parameters.xml"].data))
    found.commands.sort(key=lambda command: command.called_at)
    return found


def statuses(
    recording: Recording, leave_out: Callable[[str], object]
) -> Iterator[tuple[int, MotionStatus]]:
    """Each status with its stamp (ns), in the order of their cycles, of one life of the engine.

    One that was started again counts cycles from 0, or has other axes: what follows is left out.
    """
    cycle, axes = -1, 0
    for time, record in records(recording):
        try:
            status = status_of(record)
        except ValueError:
            continue
        if status.cycle < cycle or (axes and status.axes != axes):
            leave_out("what followed after the engine was started again")
            return
        if status.cycle > cycle:
            cycle, axes = status.cycle, status.axes
            yield time, status


def status_of(record: Any) -> MotionStatus:
    """The status that a record of an EngineStatus is of, without targets: it has none."""
    stop = int(record["emergency_stop"])
    arrays = {
        name: record[name]
        for name in record.dtype.names
        if record.dtype[name].shape and name != "stamp"
    }
    unknown = record["pos_cmd"] * float("nan")
    return MotionStatus(
        time=float(record["time"]),
        cycle=int(record["cycle"]),
        engine_state=EngineState(int(record["engine_state"])),
        emergency_stop=None if stop == NO_EMERGENCY_STOP else EmergencyStop(stop),
        target=unknown,
        remaining=unknown,
        **arrays,
    )


def _leave_out(found: Script, why: str) -> None:
    if len(found.unread) < MOST_UNREAD:
        found.unread[why] = None


def cycle_at(time: float, status: MotionStatus, cycle_time: float) -> int:
    """The cycle that is the newest at `time` of the steady clock (s), by a `status` near it."""
    return status.cycle + floor((time - status.time) / cycle_time + 1e-6)


def _take(found: Script, begins: dict[Any, Begin], message: Message) -> None:
    if message.kind == COMMAND:
        found.commands.append(_command(message))
    elif message.kind == BEGIN:
        begin = deserialize_message(message.data, BeginMotion)
        begins[uuid(begin.command_id)] = begin_of(begin, seconds(begin.header.stamp))
    elif message.kind == END:
        end = deserialize_message(message.data, EndMotion)
        reason = EndReason(end.reason)
        if reason is EndReason.REFUSED:
            return  # of a request that never began, also where another motion has its id
        if (began := begins.pop(uuid(end.command_id), None)) is not None:
            found.motions.append(
                RecordedMotion(
                    begin=began,
                    ended=seconds(end.header.stamp),
                    final=tuple(end.final_position),
                    reason=reason,
                )
            )
    elif message.kind == PARAMETERS and message.topic.endswith(PARAMETERS_TOPIC):
        xml = deserialize_message(message.data, String).data.encode()
        found.parameters.append((message.time, xml))
    elif message.kind == IO:
        change = deserialize_message(message.data, IoChange)
        if not change.output:
            found.inputs.append((message.time, change.address, bytes(change.data)))


def _command(message: Message) -> RecordedCommand:
    command = deserialize_message(message.data, EngineCommand)
    return RecordedCommand(
        stamp=message.time,
        source=command.source,
        method=command.method,
        arguments=arguments_of(command.method, json.loads(command.arguments)),
        called_at=command.called_at,
        answered_at=command.answered_at,
        code=command.error_code,
    )
