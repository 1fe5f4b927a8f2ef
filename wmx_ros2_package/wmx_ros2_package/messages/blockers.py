"""Conditions that prevent motion, between values and messages."""

from typing import Any

from wmx_ros2_message.msg import AxisBlocker

from ..diagnosis.blockers import Blocker, known_code

FIELDS = "axis", "reason", "remedy", "master", "slave", "direction", "node"
"""The fields of the value and of the message that have the same name, besides the code."""


def blocker_message(blocker: Blocker) -> Any:
    """The message of a condition."""
    fields = {name: getattr(blocker, name) for name in FIELDS}
    return AxisBlocker(code=str(getattr(blocker.code, "value", blocker.code)), **fields)


def blocker_of(message: Any) -> Blocker:
    """The condition of a message."""
    fields = {name: getattr(message, name) for name in FIELDS}
    return Blocker(code=known_code(message.code), **fields)
