"""OverrideVel, Pause and Resume: the velocity of running moves."""

from collections.abc import Iterable
from typing import Any

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode

from .runtime import Runtime


class Overrides:
    """What the axes of one engine were ordered to run at, and which of them are paused."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._velocities: dict[int, float] = {}
        self._paused: dict[int, float] = {}
        """With which override each will go on, %."""

    def ordered(self, moves: Iterable[Any]) -> None:
        """These moves were taken."""
        for move in moves:
            self._velocities[move.axis] = move.velocity
            self._paused.pop(move.axis, None)

    def set(self, commands: Iterable[Any]) -> None:
        """Let moves go on at the velocities of `commands`; what is paused stays so."""
        for command in commands:
            axis, ordered = int(command.axis), self._velocities.get(int(command.axis), 0.0)
            if not ordered:
                raise CommandRefused(ErrorCode.NotPosOrJogOrVelocityState)
            percent = 100.0 * float(command.profile.velocity) / ordered
            if axis in self._paused:
                self._paused[axis] = percent
            else:
                self._runtime.motion.set_override(axis, percent)

    def pause(self, axis: int) -> None:
        """Let a move wait."""
        self._runtime.motion.set_override(axis, 0.0)
        self._paused[axis] = 100.0

    def resume(self, axis: int) -> None:
        """Let it go on."""
        if axis not in self._paused:
            raise CommandRefused(ErrorCode.NotIdleState, "is not paused")
        self._runtime.motion.set_override(axis, self._paused.pop(axis))
