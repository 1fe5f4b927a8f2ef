"""What a limit, an alarm or an emergency stop has done to the axes, told when it happens.

Two samples of the state are compared; of those between which nothing of interest changed, which
is almost all of them, the comparison costs a few microseconds.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..drivers.values import EmergencyStop, MotionStatus, OperationState
from .device_codes import alarm_in_words

EVERY_AXIS = -1
_FLAGS = {
    "amp_alarm": "alarm",
    "following_error_alarm": "following error too large",
    "positive_ls": "positive limit switch on",
    "negative_ls": "negative limit switch on",
    "positive_soft_limit": "positive soft limit reached",
    "negative_soft_limit": "negative soft limit reached",
    "servo_offline": "drive offline",
}
"""What is watched of every axis, in words."""


class Incident(NamedTuple):
    """What happened to an axis, or to every one."""

    axis: int
    text: str


class Incidents:
    """Compares each sample with the one before."""

    def __init__(self) -> None:
        self.stirred = False
        """Whether the newest sample differs from the one before in anything that is watched."""
        self._before: MotionStatus | None = None

    def see(self, status: MotionStatus) -> list[Incident]:
        """What happened between the sample before and `status`."""
        before, self._before = self._before, status
        self.stirred = before is None or before.axes != status.axes or _differs(before, status)
        if before is None or before.axes != status.axes or not self.stirred:
            return []
        return [*_of_all(before, status), *_of_axes(before, status)]


def _differs(before: MotionStatus, now: MotionStatus) -> bool:
    if before.emergency_stop is not now.emergency_stop:
        return True
    for name in _FLAGS:
        then, is_on = getattr(before, name), getattr(now, name)
        if then is not is_on and not np.array_equal(then, is_on):
            return True
    return False


def _of_all(before: MotionStatus, now: MotionStatus) -> Iterator[Incident]:
    if before.emergency_stop is now.emergency_stop:
        return
    if now.emergency_stop is None:
        text = "the emergency stop is released: nothing moves until it is commanded anew"
    elif now.emergency_stop is EmergencyStop.FINAL:
        text = "emergency stop (final): every servo is off"
    else:
        text = "emergency stop (level 1): every axis slows down with its emergency deceleration"
    yield Incident(EVERY_AXIS, text)


def _of_axes(before: MotionStatus, now: MotionStatus) -> Iterator[Incident]:
    for name in _FLAGS:
        then, is_on = getattr(before, name), getattr(now, name)
        for axis in np.flatnonzero(is_on & ~then):
            yield Incident(int(axis), f"{_words(name, int(axis), now)}: {_does(int(axis), now)}")


def _words(flag: str, axis: int, status: MotionStatus) -> str:
    words = _FLAGS[flag]
    match flag:
        case "amp_alarm":
            return f"{words} {alarm_in_words(int(status.alarm_code[axis]))}"
        case "following_error_alarm":
            return f"{words} ({status.following_error[axis]:.6g} u)"
        case "servo_offline":
            return words
        case _:
            return f"{words} at {status.actual_pos[axis]:.6g} u"


def _does(axis: int, status: MotionStatus) -> str:
    """What comes of it."""
    if not status.servo_on[axis]:
        return "its servo is off"
    state = status.op_state[axis]
    if state == OperationState.STOP:
        return "it slows down"
    if state == OperationState.IDLE:
        return "it is at rest"
    return "it goes on"
