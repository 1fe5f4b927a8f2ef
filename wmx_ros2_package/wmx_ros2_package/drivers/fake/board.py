"""The state of all axes as arrays, so that reading 128 axes costs little more than reading 2.

Each `axis.Axis` writes its own column when something changes; `read` evaluates all columns at
one time. What moves is a polynomial of time, so a board stays true without being written, until
an axis has something to do itself (`next_event`).

The arrays lie one after the other in memory that other processes can map: `window` reads them
there. A sequence lock guards them: `writing` makes the sequence odd while they change.
"""

import mmap
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..values import EmergencyStop, EngineState, MotionStatus, OperationState
from .clock import Instant
from .servo import Course, follow

NO_EMERGENCY_STOP = -1
_LEVELS = {NO_EMERGENCY_STOP: None} | {int(level): level for level in EmergencyStop}
_FLAGS = "servo_on", "servo_offline", "amp_alarm", "following_error_alarm", "home_done"
_INTS = "alarm_code", "op_state", "command_mode"
_FLOATS = (*Course._fields, "next_event", "in_pos_width", "gain")
_TORQUE = "inertia", "coulomb", "viscous", "creep"


def layout(axes: int) -> np.dtype[Any]:
    """The memory of a board of `axes` axes; the widest elements come first, so all are aligned."""
    return np.dtype(
        [
            ("sequence", np.int64),
            ("engine_state", np.int64),
            ("emergency_stop", np.int64),
            ("next_due", np.float64),
            *((name, np.float64, (axes,)) for name in _FLOATS + _TORQUE),
            *((name, np.int32, (axes,)) for name in _INTS),
            *((name, np.bool_, (axes,)) for name in _FLAGS),
        ]
    )


class Board:
    """One column per axis; times in engine seconds, lengths in user units."""

    def __init__(self, record: NDArray[Any]) -> None:
        """A board in the memory of `record`, an array of shape () and dtype `layout(axes)`."""
        self.record = record
        self.course = Course(*(record[name] for name in Course._fields))
        self.next_due: NDArray[np.float64] = record["next_due"]
        """When the engine has something to do that is not an axis's own, shape ()."""
        self.next_event = record["next_event"]
        """When an axis itself has something to do, such as the end of a segment."""
        self.servo_on = record["servo_on"]
        self.servo_offline = record["servo_offline"]
        self.amp_alarm = record["amp_alarm"]
        self.alarm_code = record["alarm_code"]
        self.following_error_alarm = record["following_error_alarm"]
        self.home_done = record["home_done"]
        self.op_state = record["op_state"]
        self.command_mode = record["command_mode"]
        self.in_pos_width = record["in_pos_width"]
        self.gain = record["gain"]
        """Position loop gain, 1/s."""
        self.inertia = record["inertia"]
        """Percent of rated torque per u/s^2."""
        self.coulomb = record["coulomb"]
        """Percent of rated torque."""
        self.viscous = record["viscous"]
        """Percent of rated torque per u/s."""
        self.creep = record["creep"]
        """Speed below which Coulomb friction fades, u/s."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Readers in other processes wait meanwhile."""
        self.record["sequence"] += 1
        try:
            yield
        finally:
            self.record["sequence"] += 1

    def read(self, instant: Instant) -> MotionStatus:
        """Every axis at `instant`, by which nothing may be due any more."""
        now = follow(self.course, instant.time, self.gain)
        torque = (
            self.inertia * now.actual_acceleration
            + self.coulomb * np.tanh(now.actual_velocity / self.creep)
            + self.viscous * now.actual_velocity
        )
        in_position = np.abs(now.error) <= self.in_pos_width
        no_switch = np.zeros_like(self.servo_on)
        return MotionStatus(
            time=instant.steady,
            cycle=instant.cycle,
            engine_state=EngineState(int(self.record["engine_state"])),
            emergency_stop=_LEVELS[int(self.record["emergency_stop"])],
            servo_on=self.servo_on.copy(),
            servo_offline=self.servo_offline.copy(),
            amp_alarm=self.amp_alarm.copy(),
            alarm_code=self.alarm_code.copy(),
            following_error_alarm=self.following_error_alarm.copy(),
            home_done=self.home_done.copy(),
            home_switch=no_switch,
            negative_ls=no_switch,
            positive_ls=no_switch,
            motion_complete=(self.op_state == OperationState.IDLE) & in_position,
            op_state=self.op_state.copy(),
            command_mode=self.command_mode.copy(),
            pos_cmd=now.position,
            velocity_cmd=now.velocity,
            actual_pos=now.position - now.error,
            actual_velocity=now.actual_velocity,
            actual_torque=torque * self.servo_on,
            following_error=now.error,
        )

    def due(self, time: float) -> NDArray[np.intp]:
        """The axes that have something to do at or before `time`."""
        return np.flatnonzero(self.next_event <= time)


class OwnBoard(Board):
    """A board that its engine writes, in memory that other processes may map through `fd`."""

    def __init__(self, axes: int) -> None:
        size = layout(axes).itemsize
        self.fd = os.memfd_create("wmx-fake-board")
        weakref.finalize(self, os.close, self.fd)
        os.ftruncate(self.fd, size)
        super().__init__(np.ndarray((), layout(axes), mmap.mmap(self.fd, size)))
        self.record["emergency_stop"] = NO_EMERGENCY_STOP
        self.next_due[...] = np.inf
        self.next_event[:] = np.inf
        self.servo_offline[:] = True
        for divisor in (self.gain, self.creep, self.course.feedforward):
            divisor[:] = 1.0
