"""Trajectories of an arm: the action that MoveIt 2 sends them to, and a topic likewise."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from control_msgs.action import FollowJointTrajectory
from trajectory_msgs.msg import JointTrajectory

from ..drivers.values import MotionStatus
from ..features.controller_state import ControllerState
from ..features.execution_active import ExecutionActive
from ..features.trajectory_leader import Receipt, TrajectoryLeader
from ..features.trajectory_parameters import FollowJointTrajectoryParameters
from ..messages.trajectories import (
    actual_point,
    commanded_point,
    error_point,
    goal_of_action,
    goal_of_trajectory,
    stamp,
)
from ..node.actions import serve_action
from ..node.context import NodeContext
from ..node.kind import NodeKind
from ..node.refusals import NotReady
from ..node.runner import run
from ..trajectories.execution import Execution
from ..trajectories.goal import Goal
from ..trajectories.outcome import Ending, Outcome
from ..validation import BadRequest

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
        self._receipts: dict[int, Receipt] = {}
        """Of goals that were accepted and are to be executed now, by their messages."""
        self._queue = node.queue(TOPIC)
        node.listen(JointTrajectory, TOPIC, self.follow)

    async def judge(self, message: Any) -> None:
        """Refuse a goal that cannot be followed; planning takes a while, and keeps its order."""
        goal, receipt = self._goal_of(message), self._leader.receipt()
        await self._node.run_in_order(lambda: self._leader.judge(goal))
        if self._leader.stopped(goal, receipt):
            raise BadRequest(["the joints were stopped while it was planned"])
        self._receipts[id(message)] = receipt

    async def execute(self, goal_handle: GoalHandle) -> Any:
        """Lead the joints along a goal that was accepted, and wait for its end."""
        receipt = self._receipts.pop(id(goal_handle.request), None) or self._leader.receipt()
        goal = self._goal_of(goal_handle.request)
        execution = self._leader.lead(
            goal, self._node.parameters.demands(goal), self._feedback(goal_handle), receipt=receipt
        )

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
            self._leader.cancel_all()
            return
        goal = goal_of_trajectory(message, self._node.ros_time_ago(0.0))
        receipt = self._leader.receipt()

        def lead() -> None:
            self._node.require_ready()
            self._leader.judge(goal)
            self._lead(goal, receipt)

        self._queue(lead)

    def _lead(self, goal: Goal, receipt: Receipt) -> None:
        demands = self._node.parameters.demands(goal)
        execution = self._leader.lead(goal, demands, receipt=receipt)

        def say_how_it_ended() -> None:
            execution.ended.wait()
            outcome = execution.outcome
            if outcome is not None and outcome.ending not in (Ending.SUCCEEDED, Ending.PREEMPTED):
                self._node.say_error(f"~/joint_trajectory: {outcome.text}")

        threading.Thread(target=say_how_it_ended, daemon=True).start()

    def _goal_of(self, message: Any) -> Goal:
        return goal_of_action(message, self._node.ros_time_ago(0.0))

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
            sampled = self._node.ros_time.at(status.time)
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
