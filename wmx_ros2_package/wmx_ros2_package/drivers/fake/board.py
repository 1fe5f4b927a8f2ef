"""The state of all axes as arrays, so that reading 128 axes costs little more than reading 2.

Each `axis.Axis` writes its own column when something changes; `read` evaluates all columns at
one time.
"""

import numpy as np
from numpy.typing import NDArray

from ..values import EngineState, MotionStatus, OperationState
from .clock import Instant
from .servo import Course, follow


class Board:
    """One column per axis; times in engine seconds, lengths in user units."""

    def __init__(self, axes: int) -> None:
        self.course = Course.resting(axes)
        self.next_event = np.full(axes, np.inf)
        """When an axis itself has something to do, such as the end of a segment."""
        self.servo_on = np.zeros(axes, dtype=bool)
        self.servo_offline = np.ones(axes, dtype=bool)
        self.amp_alarm = np.zeros(axes, dtype=bool)
        self.alarm_code = np.zeros(axes, dtype=np.int32)
        self.home_done = np.zeros(axes, dtype=bool)
        self.op_state = np.zeros(axes, dtype=np.int32)
        self.command_mode = np.zeros(axes, dtype=np.int32)
        self.in_pos_width = np.zeros(axes)
        self.gain = np.ones(axes)
        """Position loop gain, 1/s."""
        self.inertia = np.zeros(axes)
        """Percent of rated torque per u/s^2."""
        self.coulomb = np.zeros(axes)
        """Percent of rated torque."""
        self.viscous = np.zeros(axes)
        """Percent of rated torque per u/s."""
        self.creep = np.ones(axes)
        """Speed below which Coulomb friction fades, u/s."""

    def read(self, instant: Instant, engine_state: EngineState) -> MotionStatus:
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
            engine_state=engine_state,
            servo_on=self.servo_on.copy(),
            servo_offline=self.servo_offline.copy(),
            amp_alarm=self.amp_alarm.copy(),
            alarm_code=self.alarm_code.copy(),
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
