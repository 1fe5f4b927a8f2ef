"""The parameters of `joint_position_controller`, and what they mean for a stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...node_base.common_parameters import JointParameters
from ...node_base.parameters import parameter
from ...robots.joint_layout import per_joint
from .stream_moves import StreamRules

REFUSE, APPROACH = "refuse", "approach"
"""The two ways to treat a message that asks joints to go further than they may in its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPositionParameters(JointParameters):
    """The parameters of `joint_position_controller`."""

    joint_trajectory_topic: str = parameter(
        "movensys_manipulator_arm_controller/joint_trajectory", "where the stream comes from"
    )
    joint_commands_topic: str = parameter(
        "", "JointState to follow instead, of ros2_control's hardware on topics; empty: none"
    )
    joint_commands_time: float = parameter(
        0.01,
        "when joints are to be where a message of joint_commands_topic asks, s after it was sent",
        (1e-3, 1.0),
        changeable=True,
    )
    execution_active_topic: str = parameter(
        "moveit2_trajectory/execution_active",
        "where it is said that a planned trajectory runs; empty: nowhere",
    )
    default_velocity: float = parameter(
        0.5,
        "velocity where time_from_start is 0, u/s",
        (1e-6, 1e6),
        changeable=True,
    )
    accel_ratio: float = parameter(
        0.3,
        "share of the time that a move looks ahead that goes into reaching its velocity",
        (0.01, 1.0),
        changeable=True,
    )
    min_step: float = parameter(
        0.001,
        "joints at rest are left alone within this of the target, u",
        (0.0, 1e6),
        changeable=True,
    )
    bridge_time: float = parameter(
        0.03, "how long the arm goes on when a message is late, s", (0.0, 1.0), changeable=True
    )
    stop_time: float = parameter(
        0.1, "how long it then takes to come to rest, s", (0.001, 10.0), changeable=True
    )
    start_tolerance: float = parameter(
        0.01,
        "how much further than it may go in its time a joint may be asked to go, u",
        (0.0, 1e9),
        changeable=True,
    )
    far_setpoint: str = parameter(
        REFUSE,
        "what becomes of a message that asks a joint to go further: it is refused, or approached",
        words=(REFUSE, APPROACH),
        changeable=True,
    )
    approach_velocity: float = parameter(
        0.25,
        "velocity of the joint with the longest way where it is approached, u/s",
        (1e-6, 1e6),
        changeable=True,
    )
    late_start: float = parameter(
        1.0, "how far past a message's stamp may be, s", (0.0, 3600.0), changeable=True
    )
    stream_timeout: float = parameter(
        0.2, "the arm stops when no message has come for so long, s", (0.01, 10.0)
    )
    velocity_limit: tuple[float, ...] = parameter(
        (), "greatest speed of all joints or each, u/s; 0 or empty: none", (0.0, 1e15)
    )
    acceleration_limit: tuple[float, ...] = parameter(
        (),
        "greatest acceleration of all joints or each, u/s^2; 0 or empty: its speed in stop_time",
        (0.0, 1e15),
    )
    unlimited_velocity: float = parameter(
        5.0,
        "a message that asks a joint without velocity_limit for a greater speed is refused, u/s",
        (1e-6, 1e15),
        changeable=True,
    )

    def __post_init__(self) -> None:
        JointParameters.__post_init__(self)
        self.rules()

    def rules(self) -> StreamRules:
        """How the stream is followed."""
        count = len(self.layout().axes)
        limits = np.array(per_joint(self.velocity_limit, count, "velocity_limit", 0.0))
        hardest = np.array(per_joint(self.acceleration_limit, count, "acceleration_limit", 0.0))
        return StreamRules(
            default_velocity=self.default_velocity,
            accel_ratio=self.accel_ratio,
            min_step=self.min_step,
            top_speed=np.where(limits > 0.0, limits, np.inf),
            unlimited_speed=self.unlimited_velocity,
            top_acceleration=np.where(hardest > 0.0, hardest, np.inf),
            start_tolerance=self.start_tolerance,
            approach_speed=self.approach_velocity if self.far_setpoint == APPROACH else 0.0,
            bridge_time=self.bridge_time,
            stop_time=self.stop_time,
        )
