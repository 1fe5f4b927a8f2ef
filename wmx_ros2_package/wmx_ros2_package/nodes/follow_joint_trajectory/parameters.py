"""The parameters of a server of trajectories, and what they mean for its goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wmx_core.values import Floats

from ...node_base.common_parameters import JointParameters
from ...node_base.parameters import parameter
from ...robots.catalogue import USUAL_ACTION
from ...robots.gripper import require_address
from ...robots.joint_layout import per_joint
from ...trajectories import tolerances
from ...trajectories.goal import STOPPING_TIME, Goal, Joints, JointTolerance, Rules
from ...trajectories.goal_rules import named
from ...trajectories.tolerances import GoalTolerances, Tolerances, time_tolerance

PREEMPT, APPEND = "preempt", "append"
"""What a chunk does to the one before it."""
STILL_VELOCITY = 0.01
"""u/s, where no tolerance is given: the default of joint_trajectory_controller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowJointTrajectoryParameters(JointParameters):
    """The parameters of `follow_joint_trajectory_server`."""

    joint_trajectory_action: str = parameter(USUAL_ACTION, "name of the action")
    joint_trajectory_topic: str = parameter(
        "~/joint_trajectory", "where trajectories arrive that have no answer, as those of a stream"
    )
    chunk_topic: str = parameter(
        "~/joint_trajectory_chunk", "where chunks of a stream arrive; empty: nowhere"
    )
    chunk_mode: str = parameter(
        PREEMPT,
        "what a chunk does to the one before it: its points replace what is later, or follow",
        words=(PREEMPT, APPEND),
        changeable=True,
    )
    chunk_acceleration: float = parameter(
        10.0, "greatest acceleration of a joint by a chunk, u/s^2", (1e-3, 1e15), changeable=True
    )
    chunk_timeout: float = parameter(
        1.0, "a stream of chunks that was stopped has to pause for so long, s", (0.01, 60.0)
    )
    preempt: bool = parameter(True, "a goal preempts the one that runs; else it is rejected")
    allow_nonzero_velocity_at_trajectory_end: bool = parameter(
        False, "a goal of the action may end in motion, as those of the topic may"
    )
    stopping_time: float = parameter(
        STOPPING_TIME,
        "how long what ends in motion takes to rest, s; a stop that takes longer is a quick stop",
        (0.01, 10.0),
    )
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
    position_upper: tuple[float, ...] = parameter((), "greatest position of each joint, u")
    velocity_limit: tuple[float, ...] = parameter(
        (), "greatest speed of each joint, u/s; 0: none", (0.0, 1e15)
    )
    acceleration_limit: tuple[float, ...] = parameter(
        (), "greatest acceleration of all joints or each, u/s^2; 0 or empty: none", (0.0, 1e15)
    )
    unlimited_velocity: float = parameter(
        5.0,
        "how fast trajectories of the topic may be for a joint without velocity_limit, u/s",
        (1e-6, 1e15),
    )
    path_tolerance: tuple[float, ...] = parameter(
        (), "position tolerance on the way where a goal has none, u; 0: any", (0.0, 1e15)
    )
    path_velocity_tolerance: tuple[float, ...] = parameter(
        (), "the same for velocities, u/s", (0.0, 1e15)
    )
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
    parameter_file: str = parameter(
        "",
        "WMX parameter file to load, where no other node does; empty: none",
        aliases={"wmx_param_file_path": 1.0},
    )
    wmx_gripper_topic: str = parameter(
        "", "a service that closes a gripper, for systems without gripper_controller; empty: none"
    )
    gripper_address: tuple[int, ...] = parameter(
        (0, 0), "byte and bit of the output that closes it"
    )
    execution_active_topic: str = parameter(
        "moveit2_trajectory/execution_active", "whether a trajectory runs; empty: none"
    )
    joint_jog_topic: str = parameter(
        "servo_node/delta_joint_cmds", "a JointJog of zero at the end of each; empty: none"
    )

    def __post_init__(self) -> None:
        JointParameters.__post_init__(self)
        self.joints()
        for name in (
            "path_tolerance",
            "path_velocity_tolerance",
            "goal_tolerance",
            "stopped_velocity_tolerance",
        ):
            self.of_joints(name)
        require_address("gripper_address", self.gripper_address)

    def of_joints(self, name: str, missing: float = 0.0) -> Floats:
        """The parameter `name`, one number for each joint."""
        count = len(self.layout().axes)
        return np.array(per_joint(getattr(self, name), count, name, missing))

    def joints(self) -> Joints:
        """The joints with their limits."""
        layout = self.layout()
        speed, hardest = self.of_joints("velocity_limit"), self.of_joints("acceleration_limit")
        return Joints(
            names=layout.names,
            axes=layout.axes,
            lower=self.of_joints("position_lower", -np.inf),
            upper=self.of_joints("position_upper", np.inf),
            top_speed=np.where(speed > 0.0, speed, np.inf),
            top_acceleration=np.where(hardest > 0.0, hardest, np.inf),
        )

    def rules(self, *, stream: bool = False) -> Rules:
        """Return the rules for goals of the action, or for those of a stream."""
        return Rules(
            allow_end_in_motion=stream or self.allow_nonzero_velocity_at_trajectory_end,
            stopping_time=self.stopping_time,
            unlimited_speed=self.unlimited_velocity if stream else np.inf,
            start_tolerance=self.start_tolerance,
            spline_tolerance=self.spline_tolerance,
            still_velocity=max(self.stopped_velocity_tolerance, default=0.0) or STILL_VELOCITY,
            allow_partial=self.allow_partial_joints_goal,
            allow_unnamed=self.allow_unnamed_joints,
            late_start=self.late_start,
            early_goal=self.early_goal,
        )

    def tolerances(self, goal: Goal) -> GoalTolerances:
        """How well `goal` is to be followed."""
        joints = self.joints()
        names = tuple(named(goal, joints))
        columns = list(joints.columns(names))

        def chosen(given: Sequence[JointTolerance], position: str, velocity: str) -> Tolerances:
            return tolerances.tolerances(
                names, given, self.of_joints(position)[columns], self.of_joints(velocity)[columns]
            )

        return GoalTolerances(
            path=chosen(goal.path_tolerance, "path_tolerance", "path_velocity_tolerance"),
            goal=chosen(goal.goal_tolerance, "goal_tolerance", "stopped_velocity_tolerance"),
            settling=time_tolerance(
                goal.goal_time_tolerance, self.goal_time_tolerance, self.goal_timeout
            ),
        )
