"""Makes the messages of the begin and the end of a motion, and reads them; also their ids."""

from uuid import UUID

import unique_identifier_msgs.msg
from wmx_ros2_message.msg import BeginMotion, EndMotion

from ..control.request import Begin, End, MotionKind
from .times import RosTime, time_message


def begin_motion(begin: Begin, ros_time: RosTime) -> BeginMotion:
    """`begin` as a message."""
    message = BeginMotion(
        source=begin.source,
        names=list(begin.names),
        axes=list(begin.axes),
        type=int(begin.kind),
        initial_position=list(begin.initial),
        target_position=list(begin.targets),
        command_id=uuid_message(begin.id),
    )
    message.header.stamp = time_message(ros_time(begin.time))
    if begin.arrival is not None:
        message.expected_arrival = time_message(ros_time(begin.arrival))
    return message


def begin_of(message: BeginMotion, time: float, arrival: float | None = None) -> Begin:
    """The begin that `message` tells of, with its times as the clock of its reader has them."""
    return Begin(
        id=uuid(message.command_id),
        source=message.source,
        kind=MotionKind(message.type),
        axes=tuple(message.axes),
        names=tuple(message.names),
        time=time,
        initial=tuple(message.initial_position),
        targets=tuple(message.target_position),
        arrival=arrival,
    )


def end_motion(end: End, ros_time: RosTime) -> EndMotion:
    """`end` as a message."""
    message = EndMotion(
        source=end.source,
        names=list(end.names),
        axes=list(end.axes),
        final_position=list(end.final),
        reason=int(end.reason),
        error_code=end.code,
        message=end.message,
        command_id=uuid_message(end.id),
        replaced_by=uuid_message(end.replaced_by),
    )
    message.header.stamp = time_message(ros_time(end.time))
    return message


def uuid(message: unique_identifier_msgs.msg.UUID) -> UUID:
    """The id of `message`."""
    return UUID(bytes=bytes(bytearray(message.uuid)))


def uuid_message(id: UUID) -> unique_identifier_msgs.msg.UUID:
    """`id` as a message."""
    return unique_identifier_msgs.msg.UUID(uuid=list(id.bytes))
