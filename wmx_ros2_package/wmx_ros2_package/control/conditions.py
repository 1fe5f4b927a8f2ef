"""Judges an axis by its status, for the ends of motions and diagnostics: what is wrong with it.

Motions end because of these, trajectories are refused because of them, and diagnostics, the log and
`wmx/hardware_error` publish them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import nan

import numpy as np

from wmx_core.device_codes import alarm_in_words
from wmx_core.errors import CommandRefused, ErrorCode, RefusalCode
from wmx_core.values import REST_VELOCITY, CommandMode, Flags, MotionStatus, OperationState

from .request import EndReason


class Level(IntEnum):
    """How serious a condition is, numbered as in diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    """It needs no operator."""
    WARN = 1
    """It may soon stop the machine, or has slowed it down."""
    ERROR = 2
    """It has stopped the machine."""
    STALE = 3
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that can be wrong with an axis."""

    flag: str
    """The array of MotionStatus that shows it."""
    name: str
    """Its name in messages."""
    words: str
    reason: EndReason
    """Why a motion of the axis ends because of it."""
    level: Level
    refusal: ErrorCode | None = None
    """The code of the refusal of motion while it is there; None where motion may begin."""
    hardware: bool = False
    """Whether something in the machine is broken."""
    when: bool = True
    """The value of the flag while it is there."""
    direction: int = 0
    """Which way it lies, 1 or -1; 0 where it has none."""

    def axes(self, status: MotionStatus) -> Flags:
        """Return for each axis whether it is true in `status`."""
        flags: Flags = getattr(status, self.flag)
        return flags if self.when else ~flags

    def holds(self, status: MotionStatus, axis: int) -> bool:
        """Whether it is true of `axis` in `status`."""
        return bool(getattr(status, self.flag)[axis]) is self.when

    def code(self, status: MotionStatus, axis: int) -> int:
        """The drive's code for it, 0 for none."""
        return int(status.alarm_code[axis]) if self is AMP_ALARM else 0

    def describe(self, status: MotionStatus, axis: int) -> str:
        """The condition in words, with the drive's alarm or the place where it happened.

        At rest an alarm of a following error may be an old one, whose error is gone.
        """
        if self is AMP_ALARM:
            return f"{self.words} {alarm_in_words(self.code(status, axis))}"
        if self is FOLLOWING_ERROR:
            size = f"{status.following_error[axis]:.6g} u"
            if status.op_state[axis] == OperationState.IDLE:
                return f"{self.words} (now {size}): the alarm stands until `wmx clear`"
            return f"{self.words} ({size})"
        if self.reason is EndReason.LIMIT:
            return f"{self.words} at {status.actual_pos[axis]:.6g} u"
        return self.words


OFFLINE = Condition(
    "servo_offline",
    "ServoOffline",
    "drive offline",
    EndReason.SERVO_OFF,
    Level.ERROR,
    refusal=ErrorCode.ServoOffline,
    hardware=True,
)
AMP_ALARM = Condition(
    "amp_alarm",
    "AmpAlarm",
    "alarm",
    EndReason.ALARM,
    Level.ERROR,
    refusal=ErrorCode.AxisAmpAlarm,
    hardware=True,
)
FOLLOWING_ERROR = Condition(
    "following_error_alarm",
    "FollowingErrorAlarm",
    "following error too large",
    EndReason.ALARM,
    Level.ERROR,
    refusal=ErrorCode.AxisAmpAlarm,
    hardware=True,
)
SERVO_OFF = Condition(
    "servo_on",
    "ServoOff",
    "servo off",
    EndReason.SERVO_OFF,
    Level.OK,
    refusal=ErrorCode.ServoOff,
    when=False,
)
LIMITS = tuple(
    Condition(flag, name, words, EndReason.LIMIT, Level.WARN, direction=direction)
    for flag, name, words, direction in (
        ("positive_ls", "PositiveLimitSwitch", "positive limit switch on", 1),
        ("negative_ls", "NegativeLimitSwitch", "negative limit switch on", -1),
        ("positive_soft_limit", "PositiveSoftLimit", "positive soft limit reached", 1),
        ("negative_soft_limit", "NegativeSoftLimit", "negative soft limit reached", -1),
    )
)
CONDITIONS = (OFFLINE, AMP_ALARM, FOLLOWING_ERROR, SERVO_OFF, *LIMITS)
"""The gravest first."""

DOES: dict[int, str] = {
    OperationState.IDLE: "rests",
    OperationState.POS: "moves to a position",
    OperationState.JOG: "jogs",
    OperationState.HOME: "is homing",
    OperationState.SYNC: "follows another axis",
    OperationState.STOP: "slows down",
    OperationState.INTPL: "follows a line or a spline",
    OperationState.VELOCITY: "moves at a velocity",
    OperationState.TRQ: "exerts a torque",
}


def does(status: MotionStatus, axis: int) -> str:
    """Return in words what `axis` does."""
    state = int(status.op_state[axis])
    return DOES.get(state, f"is in state {state}")


def conditions_of(status: MotionStatus, axis: int) -> Iterator[Condition]:
    """Return the conditions that are true for `axis`, the gravest first."""
    return (condition for condition in CONDITIONS if condition.holds(status, axis))


def at_limit(status: MotionStatus, axes: Sequence[int]) -> bool:
    """Whether a limit of one of `axes` is reached."""
    return any(condition.holds(status, axis) for axis in axes for condition in LIMITS)


def limit_met(status: MotionStatus, axis: int, way: float = nan) -> Condition | None:
    """The limit that `axis` is at; with a `way`, u, only one that lies this way."""
    for limit in LIMITS:
        if limit.holds(status, axis) and not limit.direction * way <= 0.0:
            return limit
    return None


def out_of_position(
    status: MotionStatus, width: float, widths: Callable[[Sequence[int]], Sequence[float]]
) -> dict[int, float]:
    """How far motors are off that stand elsewhere than the command that holds them, u, by axis.

    In position is what it is for the end of a motion: within InPosWidth, which `widths` returns for
    axes and is called for those that may be off alone, and within `width`.
    """
    off = np.abs(status.pos_cmd - status.actual_pos)
    held = (
        (status.op_state == OperationState.IDLE)
        & status.servo_on
        & (status.command_mode == CommandMode.POSITION)
        & (np.abs(status.actual_velocity) <= REST_VELOCITY)
        & status.communicating
    )
    axes = (held & ((off > width) | ~status.motion_complete)).nonzero()[0].tolist()
    known = widths(axes) if axes else ()
    return {
        axis: float(off[axis])
        for axis, its in zip(axes, known, strict=False)
        if off[axis] > (its if 0.0 < its < width else width)
    }


def blocked(status: MotionStatus, axes: Sequence[int], names: Sequence[str] = ()) -> str:
    """Why a motion of `axes` cannot begin or go on, in words; empty if it can.

    `names` are those of joints, parallel to `axes`.
    """
    if not status.communicating:
        return "the engine does not communicate"
    if status.emergency_stop is not None:
        return f"emergency stop ({status.emergency_stop.name.lower()}) is in force"
    for i, axis in enumerate(axes):
        for condition in conditions_of(status, axis):
            if condition.refusal:
                words = condition.describe(status, axis)
                if condition is SERVO_OFF and (limit := limit_met(status, axis)):
                    words += f", {limit.describe(status, axis)}"
                return f"{axis_name(axis, names, i)}: {words}"
    return ""


def refusal_code(status: MotionStatus, axes: Sequence[int]) -> int:
    """The code of what `blocked` has in words: that with which the engine refuses a motion."""
    if not status.communicating:
        return RefusalCode.NOT_READY
    if status.emergency_stop is not None:
        return ErrorCode.EmergencyStopSignalOn
    codes = (each.refusal for axis in axes for each in conditions_of(status, axis) if each.refusal)
    return next(codes, 0)


def off_path(status: MotionStatus, axes: Sequence[int], names: Sequence[str]) -> str:
    """Why one of `axes` does not follow the spline that it should, in words; see `blocked`."""
    others = [
        (i, axis) for i, axis in enumerate(axes) if status.op_state[axis] != OperationState.INTPL
    ]
    for i, axis in others:
        if status.positive_ls[axis] or status.negative_ls[axis]:
            side = "positive" if status.positive_ls[axis] else "negative"
            return f"{axis_name(axis, names, i)} is at its {side} limit switch"
    for i, axis in others:
        name = axis_name(axis, names, i)
        if status.op_state[axis] == OperationState.STOP:
            return f"{name} was stopped, by a limit or by another client"
        if status.op_state[axis] == OperationState.IDLE:
            return f"{name} rests before the end: it was stopped"
        return f"{name} {does(status, axis)}: another client commands it"
    return "the path was interrupted"


def require_switchable(status: MotionStatus, axes: Sequence[int]) -> None:
    """CommandRefused unless `axes` can be switched to another mode and then be moved.

    The engine would refuse the same, after some of the axes have been switched.
    """
    if status.communicating and (code := refusal_code(status, axes)):
        raise CommandRefused(code, blocked(status, axes))
    for axis in axes:
        if status.op_state[axis] != OperationState.IDLE:
            detail = f"axis {axis} {does(status, axis)}: must be at rest"
            raise CommandRefused(ErrorCode.NotIdleState, detail)


def axis_name(axis: int, names: Sequence[str], i: int) -> str:
    """Return the name of `axis`, which is element `i` of some axes and may have one of `names`."""
    return f"{names[i]} (axis {axis})" if i < len(names) else f"axis {axis}"


def differs(before: MotionStatus, now: MotionStatus) -> bool:
    """Whether a condition, an alarm or the emergency stop is another one; cheap where none is."""
    if len(before.servo_on) != len(now.servo_on) or before.emergency_stop is not now.emergency_stop:
        return True
    for field in "alarm_code", *(condition.flag for condition in CONDITIONS):
        then, is_on = getattr(before, field), getattr(now, field)
        if then is not is_on and not np.array_equal(then, is_on):
            return True
    return False


def changes(
    before: MotionStatus | None, now: MotionStatus
) -> Iterator[tuple[Condition, int, bool]]:
    """Yield the conditions that came (True) or went (False) between two samples, by axis.

    Where there was no sample before, or one of other axes, everything that is there has come.
    """
    known = before is not None and before.axes == now.axes
    for condition in CONDITIONS:
        is_there = condition.axes(now)
        was = condition.axes(before) if known and before else np.zeros_like(is_there)
        for axis in (is_there != was).nonzero()[0].tolist():
            yield condition, axis, bool(is_there[axis])
