"""The feedback that drives have of their axes, from the status and parameters of the motion part.

The drive counts encoder counts in its own direction:

    counts = user units * gear ratio numerator / denominator * polarity
"""

from dataclasses import dataclass
from typing import Protocol

from wmx_ros2_package.drivers.parameters.axis_parameters import AxisParameters
from wmx_ros2_package.drivers.parameters.parameter_set import ParameterSet
from wmx_ros2_package.drivers.values import CommandMode, MotionStatus

from .cia402 import AxisFeedback, FeedbackSource


class Motion(Protocol):
    """The part of `interface.Motion` that is needed here."""

    def status(self) -> MotionStatus: ...
    def parameters(self) -> ParameterSet: ...


def feedback_of(motion: Motion) -> FeedbackSource:
    """Return the feedback of every axis of `motion`."""

    def feedback(axis: int) -> AxisFeedback:
        return StatusFeedback(axis, motion.status(), motion.parameters().axis(axis))

    return feedback


@dataclass(frozen=True, slots=True)
class StatusFeedback:
    """A `cia402.AxisFeedback` of one axis at the time of a status."""

    axis: int
    status: MotionStatus
    parameters: AxisParameters

    @property
    def servo_on(self) -> bool:
        return bool(self.status.servo_on[self.axis])

    @property
    def alarm_code(self) -> int:
        return int(self.status.alarm_code[self.axis])

    @property
    def amp_alarm(self) -> bool:
        return bool(self.status.amp_alarm[self.axis])

    @property
    def following_error_alarm(self) -> bool:
        return bool(self.status.following_error_alarm[self.axis])

    @property
    def command_mode(self) -> CommandMode:
        return CommandMode(self.status.command_mode[self.axis])

    @property
    def position_demand(self) -> float:
        return self.status.pos_cmd.item(self.axis) * self._counts_per_unit

    @property
    def position_actual(self) -> float:
        return self.status.actual_pos.item(self.axis) * self._counts_per_unit

    @property
    def following_error(self) -> float:
        return self.status.following_error.item(self.axis) * self._counts_per_unit

    @property
    def velocity_demand(self) -> float:
        return self.status.velocity_cmd.item(self.axis) * self._counts_per_unit

    @property
    def velocity_actual(self) -> float:
        return self.status.actual_velocity.item(self.axis) * self._counts_per_unit

    @property
    def torque_demand(self) -> float:
        return self.torque_actual if self.command_mode is CommandMode.TORQUE else 0.0

    @property
    def torque_actual(self) -> float:
        return self.status.actual_torque.item(self.axis) * self.parameters.polarity

    @property
    def max_torque(self) -> float:
        return self.parameters.max_torque_limit

    @property
    def max_motor_speed(self) -> float:
        return self.parameters.max_motor_speed

    @property
    def negative_limit(self) -> bool:
        return bool(self.status.negative_ls[self.axis])

    @property
    def positive_limit(self) -> bool:
        return bool(self.status.positive_ls[self.axis])

    @property
    def home_switch(self) -> bool:
        return bool(self.status.home_switch[self.axis])

    @property
    def _counts_per_unit(self) -> float:
        """Signed."""
        p = self.parameters
        return p.polarity * p.gear_ratio_numerator / p.gear_ratio_denominator
