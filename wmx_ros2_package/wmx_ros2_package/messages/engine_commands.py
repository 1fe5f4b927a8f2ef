"""Calls of the engine -> EngineCommand."""

import json

from wmx_ros2_message.msg import EngineCommand

from ..control.reported_motion import Report, plain
from .times import RosTime, time_message


def engine_command(report: Report, source: str, ros_time: RosTime) -> EngineCommand:
    """`report` of the node `source` as a message."""
    message = EngineCommand(
        source=source,
        method=report.method,
        arguments=json.dumps(plain(report.arguments)),
        called_at=report.called_at,
        answered_at=report.answered_at,
    )
    message.header.stamp = time_message(ros_time(report.called_at))
    if report.error is not None:
        message.error_code, message.message = report.error.code, str(report.error)
    return message
