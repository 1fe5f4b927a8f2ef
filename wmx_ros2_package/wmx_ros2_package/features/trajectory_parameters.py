"""The parameters of a server of trajectories, and what they mean for its goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..drivers.values import Floats
from ..node.parameters import parameter
from ..robots.joint_layout import JointLayout, joint_layout, per_joint
from ..trajectories.check import named
from ..trajectories.goal import Goal, Joints, JointTolerance, Rules
from ..trajectories.setting import Demands
from ..trajectories.tolerances import Tolerances, time_tolerance, tolerances


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowJointTrajectoryParameters:
    """Of `follow_joint_trajectory_server`."""

    joint_number: int = parameter(6, "joints on axes 0 to joint_number - 1", (1, 128))
    joint_axes: tuple[int, ...] = parameter((), "axis of each joint, instead of joint_number")
    joint_name: tuple[str, ...] = parameter(
        (), "name of each joint; empty: joint1, joint2 and so on"
    )
    joint_trajectory_action: str = parameter(
        "movensys_manipulator_arm_controller/follow_joint_trajectory", "name of the action"
    )
    preempt: bool = parameter(True, "a goal preempts the one that runs; else it is rejected")
    allow_partial_joints_goal: bool = parameter(False, "a goal may leave joints out")
    allow_unnamed_joints: bool = parameter(False, "a goal may leave out the names of the joints")
    start_tolerance: float = parameter(
        0.01, "how far from the first point the joints may be at the start, u", (0.0, 1e9)
    )
    spline_tolerance: float = parameter(
        1e-4, "how far from the goal's curve the engine's spline may be, u", (1e-9, 1e9)
    )
    position_lower: tuple[float, ...] = parameter(
        (), "least position of all joints or each, u; empty: none"
    )
    position_upper: tuple[float, ...] = parameter((), "greatest position, likewise")
    velocity_limit: tuple[float, ...] = parameter(
        (), "greatest speed, likewise, u/s; 0: none", (0.0, 1e15)
    )
    path_tolerance: tuple[float, ...] = parameter(
        (), "position tolerance on the way where a goal has none, u; 0: any", (0.0, 1e15)
    )
    path_velocity_tolerance: tuple[float, ...] = parameter((), "likewise, u/s", (0.0, 1e15))
    goal_tolerance: tuple[float, ...] = parameter(
        (0.01,), "position tolerance at the end where a goal has none, u; 0: any", (0.0, 1e15)
    )
    stopped_velocity_tolerance: tuple[float, ...] = parameter(
        (0.01,), "velocity at the end that counts as rest, u/s; 0: any", (0.0, 1e15)
    )
    goal_time_tolerance: float = parameter(
        5.0, "how late the joints may settle where a goal does not say, s", (0.0, 3600.0)
    )
    goal_timeout: float = parameter(
        60.0, "how late they may settle whatever a goal says, s", (0.0, 3600.0)
    )
    late_start: float = parameter(1.0, "how far past a goal's stamp may be, s", (0.0, 3600.0))
    early_goal: float = parameter(60.0, "how far ahead a goal's stamp may be, s", (0.0, 86400.0))
    feedback_rate: float = parameter(20.0, "feedback messages a second, Hz", (0.1, 200.0))
    state_publish_rate: float = parameter(
        50.0, "~/controller_state messages a second, Hz", (0.1, 500.0)
    )
    execution_active_topic: str = parameter(
        "moveit2_trajectory/execution_active", "whether a trajectory runs; empty: none"
    )
    joint_jog_topic: str = parameter(
        "servo_node/delta_joint_cmds", "a JointJog of zero at the end of each; empty: none"
    )

    def __post_init__(self) -> None:
        self.joints()
        for name in (
            "path_tolerance",
            "path_velocity_tolerance",
            "goal_tolerance",
            "stopped_velocity_tolerance",
        ):
            self.of_joints(name)

    def layout(self) -> JointLayout:
        """The joints and their axes."""
        return joint_layout(self.joint_number, self.joint_axes, self.joint_name)

    def of_joints(self, name: str, missing: float = 0.0) -> Floats:
        """The parameter `name`, one number for each joint."""
        count = len(self.layout().axes)
        return np.array(per_joint(getattr(self, name), count, name, missing))

    def joints(self) -> Joints:
        """The joints with their limits."""
        layout = self.layout()
        speed = self.of_joints("velocity_limit")
        return Joints(
            names=layout.names,
            axes=layout.axes,
            lower=self.of_joints("position_lower", -np.inf),
            upper=self.of_joints("position_upper", np.inf),
            top_speed=np.where(speed > 0.0, speed, np.inf),
        )

    def rules(self) -> Rules:
        """What goals may ask for."""
        return Rules(
            start_tolerance=self.start_tolerance,
            spline_tolerance=self.spline_tolerance,
            allow_partial=self.allow_partial_joints_goal,
            allow_unnamed=self.allow_unnamed_joints,
            late_start=self.late_start,
            early_goal=self.early_goal,
        )

    def demands(self, goal: Goal) -> Demands:
        """How well `goal` is to be followed."""
        joints = self.joints()
        names = tuple(named(goal, joints))
        columns = list(joints.columns(names))

        def chosen(given: Sequence[JointTolerance], position: str, velocity: str) -> Tolerances:
            return tolerances(
                names, given, self.of_joints(position)[columns], self.of_joints(velocity)[columns]
            )

        return Demands(
            path=chosen(goal.path_tolerance, "path_tolerance", "path_velocity_tolerance"),
            goal=chosen(goal.goal_tolerance, "goal_tolerance", "stopped_velocity_tolerance"),
            settling=time_tolerance(
                goal.goal_time_tolerance, self.goal_time_tolerance, self.goal_timeout
            ),
        )
