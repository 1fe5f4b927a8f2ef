"""Axes in other units than the engine's: an arm in radians whose axes are in degrees."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import pi
from typing import Any

import numpy as np

from .interface import Motion
from .values import Floats, MotionStatus, PositionMove, SplineMove, VelocityMove

DEGREE = pi / 180.0
"""rad."""
RPM = 2.0 * pi / 60.0
"""rad/s, of an axis with 60 user units a revolution: then one of them a second is 1 rpm."""
WITHOUT_UNITS = frozenset(
    (
        "set_servo",
        "clear_alarm",
        "set_command_mode",
        "stop",
        "quick_stop",
        "emergency_stop",
        "release_emergency_stop",
        "load_parameters",
        "parameters",
    )
)
"""Methods that are passed on: parameters stay in the engine's units."""


class MotionInUnits:
    """The axes of `motion`, some of them in other units: a value times its factor is in that unit.

    It has the methods of `Motion` that nodes of joints and wheels use; any other is no attribute.
    """

    def __init__(self, motion: Motion, factors: Mapping[int, float]) -> None:
        self._motion = motion
        self._factors = factors
        self._columns: Floats = np.ones(0)

    def __getattr__(self, name: str) -> Any:
        if name not in WITHOUT_UNITS:
            raise AttributeError(f"{name} is not offered in other units")
        return getattr(self._motion, name)

    def status(self) -> MotionStatus:
        """Every axis at the newest communication cycle."""
        status = self._motion.status()
        if len(self._columns) != status.axes:
            self._columns = np.array([self._factor(axis) for axis in range(status.axes)])
        of = self._columns
        return replace(
            status,
            pos_cmd=status.pos_cmd * of,
            velocity_cmd=status.velocity_cmd * of,
            actual_pos=status.actual_pos * of,
            actual_velocity=status.actual_velocity * of,
            following_error=status.following_error * of,
            target=status.target * of,
        )

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        """As `Motion.move_absolute`."""
        self._motion.move_absolute([self._position(move) for move in moves])

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        """As `Motion.jog`."""
        self._motion.jog([self._velocity(move) for move in moves])

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        """As `Motion.move_velocity`."""
        self._motion.move_velocity([self._velocity(move) for move in moves])

    def move_spline(self, move: SplineMove) -> None:
        """As `Motion.move_spline`."""
        of = np.array([self._factor(axis) for axis in move.axes])
        self._motion.move_spline(replace(move, positions=move.positions / of))

    def _factor(self, axis: int) -> float:
        return self._factors.get(axis, 1.0)

    def _position(self, move: PositionMove) -> PositionMove:
        of = self._factor(move.axis)
        return replace(
            move,
            target=move.target / of,
            velocity=move.velocity / of,
            acc=move.acc / of,
            dec=move.dec / of,
        )

    def _velocity(self, move: VelocityMove) -> VelocityMove:
        of = self._factor(move.axis)
        return replace(move, velocity=move.velocity / of, acc=move.acc / of, dec=move.dec / of)
