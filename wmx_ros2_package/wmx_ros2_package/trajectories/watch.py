"""What keeps axes from following a plan, read from samples of the engine's state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..drivers.values import Floats, MotionStatus, OperationState
from .tolerances import Tolerances

SHOWN = 0.05
"""By then the state shows that axes follow a spline, or that they do no more, s."""
_DOES = {
    OperationState.IDLE: "rests",
    OperationState.POS: "moves to a position",
    OperationState.JOG: "jogs",
    OperationState.HOME: "is homing",
    OperationState.STOP: "slows down",
    OperationState.INTPL: "follows a spline or line",
    OperationState.VELOCITY: "moves at a velocity",
    OperationState.TRQ: "exerts a torque",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JointErrors:
    """How far joints are from where they are commanded to be, u and u/s, (joints,)."""

    position: Floats
    velocity: Floats


def errors(status: MotionStatus, axes: Sequence[int]) -> JointErrors:
    """Those of `axes` in `status`."""
    chosen = list(axes)
    return JointErrors(
        position=status.pos_cmd[chosen] - status.actual_pos[chosen],
        velocity=status.velocity_cmd[chosen] - status.actual_velocity[chosen],
    )


def unfit(status: MotionStatus, names: Sequence[str], axes: Sequence[int]) -> str:
    """Why the joints cannot move or must not, in words; nothing if they can."""
    return next(_reasons(status, names, axes), "")


def _reasons(status: MotionStatus, names: Sequence[str], axes: Sequence[int]) -> Iterator[str]:
    if not status.communicating:
        yield "the engine does not communicate"
        return
    if status.emergency_stop is not None:
        yield f"emergency stop ({status.emergency_stop.name.lower()}) is in force"
    for name, axis in zip(names, axes, strict=True):
        if status.amp_alarm[axis]:
            yield f"{name} (axis {axis}) has amplifier alarm 0x{status.alarm_code[axis]:04X}"
        if status.following_error_alarm[axis]:
            yield f"{name} (axis {axis}) has a following error alarm"
        if status.servo_offline[axis]:
            yield f"the drive of {name} (axis {axis}) is offline"
        if not status.servo_on[axis]:
            yield f"the servo of {name} (axis {axis}) is off"


def interrupted(status: MotionStatus, names: Sequence[str], axes: Sequence[int]) -> str:
    """Why joints that should follow a spline do not, in words; nothing if they do."""
    for name, axis in zip(names, axes, strict=True):
        state = int(status.op_state[axis])
        if state == OperationState.INTPL:
            continue
        if status.positive_ls[axis] or status.negative_ls[axis]:
            side = "positive" if status.positive_ls[axis] else "negative"
            return f"{name} (axis {axis}) is at its {side} limit switch"
    for name, axis in zip(names, axes, strict=True):
        state = int(status.op_state[axis])
        if state == OperationState.STOP:
            return f"{name} (axis {axis}) was stopped: by a limit or by another client"
        if state == OperationState.IDLE:
            return f"{name} (axis {axis}) rests before the end: it was stopped"
        if state != OperationState.INTPL:
            does = _DOES.get(OperationState(state), "moves") if state in _DOES else "moves"
            return f"{name} (axis {axis}) {does}: another client commands it"
    return ""


def follows(status: MotionStatus, axes: Sequence[int]) -> bool:
    """Whether every one of `axes` is on a spline or line."""
    return bool((status.op_state[list(axes)] == OperationState.INTPL).all())


def rests(status: MotionStatus, axes: Sequence[int]) -> bool:
    """Whether none of `axes` is commanded to move."""
    return bool((status.op_state[list(axes)] == OperationState.IDLE).all())


def unsettled(
    status: MotionStatus, axes: Sequence[int], target: Floats, tolerances: Tolerances
) -> str:
    """How the joints are off `target` or not at rest, in words; nothing if they have settled."""
    chosen = list(axes)
    off = target - status.actual_pos[chosen]
    return tolerances.violation(off, np.asarray(status.actual_velocity[chosen]), "its goal")
