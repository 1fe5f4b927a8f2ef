"""Trajectories of an arm: the action that MoveIt 2 sends them to, and a topic likewise."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from trajectory_msgs.msg import JointTrajectory

from ..drivers.values import Floats, MotionStatus
from ..features.controller_state import ControllerState
from ..features.execution_active import ExecutionActive
from ..features.trajectory_leader import TrajectoryLeader
from ..joint_layout import JointLayout, joint_layout, per_joint
from ..node.actions import serve_action
from ..node.context import NodeContext
from ..node.kind import NodeKind
from ..node.parameters import parameter
from ..node.refusals import NotReady
from ..node.runner import run
from ..trajectories.check import named
from ..trajectories.execution import Execution
from ..trajectories.goal import Goal, Joints, JointTolerance, Rules
from ..trajectories.outcome import Ending, Outcome
from ..trajectories.setting import Demands
from ..trajectories.tolerances import Tolerances, time_tolerance, tolerances
from ..trajectory_messages import (
    actual_point,
    commanded_point,
    error_point,
    goal_of_action,
    goal_of_trajectory,
    stamp,
)

if TYPE_CHECKING:
    from ..node.actions import GoalHandle

Result = FollowJointTrajectory.Result
Report = Callable[[Execution, MotionStatus, float], None]
CODES = {
    Ending.SUCCEEDED: Result.SUCCESSFUL,
    Ending.CANCELED: Result.SUCCESSFUL,
    Ending.PREEMPTED: Result.INVALID_GOAL,
    Ending.NOT_STARTED: Result.INVALID_GOAL,
    Ending.OFF_PATH: Result.PATH_TOLERANCE_VIOLATED,
    Ending.OFF_GOAL: Result.GOAL_TOLERANCE_VIOLATED,
}
TOPIC = "~/joint_trajectory"
LAST_WORD = 0.5
"""How long an execution may take to say how it ended once the engine is gone, s."""


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


class FollowJointTrajectoryServer:
    """`follow_joint_trajectory_server`."""

    def __init__(self, node: NodeContext[FollowJointTrajectoryParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._joints = parameters.joints()
        active = ExecutionActive(
            node,
            parameters.execution_active_topic,
            parameters.joint_jog_topic,
            self._joints.names,
        )
        self._leader = TrajectoryLeader(
            node, self._joints, parameters.rules(), active, preempt=parameters.preempt
        )
        ControllerState(
            node,
            self._joints.names,
            self._joints.axes,
            parameters.state_publish_rate,
            self._leader.time_in_plan,
        )
        serve_action(
            node,
            FollowJointTrajectory,
            parameters.joint_trajectory_action,
            judge=self.judge,
            execute=self.execute,
            describe=_describe,
        )
        self._stops = 0
        """How often the topic has stopped the joints."""
        self._queue = node.queue(TOPIC)
        node.listen(JointTrajectory, TOPIC, self.follow)

    async def judge(self, message: Any) -> None:
        """Refuse a goal that cannot be followed; planning takes a while, and keeps its order."""
        goal = self._goal_of(message)
        await self._node.run_in_order(lambda: self._leader.judge(goal))

    async def execute(self, goal_handle: GoalHandle) -> Any:
        """Lead the joints along a goal that was accepted, and wait for its end."""
        goal = self._goal_of(goal_handle.request)
        execution = self._leader.lead(goal, self._demands(goal), self._feedback(goal_handle))

        def over() -> bool:
            if goal_handle.is_cancel_requested:
                execution.cancel()
            return execution.outcome is not None

        try:
            await self._node.until(over)
        except NotReady:  # the execution knows best why
            await self._node.run_in_thread(lambda: execution.ended.wait(LAST_WORD))
        outcome = execution.outcome or Outcome(
            ending=Ending.OFF_PATH, text=self._node.kind.not_ready
        )
        result = Result(error_code=CODES[outcome.ending], error_string=outcome.text)
        if outcome.ending is Ending.SUCCEEDED:
            goal_handle.succeed()
            self._node.say("Trajectory done")
        elif outcome.ending is Ending.CANCELED and goal_handle.is_cancel_requested:
            goal_handle.canceled()
            self._node.say("Trajectory canceled")
        else:
            if outcome.ending is Ending.CANCELED:
                result.error_code = Result.INVALID_GOAL
            goal_handle.abort()
            self._node.say_error(f"Trajectory aborted: {outcome.text}")
        return result

    def follow(self, message: JointTrajectory) -> None:
        """Lead the joints along what came by the topic; without points, stop them."""
        if not message.points:
            self._stops += 1
            self._leader.cancel_all()
            return
        goal = goal_of_trajectory(message, self._node.ros_time_ago(0.0))
        stops = self._stops

        def lead() -> None:
            self._node.require_ready()
            self._leader.judge(goal)
            if self._stops == stops:
                self._lead(goal)

        self._queue(lead)

    def _lead(self, goal: Goal) -> None:
        execution = self._leader.lead(goal, self._demands(goal))

        def say_how_it_ended() -> None:
            execution.ended.wait()
            outcome = execution.outcome
            if outcome is not None and outcome.ending not in (Ending.SUCCEEDED, Ending.PREEMPTED):
                self._node.say_error(f"~/joint_trajectory: {outcome.text}")

        threading.Thread(target=say_how_it_ended, daemon=True).start()

    def _goal_of(self, message: Any) -> Goal:
        return goal_of_action(message, self._node.ros_time_ago(0.0))

    def _demands(self, goal: Goal) -> Demands:
        parameters = self._node.parameters
        names = tuple(named(goal, self._joints))
        columns = list(self._joints.columns(names))

        def chosen(given: Sequence[JointTolerance], position: str, velocity: str) -> Tolerances:
            return tolerances(
                names,
                given,
                parameters.of_joints(position)[columns],
                parameters.of_joints(velocity)[columns],
            )

        return Demands(
            path=chosen(goal.path_tolerance, "path_tolerance", "path_velocity_tolerance"),
            goal=chosen(goal.goal_tolerance, "goal_tolerance", "stopped_velocity_tolerance"),
            settling=time_tolerance(
                goal.goal_time_tolerance, parameters.goal_time_tolerance, parameters.goal_timeout
            ),
        )

    def _feedback(
        self, goal_handle: GoalHandle
    ) -> Callable[[Execution, MotionStatus, float], None]:
        """Publishes feedback, at its rate; called in the thread of the execution."""
        period = 1.0 / self._node.parameters.feedback_rate
        due = time.monotonic()

        def report(execution: Execution, status: MotionStatus, now: float) -> None:
            nonlocal due
            plan = execution.plan
            if plan is None or time.monotonic() < due:
                return
            due = max(due + period, time.monotonic())
            feedback = FollowJointTrajectory.Feedback(
                joint_names=list(plan.names),
                desired=commanded_point(status, plan.axes, now),
                actual=actual_point(status, plan.axes, now),
                error=error_point(status, plan.axes, now),
            )
            if hasattr(feedback, "index"):  # since control_msgs 6.3
                feedback.index = plan.point_at(now)
            sampled = self._node.ros_time_ago(time.monotonic() - status.time)
            feedback.header.stamp = stamp(sampled)
            goal_handle.publish_feedback(feedback)

        return report


def _describe(result: Any, message: str) -> None:
    result.error_code = Result.INVALID_GOAL
    result.error_string = message


FOLLOW_JOINT_TRAJECTORY = NodeKind(
    "follow_joint_trajectory_server",
    FollowJointTrajectoryServer,
    FollowJointTrajectoryParameters,
    not_ready="FollowJointTrajectoryServer not initialized. Engine not ready.",
    moves=True,
)


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(FOLLOW_JOINT_TRAJECTORY)
