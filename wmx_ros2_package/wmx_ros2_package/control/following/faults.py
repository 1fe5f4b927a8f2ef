"""Why a trajectory cannot go on, and how hard its axes are to be stopped then."""

from collections.abc import Sequence

import numpy as np

from wmx_core.values import MotionStatus

from ...trajectories.plan import Plan
from ...trajectories.segments import Segment
from ..axis_file.records import StopCause
from ..conditions import SERVO_OFF, at_limit, axis_name, blocked
from ..gate import Gate
from ..request import MotionRequest

_STOPPED = {
    StopCause.STOP: "{} was stopped",
    StopCause.EMERGENCY_STOP: "{}: emergency stop",
    StopCause.SETTING: "{}: its settings were changed",
    StopCause.SERVO_OFF: f"{{}}: {SERVO_OFF.words}",
    StopCause.FILE_LOST: "{}: the file of owners and stops was lost",
}
"""The end of a trajectory of which an axis was stopped, in words, by the cause of the stop."""


def why_unfit(gate: Gate, request: MotionRequest, plan: Plan, status: MotionStatus) -> str:
    """Why the axes of `plan` cannot go on with the motion of `request`; empty if they can.

    A stop counts as soon as it is recorded, whether the status shows it yet or not.
    """
    if reason := blocked(status, plan.axes, plan.names):
        return reason
    stopped = gate.stopped_since([request])
    if stopped is None:
        return ""
    name = axis_name(stopped.axis, plan.names, plan.axes.index(stopped.axis))
    return _STOPPED[stopped.cause].format(name)


def has_fault(gate: Gate, request: MotionRequest, status: MotionStatus) -> bool:
    """Whether an axis has failed, or is at a limit: the others then stop as hard as they can.

    At an emergency stop the engine does that by itself.
    """
    if not status.communicating or status.emergency_stop is not None:
        return False
    stopped = gate.stopped_since([request])
    is_off = stopped is not None and stopped.cause is StopCause.SERVO_OFF
    return is_off or bool(blocked(status, request.axes)) or at_limit(status, request.axes)


def stop_lasts(segments: Sequence[Segment], axes: Sequence[int], status: MotionStatus) -> float:
    """How long the engine takes to bring `axes` to rest as gently as it stops a spline, s.

    They follow the first of `segments`.
    """
    speed = float(np.linalg.norm(status.velocity_cmd[list(axes)]))
    if speed == 0.0 or not segments:
        return 0.0
    return speed / max(segments[0].curve.path_acceleration(), 1e-9)
