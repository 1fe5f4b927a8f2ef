"""Which axes one client of the engine moves, so that it can stop those and no others."""

import threading
from collections.abc import Iterable, Sequence

from .interface import Motion
from .parameters.parameter_set import ParameterSet
from .values import (
    CommandMode,
    EmergencyStop,
    LinearMove,
    MotionStatus,
    OperationState,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)

LOOK_CYCLES = 20
"""Samples are searched for axes that have come to rest this often, in communication cycles."""
START_CYCLES = 5
"""A command shows in the samples within this many communication cycles."""


class CommandedMotion:
    """The Motion `motion`, and the axes that were commanded through it since they last rested.

    Rest is seen in the samples that are read here: an axis at rest is nobody's, and whoever
    commands it next has it. A command that is refused may have reached some axes, so its axes
    count too.
    """

    def __init__(self, motion: Motion) -> None:
        self._motion = motion
        self._lock = threading.Lock()
        self._first_cycle: dict[int, int | None] = {}
        """Of the first sample after the command, by axis; None before there is one."""
        self._next_look = 0

    def commanded(self) -> list[int]:
        """The axes that may still move because of a command given here."""
        with self._lock:
            return sorted(self._first_cycle)

    # Motion

    def status(self) -> MotionStatus:
        """See `Motion`; axes that rest in the sample are let go."""
        status = self._motion.status()
        if self._first_cycle and status.cycle >= self._next_look:
            self._let_go(status)
        return status

    def set_servo(self, axis: int, *, on: bool) -> None:
        """See `Motion`."""
        self._motion.set_servo(axis, on=on)

    def clear_alarm(self, axis: int) -> None:
        """See `Motion`."""
        self._motion.clear_alarm(axis)

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        """See `Motion`."""
        self._motion.set_command_mode(axis, mode)

    def set_polarity(self, axis: int, polarity: int) -> None:
        """See `Motion`."""
        self._motion.set_polarity(axis, polarity)

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        """See `Motion`."""
        self._motion.set_gear_ratio(axis, numerator, denominator)

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        """See `Motion`."""
        self._commands(move.axis for move in moves)
        self._motion.move_absolute(moves)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        """See `Motion`."""
        self._commands(move.axis for move in moves)
        self._motion.move_relative(moves)

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        """See `Motion`."""
        self._commands(move.axis for move in moves)
        self._motion.jog(moves)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        """See `Motion`."""
        self._commands(move.axis for move in moves)
        self._motion.move_velocity(moves)

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        """See `Motion`."""
        self._commands(move.axis for move in moves)
        self._motion.move_torque(moves)

    def move_linear(self, move: LinearMove) -> None:
        """See `Motion`."""
        self._commands(move.axes)
        self._motion.move_linear(move)

    def move_spline(self, move: SplineMove) -> None:
        """See `Motion`."""
        self._commands(move.axes)
        self._motion.move_spline(move)

    def stop(self, axes: Sequence[int]) -> None:
        """See `Motion`."""
        self._motion.stop(axes)

    def quick_stop(self, axes: Sequence[int]) -> None:
        """See `Motion`."""
        self._motion.quick_stop(axes)

    def emergency_stop(self, level: EmergencyStop) -> None:
        """See `Motion`."""
        self._motion.emergency_stop(level)

    def release_emergency_stop(self) -> None:
        """See `Motion`."""
        self._motion.release_emergency_stop()

    def home(self, axis: int) -> None:
        """See `Motion`."""
        self._commands([axis])
        self._motion.home(axis)

    def load_parameters(self, path: str) -> None:
        """See `Motion`."""
        self._motion.load_parameters(path)

    def parameters(self) -> ParameterSet:
        """See `Motion`."""
        return self._motion.parameters()

    # Who moves

    def _commands(self, axes: Iterable[int]) -> None:
        with self._lock:
            self._first_cycle.update(dict.fromkeys(axes))
            self._next_look = 0

    def _let_go(self, status: MotionStatus) -> None:
        with self._lock:
            self._next_look = status.cycle + LOOK_CYCLES
            for axis, first in list(self._first_cycle.items()):
                if first is None or first > status.cycle:  # a new engine counts from zero again
                    self._first_cycle[axis] = status.cycle
                elif (
                    status.cycle > first + START_CYCLES
                    and 0 <= axis < status.axes
                    and status.op_state[axis] == OperationState.IDLE
                ):
                    del self._first_cycle[axis]
