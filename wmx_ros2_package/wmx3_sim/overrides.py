"""OverrideVel, Pause and Resume: the velocity of running moves."""

from collections.abc import Iterable
from typing import Any

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.moves import require_override
from wmx_ros2_package.drivers.values import OperationState

from .runtime import Runtime

OVERRIDABLE = OperationState.POS, OperationState.JOG, OperationState.VELOCITY


class Overrides:
    """What the axes of one engine were ordered to run at, and which of them are paused."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._velocities: dict[int, float] = {}
        self._percents: dict[int, float] = {}
        """With which override each runs, or will go on, %; without one 100."""
        self._paused: dict[int, Any] = {}
        """The course on which each waits; an axis that follows another one is paused no longer."""

    def ordered(self, moves: Iterable[Any]) -> None:
        """These moves were taken."""
        for move in moves:
            self._velocities[move.axis] = move.velocity
            self._percents.pop(move.axis, None)
            self._paused.pop(move.axis, None)

    def set(self, commands: Iterable[Any]) -> None:
        """Let moves go on at the velocities of `commands`, or none if one cannot be overridden.

        What is paused stays so.
        """
        percents = [(int(command.axis), self._percent(command)) for command in commands]
        for axis, percent in percents:
            if not self._waits(axis):
                self._runtime.motion.set_override(axis, percent)
            self._percents[axis] = percent

    def pause(self, axis: int) -> None:
        """Let a move wait."""
        self._runtime.motion.set_override(axis, 0.0)
        self._paused[axis] = self._runtime.motion.course(axis)

    def resume(self, axis: int) -> None:
        """Let it go on as fast as it was, or as it was told to meanwhile."""
        if not self._waits(axis):
            raise CommandRefused(ErrorCode.NotIdleState, "is not paused")
        self._runtime.motion.set_override(axis, self._percents.get(axis, 100.0))
        del self._paused[axis]

    def _percent(self, command: Any) -> float:
        """The override that makes a move as fast as `command` says; refused where none can."""
        ordered = self._velocities.get(int(command.axis), 0.0)
        if not ordered or not self._runs(int(command.axis)):
            raise CommandRefused(ErrorCode.NotPosOrJogOrVelocityState)
        percent = 100.0 * float(command.profile.velocity) / ordered
        require_override(percent)
        return percent

    def _runs(self, axis: int) -> bool:
        """Whether `axis` is in a motion whose velocity can be changed; a paused one is, too."""
        return self._runtime.status.op_state[axis] in OVERRIDABLE

    def _waits(self, axis: int) -> bool:
        """Whether `axis` is paused: no stop, line or homing has ended that since."""
        if axis not in self._paused or not self._runs(axis):
            return False
        return bool(self._paused[axis] == self._runtime.motion.course(axis))
