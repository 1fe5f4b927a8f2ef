"""What the state of all axes says at any time, until something is written.

A call of numpy costs a microsecond, and several where caches are cold, however many axes there are.
So there are few: what is the same at any time is computed once, and what is computed alike for
several quantities is computed for all of them in one array.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...values import EmergencyStop, EngineState, OperationState
from .curve import FADED

if TYPE_CHECKING:
    from .shared_state import SharedState

NO_EMERGENCY_STOP = -1
_LEVELS = {NO_EMERGENCY_STOP: None} | {int(level): level for level in EmergencyStop}


class Reading:
    """What MotionStatus holds of `state`, beside its `time` and `cycle`."""

    def __init__(self, state: SharedState) -> None:
        self._state = state
        q0, q1, q2, q3, self._d = state.course
        twice, none = 2.0 * q2, np.zeros_like(q0)
        # Position, velocity and acceleration, each of the command and of the following error.
        self._coefficients = np.array(
            [[q0, q1, twice], [q1, twice, 6.0 * q3], [q2, 3.0 * q3, none], [q3, none, none]]
        )
        self._falling = -state.rate
        self._low = np.array([state.negative_soft_limit, state.negative_ls])
        self._high = np.array([state.positive_soft_limit, state.positive_ls])
        self._at_rest = state.op_state == OperationState.IDLE
        self._ends_at = np.where(self._at_rest, -np.inf, state.ends_at)
        self._lasting: dict[str, Any] = {
            "engine_state": EngineState(int(state.engine_state)),
            "emergency_stop": _LEVELS[int(state.emergency_stop)],
            "servo_on": _read_only(state.servo_on.copy()),
            "servo_offline": _read_only(state.servo_offline.copy()),
            "amp_alarm": _read_only(state.amp_alarm.copy()),
            "alarm_code": _read_only(state.alarm_code.copy()),
            "following_error_alarm": _read_only(state.following_error_alarm.copy()),
            "home_done": _read_only(state.home_done.copy()),
            "op_state": _read_only(state.op_state.copy()),
            "command_mode": _read_only(state.command_mode.copy()),
            "target": _read_only(np.where(self._at_rest, nan, state.target)),
        }

    def at(self, time: float) -> dict[str, Any]:
        """All of it at engine time `time`, by which nothing may be due any more."""
        state = self._state
        c0, c1, c2, c3 = self._coefficients
        s = time - state.start
        fading = self._falling * s
        decay = np.empty_like(c0)
        np.multiply(self._d * np.exp(fading), fading > -FADED, out=decay[0])
        np.multiply(self._falling, decay[0], out=decay[1])
        np.multiply(self._falling, decay[1], out=decay[2])
        course = c0 + s * (c1 + s * (c2 + s * c3)) + decay
        error = course[0, 1].copy()
        # From here on the motor stands in the place of the error.
        np.subtract(course[:, 0], course[:, 1], out=course[:, 1])
        position, velocity, (_, acceleration) = course
        actual_position, actual_velocity = position[1], velocity[1]
        torque = (
            state.inertia * acceleration
            + state.coulomb * np.tanh(actual_velocity / state.creep)
            + state.viscous * actual_velocity
            + state.static_torque
        )
        in_home_switch = (actual_position >= state.home_switch_low) & (
            actual_position <= state.home_switch_high
        )
        negative, positive = _read_only(position < self._low), _read_only(position > self._high)
        _read_only(course)
        return self._lasting | {
            "home_switch": _read_only(in_home_switch),
            "negative_ls": negative[1],
            "positive_ls": positive[1],
            "negative_soft_limit": negative[0],
            "positive_soft_limit": positive[0],
            "motion_complete": _read_only(self._at_rest & (time >= state.settled_at)),
            "pos_cmd": course[0, 0],
            "velocity_cmd": course[1, 0],
            "actual_pos": course[0, 1],
            "actual_velocity": course[1, 1],
            "actual_torque": _read_only(torque * state.servo_on),
            "following_error": _read_only(error),
            "remaining": _read_only(np.maximum(self._ends_at - time, 0.0)),
        }


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
