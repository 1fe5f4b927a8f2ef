"""The state of all axes as arrays, so that reading 128 axes costs little more than reading 2.

Each `axis.Axis` writes its own column when something changes; `read` evaluates all columns at
one time. What moves is a polynomial of time, so it stays true without being written, until an axis
has something to do itself (`next_event`).

The arrays lie one after the other in memory that other processes can map: `shared_state_reader`
reads them there. A sequence lock guards them: `writing` makes the sequence odd while they change.
"""

import mmap
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...values import EmergencyStop, EngineState, MotionStatus, OperationState
from ..clock import Instant
from .curve import FADED

NO_EMERGENCY_STOP = -1
_LEVELS = {NO_EMERGENCY_STOP: None} | {int(level): level for level in EmergencyStop}
_FLAGS = "servo_on", "servo_offline", "amp_alarm", "following_error_alarm", "home_done"
_INTS = "alarm_code", "op_state", "command_mode"
_TORQUE = "inertia", "coulomb", "viscous", "creep", "static_torque"
_MARKS = "positive_ls", "negative_ls", "home_switch_low", "home_switch_high"
_HEAD = 16
"""Bytes of `sequence` and `version`, which come before what they are about."""
_FLOATS = ("start", "rate", "next_event", "settled_at", "target", "ends_at", *_TORQUE, *_MARKS)


def layout(axes: int) -> "np.dtype[Any]":
    """The memory of `axes` axes; the widest elements come first, so all are aligned."""
    return np.dtype(
        [
            ("sequence", np.int64),
            ("version", np.int64),
            ("engine_state", np.int64),
            ("emergency_stop", np.int64),
            ("next_due", np.float64),
            ("course", np.float64, (5, 2, axes)),
            *((name, np.float64, (axes,)) for name in _FLOATS),
            *((name, np.int32, (axes,)) for name in _INTS),
            *((name, np.bool_, (axes,)) for name in _FLAGS),
        ]
    )


class SharedState:
    """One column per axis; times in engine seconds, lengths in user units."""

    def __init__(self, record: NDArray[Any]) -> None:
        """In the memory of `record`, an array of shape () and dtype `layout(axes)`."""
        self.record = record
        self.sequence: NDArray[np.int64] = record["sequence"]
        """Odd while the shared state is being written, and another one each time, shape ()."""
        self.version: NDArray[np.int64] = record["version"]
        """Another one after each writing that has changed anything, shape ()."""
        self.course = record["course"]
        """What each axis does at the moment, q0 + q1 s + q2 s^2 + q3 s^3 + d exp(-rate s) as
        in `curve`: shape (5, 2, axes), first q0 to q3 and d, then command and following error."""
        self.start = record["start"]
        """When s is zero."""
        self.rate = record["rate"]
        self.next_due: NDArray[np.float64] = record["next_due"]
        """When the engine has something to do that is not an axis's own, shape ()."""
        self.next_event = record["next_event"]
        """When an axis itself has something to do, such as the end of a segment."""
        self.settled_at = record["settled_at"]
        """When the motor is in position after its last motion; inf while that goes on."""
        self.target = record["target"]
        """Where the profile that an axis follows ends; NaN where it has no end."""
        self.ends_at = record["ends_at"]
        """When it ends; inf where it does not."""
        self.inertia = record["inertia"]
        """Percent of rated torque per u/s^2."""
        self.coulomb = record["coulomb"]
        """Percent of rated torque."""
        self.viscous = record["viscous"]
        """Percent of rated torque per u/s."""
        self.creep = record["creep"]
        """Speed below which Coulomb friction fades, u/s."""
        self.static_torque = record["static_torque"]
        """Percent of rated torque that moves nothing."""
        self.positive_ls = record["positive_ls"]
        """Position beyond which the positive limit switch is on; likewise the negative one."""
        self.negative_ls = record["negative_ls"]
        self.home_switch_low = record["home_switch_low"]
        """Position from which, up to the high one, the home switch is on."""
        self.home_switch_high = record["home_switch_high"]
        self.servo_on = record["servo_on"]
        self.servo_offline = record["servo_offline"]
        self.amp_alarm = record["amp_alarm"]
        self.alarm_code = record["alarm_code"]
        self.following_error_alarm = record["following_error_alarm"]
        self.home_done = record["home_done"]
        self.op_state = record["op_state"]
        self.command_mode = record["command_mode"]

    def read(self, instant: Instant) -> MotionStatus:
        """Every axis at `instant`, by which nothing may be due any more."""
        return MotionStatus(time=instant.steady, cycle=instant.cycle, **self.values(instant.time))

    def values(self, time: float) -> dict[str, Any]:
        """What MotionStatus holds at engine time `time`, beside its own `time` and `cycle`."""
        q0, q1, q2, q3, d = self.course
        s = time - self.start
        faded = self.rate * s
        decay = d * np.exp(-faded) * (faded < FADED)
        falling = self.rate * decay
        position, error = q0 + s * (q1 + s * (q2 + s * q3)) + decay
        velocity, error_rate = q1 + s * (2.0 * q2 + s * (3.0 * q3)) - falling
        acceleration, error_change = 2.0 * q2 + s * (6.0 * q3) + self.rate * falling
        actual_position = position - error
        actual_velocity = velocity - error_rate
        torque = (
            self.inertia * (acceleration - error_change)
            + self.coulomb * np.tanh(actual_velocity / self.creep)
            + self.viscous * actual_velocity
            + self.static_torque
        )
        at_rest = self.op_state == OperationState.IDLE
        arrays: dict[str, NDArray[Any]] = {
            "servo_on": self.servo_on.copy(),
            "servo_offline": self.servo_offline.copy(),
            "amp_alarm": self.amp_alarm.copy(),
            "alarm_code": self.alarm_code.copy(),
            "following_error_alarm": self.following_error_alarm.copy(),
            "home_done": self.home_done.copy(),
            "home_switch": (actual_position >= self.home_switch_low)
            & (actual_position <= self.home_switch_high),
            "negative_ls": actual_position < self.negative_ls,
            "positive_ls": actual_position > self.positive_ls,
            "motion_complete": at_rest & (time >= self.settled_at),
            "op_state": self.op_state.copy(),
            "command_mode": self.command_mode.copy(),
            "pos_cmd": position,
            "velocity_cmd": velocity,
            "actual_pos": actual_position,
            "actual_velocity": actual_velocity,
            "actual_torque": torque * self.servo_on,
            "following_error": error,
            "target": np.where(at_rest, nan, self.target),
            "remaining": np.where(at_rest, 0.0, np.maximum(self.ends_at - time, 0.0)),
        }
        for array in arrays.values():
            array.setflags(write=False)
        return {
            "engine_state": EngineState(int(self.record["engine_state"])),
            "emergency_stop": _LEVELS[int(self.record["emergency_stop"])],
            **arrays,
        }

    def still_from(self) -> float:
        """From when on `values` are the same for ever, unless it is written; inf for never.

        No axis moves then, what fades has faded, who is to be in position is, and what ends by
        itself has ended.
        """
        if self.course[1:4].any():
            return inf
        # One time constant more, so that rounding leaves no decay unfinished.
        faded = (self.start + (FADED + 1.0) / self.rate)[self.course[4].any(axis=0)]
        settled = self.settled_at[self.settled_at < inf]
        ended = self.ends_at[self.ends_at < inf]
        return float(max(moment.max(initial=-inf) for moment in (faded, settled, ended)))

    def next_axis(self) -> tuple[int, float]:
        """The axis that has something to do first, and when."""
        axis = int(self.next_event.argmin())
        return axis, float(self.next_event[axis])

    def first_due(self) -> float:
        """When the engine has something to do, whatever it is."""
        return min(self.next_axis()[1], float(self.next_due))


class OwnedState(SharedState):
    """The one that the engine writes, in memory that other processes may map through `fd`."""

    def __init__(self, axes: int) -> None:
        size = layout(axes).itemsize
        self.fd = os.memfd_create("wmx-fake-shared state")
        weakref.finalize(self, os.close, self.fd)
        os.ftruncate(self.fd, size)
        self._memory = mmap.mmap(self.fd, size)
        super().__init__(np.ndarray((), layout(axes), self._memory))
        self.record["emergency_stop"] = NO_EMERGENCY_STOP
        self.next_due[...] = np.inf
        self.next_event[:] = np.inf
        self.servo_offline[:] = True
        self.creep[:] = 1.0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Readers in other processes wait meanwhile."""
        self.sequence += 1
        before = self._memory[_HEAD:]
        try:
            yield
        finally:
            self.version += self._memory[_HEAD:] != before
            self.sequence += 1
