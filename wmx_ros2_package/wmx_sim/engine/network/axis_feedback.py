"""The feedback that drives have of their axes, from the status and parameters of the motion part.

The drive counts encoder counts in its own direction:

    counts = user units * gear ratio numerator / denominator * polarity
"""

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
    return lambda axis: axis_feedback(axis, motion.status(), motion.parameters().axis(axis))


def axis_feedback(axis: int, status: MotionStatus, p: AxisParameters) -> AxisFeedback:
    """Return the feedback of one axis at the time of `status`."""
    counts_per_unit = p.polarity * p.gear_ratio_numerator / p.gear_ratio_denominator
    mode = CommandMode(status.command_mode[axis])
    torque = status.actual_torque.item(axis) * p.polarity
    return AxisFeedback(
        servo_on=bool(status.servo_on[axis]),
        alarm_code=int(status.alarm_code[axis]),
        amp_alarm=bool(status.amp_alarm[axis]),
        following_error_alarm=bool(status.following_error_alarm[axis]),
        command_mode=mode,
        position_demand=status.pos_cmd.item(axis) * counts_per_unit,
        position_actual=status.actual_pos.item(axis) * counts_per_unit,
        following_error=status.following_error.item(axis) * counts_per_unit,
        velocity_demand=status.velocity_cmd.item(axis) * counts_per_unit,
        velocity_actual=status.actual_velocity.item(axis) * counts_per_unit,
        torque_demand=torque if mode is CommandMode.TORQUE else 0.0,
        torque_actual=torque,
        max_torque=p.max_torque_limit,
        max_motor_speed=p.max_motor_speed,
        negative_limit=bool(status.negative_ls[axis]),
        positive_limit=bool(status.positive_ls[axis]),
        home_switch=bool(status.home_switch[axis]),
    )
