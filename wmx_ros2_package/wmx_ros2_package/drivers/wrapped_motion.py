"""`interface.Motion` handed on, for those who add something to some of its methods."""

from collections.abc import Sequence

from .interface import Motion
from .parameters.parameter_set import ParameterSet
from .values import (
    CommandMode,
    EmergencyStop,
    LinearMove,
    MotionStatus,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)


class WrappedMotion:
    """All of `motion`."""

    def __init__(self, motion: Motion) -> None:
        self._motion = motion

    def status(self) -> MotionStatus:
        """See `Motion`."""
        return self._motion.status()

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

    def set_position(self, axis: int, position: float) -> None:
        """See `Motion`."""
        self._motion.set_position(axis, position)

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        """See `Motion`."""
        self._motion.move_absolute(moves)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        """See `Motion`."""
        self._motion.move_relative(moves)

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        """See `Motion`."""
        self._motion.jog(moves)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        """See `Motion`."""
        self._motion.move_velocity(moves)

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        """See `Motion`."""
        self._motion.move_torque(moves)

    def set_override(self, axis: int, percent: float) -> None:
        """See `Motion`."""
        self._motion.set_override(axis, percent)

    def move_linear(self, move: LinearMove) -> None:
        """See `Motion`."""
        self._motion.move_linear(move)

    def move_spline(self, move: SplineMove) -> None:
        """See `Motion`."""
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
        self._motion.home(axis)

    def load_parameters(self, path: str) -> None:
        """See `Motion`."""
        self._motion.load_parameters(path)

    def parameters(self) -> ParameterSet:
        """See `Motion`."""
        return self._motion.parameters()
