"""The status of all axes at any time, until something is written.

A call of numpy costs a microsecond, and several where caches are cold, however many axes there are.
So there are few: what is the same at any time is computed once, and what changes as one sum, whose
coefficients are computed once. Switches that stay as they are stay one array, too: a caller that
looks for changes sees at once that there is none.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wmx_ros2_package.drivers.values import EmergencyStop, EngineState, OperationState

from .curve import FADED

if TYPE_CHECKING:
    from .shared_state import SharedState

NO_EMERGENCY_STOP = -1
_LEVELS = {NO_EMERGENCY_STOP: None} | {int(level): level for level in EmergencyStop}
_AS_WRITTEN = (
    *("servo_on", "servo_offline", "amp_alarm", "alarm_code", "following_error_alarm"),
    *("home_done", "op_state", "command_mode"),
)
_SUMS = 6
"""Position of command and motor, their velocities, following error, torque but for friction."""
_POWERS = np.array([1.0, 2.0, 3.0]).reshape(3, 1, 1)
_SWITCHES = 6
"""Negative and positive soft limit and limit switch, home switch, motion complete."""


class Reading:
    """What MotionStatus holds of `state`, beside its `time` and `cycle`."""

    def __init__(self, state: SharedState) -> None:
        self._state = state
        self._coefficients = coefficients(state)
        self._basis = np.ones((5, 1, len(state.start)))
        """1, s, s^2, s^3 and exp(-rate s) of each axis."""
        self._falling = -state.rate
        self._coulomb = state.coulomb * state.servo_on
        self._rubs = bool(self._coulomb.any())
        self._low = np.array([state.negative_soft_limit, state.negative_ls])
        self._high = np.array([state.positive_soft_limit, state.positive_ls])
        self._at_rest = state.op_state == OperationState.IDLE
        self._ends_at = np.where(self._at_rest, -np.inf, state.ends_at)
        self._switches = b""
        self._switched: dict[str, Any] = {}
        self._lasting: dict[str, Any] = {
            "engine_state": EngineState(int(state.engine_state)),
            "emergency_stop": _LEVELS[int(state.emergency_stop)],
            "target": _read_only(np.where(self._at_rest, nan, state.target)),
            **{name: _read_only(getattr(state, name).copy()) for name in _AS_WRITTEN},
        }

    def at(self, time: float) -> dict[str, Any]:
        """Return all of it at engine time `time`, by which nothing may be due any more."""
        sums = self._sums(time)
        torque = sums[5]
        if self._rubs:
            torque += self._coulomb * np.tanh(sums[3] / self._state.creep)
        _read_only(sums)
        position, actual_position, velocity, actual_velocity, error, torque = sums
        return {
            **self._lasting,
            **self._switches_at(time, sums[:2]),
            "pos_cmd": position,
            "velocity_cmd": velocity,
            "actual_pos": actual_position,
            "actual_velocity": actual_velocity,
            "actual_torque": torque,
            "following_error": error,
            "remaining": _read_only(np.maximum(self._ends_at - time, 0.0)),
        }

    def _sums(self, time: float) -> NDArray[np.float64]:
        basis = self._basis
        s, squared, cubed, decay = basis[1:, 0]
        np.subtract(time, self._state.start, out=s)
        np.multiply(s, s, out=squared)
        np.multiply(squared, s, out=cubed)
        fading = self._falling * s
        np.multiply(np.exp(fading), fading > -FADED, out=decay)
        sums: NDArray[np.float64] = np.add.reduce(self._coefficients * basis)
        return sums

    def _switches_at(self, time: float, positions: NDArray[np.float64]) -> dict[str, Any]:
        """Return what is on or off; the same arrays as before where nothing has changed."""
        state, actual_position = self._state, positions[1]
        switches = np.empty((_SWITCHES, positions.shape[1]), np.bool_)
        np.less(positions, self._low, out=switches[:2])
        np.greater(positions, self._high, out=switches[2:4])
        np.greater_equal(actual_position, state.home_switch_low, out=switches[4])
        switches[4] &= actual_position <= state.home_switch_high
        np.logical_and(self._at_rest, time >= state.settled_at, out=switches[5])
        if (now := switches.tobytes()) != self._switches:
            self._switches = now
            names = (
                *("negative_soft_limit", "negative_ls", "positive_soft_limit", "positive_ls"),
                *("home_switch", "motion_complete"),
            )
            self._switched = dict(zip(names, _read_only(switches), strict=True))
        return self._switched


def coefficients(state: SharedState) -> NDArray[np.float64]:
    """Return what the elements of the basis are multiplied with, by element, sum and axis."""
    course, falling = state.course, -state.rate
    found = np.zeros((5, _SUMS, len(falling)))
    position, velocity, error, torque = found[:, :2], found[:, 2:4], found[:, 4], found[:, 5]
    error[...] = course[:, 1]
    position[:, 0] = course[:, 0]
    np.subtract(course[:, 0], error, out=position[:, 1])
    np.multiply(position[1:4], _POWERS, out=velocity[:3])
    np.multiply(falling, position[4], out=velocity[4])
    # Friction that fades at low speed is no such sum.
    motor = velocity[:, 1]
    np.multiply(motor[1:3], _POWERS[:2, 0], out=torque[:2])
    np.multiply(falling, motor[4], out=torque[4])
    torque *= state.inertia
    torque += state.viscous * motor
    torque[0] += state.static_torque
    torque *= state.servo_on
    return found


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
