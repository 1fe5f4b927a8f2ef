"""The status of all axes at any time, as arrays: sums of its own, not by `curve`.

A call of numpy costs a microsecond, and several where caches are cold, however many axes there are.
So there are few: what is the same at any time is computed once, and what changes as one sum, whose
coefficients are computed once. `Evaluation` is that sum, of one cycle or of many; `Reading` makes
of it what a status holds.
"""

from collections.abc import Callable
from math import nan
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wmx_core.values import (
    EmergencyStop,
    EngineState,
    Flags,
    Floats,
    MotionStatus,
    OperationState,
)

from ..clock import Instant
from .curve import FADED
from .shared_state import NO_EMERGENCY_STOP, OwnedState, SharedState

_LEVELS = {NO_EMERGENCY_STOP: None} | {int(level): level for level in EmergencyStop}
_AS_WRITTEN = (
    *("servo_on", "servo_offline", "amp_alarm", "alarm_code", "following_error_alarm"),
    *("home_done", "op_state", "command_mode"),
)
_EVALUATED = (
    *("course", "start", "rate", "inertia", "coulomb", "viscous", "creep", "static_torque"),
    *("servo_on", "op_state", "settled_at", "ends_at", "home_switch_low", "home_switch_high"),
    *("positive_ls", "negative_ls", "positive_soft_limit", "negative_soft_limit"),
)
SUMS = (
    *("pos_cmd", "actual_pos", "velocity_cmd", "actual_velocity"),
    *("following_error", "actual_torque"),
)
"""What `Evaluation` gives of each axis as a number, in its order, by its name in MotionStatus."""
SWITCHES = (
    *("negative_soft_limit", "negative_ls", "positive_soft_limit", "positive_ls"),
    *("home_switch", "motion_complete"),
)
"""What it gives of each axis that is on or off."""
_POWERS = np.array([1.0, 2.0, 3.0]).reshape(3, 1, 1, 1)


class Evaluation:
    """What changes by itself, at one time or at many: the same sums in the same order."""

    def __init__(self, states: SharedState, cycles: int = 1) -> None:
        """Of `columns` of one state, or of one for each of the `cycles` that are asked for."""
        self._states = states
        self._coefficients = coefficients(states)
        self._basis = np.ones((5, 1, len(states.start), cycles))
        """1, s, s^2, s^3 and exp(-rate s) of each axis at each cycle."""
        self._falling = -states.rate
        self._coulomb = states.coulomb * states.servo_on
        self._rubs = bool(self._coulomb.any())
        self._low = np.array([states.negative_soft_limit, states.negative_ls])
        self._high = np.array([states.positive_soft_limit, states.positive_ls])
        self._at_rest = states.op_state == OperationState.IDLE
        self._ends_at = np.where(self._at_rest, -np.inf, states.ends_at)

    def at(self, time: float | Floats) -> tuple[Floats, Flags, Floats]:
        """Return SUMS and SWITCHES, (6, axes, cycles), and what remains, s, (axes, cycles).

        `time` is the engine time of the cycle, or of each, s, by which nothing may be due any more.
        """
        states, basis = self._states, self._basis
        s, squared, cubed, decay = basis[1:, 0]
        np.subtract(time, states.start, out=s)
        np.multiply(s, s, out=squared)
        np.multiply(squared, s, out=cubed)
        fading = self._falling * s
        np.multiply(np.exp(fading), fading > -FADED, out=decay)
        sums: Floats = np.add.reduce(self._coefficients * basis)
        if self._rubs:
            sums[5] += self._coulomb * np.tanh(sums[3] / states.creep)
        switches = np.empty(sums.shape, np.bool_)
        np.less(sums[:2], self._low, out=switches[:2])
        np.greater(sums[:2], self._high, out=switches[2:4])
        np.greater_equal(sums[1], states.home_switch_low, out=switches[4])
        switches[4] &= sums[1] <= states.home_switch_high
        np.logical_and(self._at_rest, time >= states.settled_at, out=switches[5])
        return sums, switches, np.maximum(self._ends_at - time, 0.0)


class Reading:
    """What MotionStatus holds of `state`, beside what it has of its cycle.

    Switches that stay as they are stay one array: a caller that compares them finds at once that
    nothing has changed.
    """

    def __init__(self, state: SharedState) -> None:
        self._evaluation = Evaluation(columns(state))
        self._switches = b""
        self._switched: dict[str, Any] = {}
        self._lasting = lasting(state)

    def at(self, time: float) -> dict[str, Any]:
        """Return all of it at engine time `time`, by which nothing may be due any more."""
        sums, switches, remaining = self._evaluation.at(time)
        if (now := switches.tobytes()) != self._switches:
            self._switches = now
            self._switched = dict(zip(SWITCHES, read_only(switches[..., 0]), strict=True))
        return {
            **self._lasting,
            **self._switched,
            **dict(zip(SUMS, read_only(sums[..., 0]), strict=True)),
            "remaining": read_only(remaining[:, 0]),
        }


class StatusReader:
    """Reads a status again and again; what is the same at any time once for each state."""

    def __init__(self, state: OwnedState) -> None:
        self._state = state
        self._read = b""
        """The state of which `_reading` is."""
        self._reading: Reading

    def at(self, now: Instant) -> MotionStatus:
        """Return every axis at `now`, by which nothing may be due any more."""
        if (state := self._state.state()) != self._read:
            self._read, self._reading = state, Reading(self._state)
        values = self._reading.at(now.time)
        return MotionStatus(time=now.steady, cycle=now.cycle, clock_rate=now.rate, **values)


def named(sums: Floats, switches: Flags, remaining: Floats) -> dict[str, NDArray[Any]]:
    """Return what was evaluated by its names in MotionStatus, each (cycles, axes)."""
    return {
        **{name: found.T for name, found in zip(SUMS, sums, strict=True)},
        **{name: found.T for name, found in zip(SWITCHES, switches, strict=True)},
        "remaining": remaining.T,
    }


def lasting(state: SharedState) -> dict[str, Any]:
    """Return what MotionStatus holds of `state` at any time."""
    at_rest = state.op_state == OperationState.IDLE
    return {
        "engine_state": EngineState(int(state.engine_state)),
        "emergency_stop": _LEVELS[int(state.emergency_stop)],
        "target": read_only(np.where(at_rest, nan, state.target)),
        **{name: read_only(getattr(state, name).copy()) for name in _AS_WRITTEN},
    }


def columns(state: SharedState) -> SharedState:
    """Return what `Evaluation` takes of one state, columns (..., axes, 1) of its memory."""
    return columns_of(lambda name: getattr(state, name)[..., np.newaxis])


def columns_of(column: Callable[[str], NDArray[Any]]) -> SharedState:
    """Return what `Evaluation` takes: columns (..., axes, states), by their names."""
    return cast(SharedState, SimpleNamespace(**{name: column(name) for name in _EVALUATED}))


def coefficients(states: SharedState) -> NDArray[np.float64]:
    """Return what the basis is multiplied with, by its element, sum, axis and state."""
    course, falling = states.course, -states.rate
    found = np.zeros((5, len(SUMS), *falling.shape))
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
    torque *= states.inertia
    torque += states.viscous * motor
    torque[0] += states.static_torque
    torque *= states.servo_on
    return found


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array`, of which nothing can be written any more."""
    array.setflags(write=False)
    return array
