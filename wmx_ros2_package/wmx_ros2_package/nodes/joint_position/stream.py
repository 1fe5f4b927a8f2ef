"""Where the axes of a stream were sent, and whether something else has ended their motion.

Axes that follow positions may rest, where they have arrived. So what shows that something else has
ended their motion is that they slow down, do something else, or rest where they were not sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from wmx_core.values import MotionStatus, OperationState

from ...control.conditions import does

REACHED = 1e-5
"""How far from its target, in u and as a part of it, an axis may rest: rounding in the engine."""


@dataclass(frozen=True, slots=True)
class _Setpoint:
    """Where an axis was sent."""

    target: float
    """u."""
    rested_at: float
    """Where it may rest until it begins to move, u."""
    begins_by: float
    """When it has begun to move, s of the steady clock."""

    def is_reached(self, axis: int, status: MotionStatus) -> bool:
        """Whether `axis` has arrived."""
        return _rests_at(self.target, axis, status)

    def is_pending(self, axis: int, status: MotionStatus) -> bool:
        """Whether `axis` may not have begun yet."""
        early = status.time <= self.begins_by and _rests_at(self.rested_at, axis, status)
        return early and not self.is_reached(axis, status)


class Setpoints:
    """The newest setpoint of each axis; a status shows a command after `latency` s."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._of_axis: dict[int, _Setpoint] = {}

    def __bool__(self) -> bool:
        """Whether the axes are on the way that the stream has sent them, or at its end."""
        return bool(self._of_axis)

    def sent(self, targets: Mapping[int, float], before: MotionStatus, now: float) -> None:
        """The engine was commanded to move the axes to `targets`, after it was as in `before`."""
        for axis, target in targets.items():
            earlier, here = self._of_axis.get(axis), float(before.pos_cmd[axis])
            if earlier and before.op_state[axis] == OperationState.POS:
                here = earlier.target  # it may arrive there before the new target is in force
            self._of_axis[axis] = _Setpoint(target, here, now + self._latency)

    def pending(self, status: MotionStatus) -> bool:
        """Whether an axis has not begun yet: a command now would hide that it was stopped."""
        return any(each.is_pending(axis, status) for axis, each in self._of_axis.items())

    def interrupted(self, status: MotionStatus) -> str:
        """Return in words what has ended the motion of an axis; empty if nothing has."""
        reasons = (self._interrupted(axis, each, status) for axis, each in self._of_axis.items())
        return next(filter(None, reasons), "")

    def left(self, status: MotionStatus) -> list[int]:
        """The axes that something else has kept from going to their setpoints."""
        return [
            axis for axis, each in self._of_axis.items() if self._interrupted(axis, each, status)
        ]

    def clear(self) -> None:
        """The stream has ended."""
        self._of_axis.clear()

    def _interrupted(self, axis: int, setpoint: _Setpoint, status: MotionStatus) -> str:
        state, here = int(status.op_state[axis]), float(status.pos_cmd[axis])
        if state == OperationState.POS:
            return ""
        if setpoint.is_reached(axis, status) or setpoint.is_pending(axis, status):
            return ""
        if state == OperationState.IDLE:
            return f"axis {axis} was stopped at {here:.6g} on its way to {setpoint.target:.6g}"
        return f"axis {axis} {does(status, axis)}"


def _rests_at(position: float, axis: int, status: MotionStatus) -> bool:
    near = abs(float(status.pos_cmd[axis]) - position) <= REACHED * max(1.0, abs(position))
    return near and bool(status.op_state[axis] == OperationState.IDLE)
