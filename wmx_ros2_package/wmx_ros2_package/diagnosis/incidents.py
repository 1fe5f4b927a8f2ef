"""What conditions and emergency stops do to the axes, in words for the log."""

from collections.abc import Iterator
from typing import NamedTuple

from wmx_core.values import EmergencyStop, MotionStatus

from ..control.conditions import SERVO_OFF, changes, does

EVERY_AXIS = -1


class Incident(NamedTuple):
    """What happened to an axis, or to every one."""

    axis: int
    text: str


def incidents(before: MotionStatus, now: MotionStatus) -> Iterator[Incident]:
    """What happened between two samples of the same axes."""
    if before.emergency_stop is not now.emergency_stop:
        yield Incident(EVERY_AXIS, _emergency_stop(now.emergency_stop))
    for condition, axis, is_there in changes(before, now):
        if is_there and condition is not SERVO_OFF:  # which a client may have asked for
            text = f"{condition.describe(now, axis)}: {_consequence(axis, now)}"
            yield Incident(axis, text)


def _emergency_stop(level: EmergencyStop | None) -> str:
    if level is None:
        return "the emergency stop is released: nothing moves until it is commanded again"
    if level is EmergencyStop.FINAL:
        return "emergency stop (final): every servo is off"
    return "emergency stop (level 1): every axis slows down with its emergency deceleration"


def _consequence(axis: int, status: MotionStatus) -> str:
    return f"it {does(status, axis)}" if status.servo_on[axis] else "its servo is off"
