"""What motions, errors and orders are in the list of what has happened."""

from __future__ import annotations

from math import isnan
from typing import Any

from ..client import EndReason, MotionBegin, MotionEnd
from ..messages.times import seconds
from .event_log import EventRow


def row_of(event: Any) -> EventRow:
    """A begin or an end of a motion, or a HardwareError, as texts."""
    if isinstance(event, MotionBegin):
        goals = ", ".join(f"{round(t, 4) + 0.0:g}" for t in event.targets if not isnan(t))
        text = event.kind.name.lower() + (f" to {goals}" if goals else "")
        return _of_motion(event, "begin", text)
    if isinstance(event, MotionEnd):
        kind = "refused" if event.reason is EndReason.REFUSED else "end"
        text = f"{event.reason.name}: {event.message}" if event.message else event.reason.name
        return _of_motion(event, kind, text)
    at = seconds(event.header.stamp)
    text = f"{event.message or event.name}{'' if event.active else ': over'}"
    return EventRow(at=at, kind="error", axes="", source="/".join(event.path), text=text)


def _of_motion(event: MotionBegin | MotionEnd, kind: str, text: str) -> EventRow:
    axes = ", ".join(event.names or map(str, event.axes))
    return EventRow(
        at=event.time, kind=kind, axes=axes, source=event.source, text=text, id=event.id
    )
