"""OverrideVel, Pause and Resume: the velocity of running moves."""

from collections.abc import Callable, Iterable
from typing import Any

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.interface import Motion
from wmx_core.move_rules import require_override
from wmx_core.values import OperationState

from ..engine.proxies import LocalMotion

OVERRIDABLE = OperationState.POS, OperationState.JOG, OperationState.VELOCITY


class Overrides:
    """The velocities of the moves of one engine, and which of them are paused."""

    def __init__(
        self, motion: Motion, local: LocalMotion, state: Callable[[int], OperationState]
    ) -> None:
        self._motion = motion
        self._local = local
        self._state = state
        self._velocities: dict[int, float] = {}
        self._percents: dict[int, float] = {}
        """With which override each runs, or will run on, %; without one 100."""
        self._paused: dict[int, Any] = {}
        """The course on which each waits; an axis that follows another one is paused no longer."""

    def started(self, moves: Iterable[Any]) -> None:
        """Remember moves that were taken."""
        for move in moves:
            self._velocities[move.axis] = move.velocity
            self._percents.pop(move.axis, None)
            self._paused.pop(move.axis, None)

    def set(self, commands: Iterable[Any]) -> None:
        """Continue moves at the velocities of `commands`, or none if one cannot be overridden.

        What is paused stays so.
        """
        percents = [(int(command.axis), self._percent(command)) for command in commands]
        for axis, percent in percents:
            if not self._waits(axis):
                self._motion.set_override(axis, percent)
            self._percents[axis] = percent

    def pause(self, axis: int) -> None:
        """Let a move wait."""
        self._motion.set_override(axis, 0.0)
        self._paused[axis] = self._local.course(axis)

    def resume(self, axis: int) -> None:
        """Continue as fast as it was, or as the newest override."""
        if not self._waits(axis):
            raise CommandRefused(UNNUMBERED, f"axis {axis}", "AxisNotPaused")
        self._motion.set_override(axis, self._percents.get(axis, 100.0))
        del self._paused[axis]

    def _percent(self, command: Any) -> float:
        """Return the override for the velocity of `command`, %; refused where none can be."""
        commanded = self._velocities.get(int(command.axis), 0.0)
        if not commanded or not self._runs(int(command.axis)):
            raise CommandRefused(ErrorCode.NotPosOrJogOrVelocityState)
        percent = 100.0 * float(command.profile.velocity) / commanded
        require_override(percent)
        return percent

    def _runs(self, axis: int) -> bool:
        """Return whether the velocity of `axis` can be changed; also of one that is paused."""
        return self._state(axis) in OVERRIDABLE

    def _waits(self, axis: int) -> bool:
        """Return whether `axis` is paused: no stop, line or homing has ended that since."""
        if axis not in self._paused or not self._runs(axis):
            return False
        return bool(self._paused[axis] == self._local.course(axis))
