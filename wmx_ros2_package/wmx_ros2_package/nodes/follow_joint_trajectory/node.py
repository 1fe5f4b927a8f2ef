"""`follow_joint_trajectory_server`: carries out trajectories, as an action and a topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from control_msgs.action import FollowJointTrajectory
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import LimitType, MotionStatus

from ...control.following.context import Outcome, TrajectoryEnd
from ...control.following.execution import Execution, Report
from ...control.request import MotionKind, MotionRequest
from ...messages.times import time_message
from ...messages.trajectories import (
    goal_of_action,
    goal_of_trajectory,
    points,
)
from ...node_base.actions import ActionGoal, ActionServer
from ...node_base.context import NodeContext
from ...node_base.domain.sole_server import sole_action, sole_topic
from ...node_base.handlers import ThrottledErrors
from ...node_base.kind import NodeKind
from ...node_base.servo_start import LOAD_TIMEOUT, ServoStart
from ...node_base.trajectories import trajectory_executor
from ...node_base.waiting import Awaited
from ...robots.joint_layout import require_axes, unit_of
from ...trajectories.goal import Goal, Joints
from ...trajectories.plan import Prepared
from .chunks import MOST_BYTES, Chunks, is_stop
from .controller_state import ControllerState
from .execution_active import ExecutionActive
from .parameters import FollowJointTrajectoryParameters

Result = FollowJointTrajectory.Result
CODES = {
    TrajectoryEnd.SUCCEEDED: Result.SUCCESSFUL,
    TrajectoryEnd.CANCELED: Result.SUCCESSFUL,
    TrajectoryEnd.PREEMPTED: Result.INVALID_GOAL,
    TrajectoryEnd.NOT_STARTED: Result.INVALID_GOAL,
    TrajectoryEnd.OFF_PATH: Result.PATH_TOLERANCE_VIOLATED,
    TrajectoryEnd.OFF_GOAL: Result.GOAL_TOLERANCE_VIOLATED,
}
WINDOW_TIMEOUT = 0.25
"""A stream of trajectories that was stopped has to pause for so long, s; planners send 10 Hz."""


class FollowJointTrajectoryServer:
    """Serves goals and streams of trajectories for the joints of an arm."""

    def __init__(self, node: NodeContext[FollowJointTrajectoryParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._joints = parameters.joints()
        self._read: tuple[object, ParameterSet] | None = None
        """What `_settings` was as the parameters were read last, and these; in the planner."""
        active = ExecutionActive(node)
        node.on_attach.append(self._attach)
        self._executor = trajectory_executor(
            node,
            "the server lets go of the axes",
            on_count=active.set_count,
            preempt=parameters.preempt,
            stopping_time=parameters.stopping_time,
        )
        ControllerState(node, self._executor)
        ActionServer(
            node,
            FollowJointTrajectory,
            parameters.joint_trajectory_action,
            judge=self.judge,
            execute=self.execute,
            describe=_describe,
        )
        self._topic = parameters.joint_trajectory_topic
        self._sole_action = sole_action(node.graph, parameters.joint_trajectory_action, node.clock)
        self._sole_topic = sole_topic(node.graph, self._topic, node.clock)
        self._errors = ThrottledErrors(node, self._topic)
        self._lease = node.leases.add(self._joints.axes, WINDOW_TIMEOUT)
        ServoStart(
            node,
            self._joints.axes,
            parameters.parameter_file,
            switch_on=False,
            timeout=LOAD_TIMEOUT,
        )
        if parameters.wmx_gripper_topic:
            node.create_service(SetBool, parameters.wmx_gripper_topic, self.set_gripper)
        node.on_command(
            JointTrajectory, self._topic, self.follow, most_bytes=MOST_BYTES, stops=is_stop
        )
        if parameters.chunk_topic:
            Chunks(node, self._executor, self._limited, self._request)

    def _attach(self) -> None:
        require_axes(self._joints.axes, self._node.engine_axes)
        self._log_joints()

    def _log_joints(self) -> None:
        """Log what shows a swapped axis or a wrong unit of each joint, and how far it may go."""
        node, joints = self._node, self._joints
        status, engine = node.gate.status(), node.driver.motion.parameters()
        converted = node.parameters.axis_units()
        for i, (name, axis) in enumerate(zip(joints.names, joints.axes, strict=True)):
            unit = unit_of(engine.axis(axis).gear_ratio_denominator)
            unit += ", taken as rad" if axis in converted else ""
            node.log.info(
                f"{name}: axis {axis}, in {unit}, {joints.lower[i]:g} to {joints.upper[i]:g}, "
                f"stands at {status.actual_pos[axis]:.6g}"
            )

    # The action

    async def judge(self, goal: ActionGoal) -> tuple[Prepared, MotionRequest, Callable[[], bool]]:
        """Refuse a goal that cannot be followed; else its plan, and when it is due.

        Planning takes a while, and keeps its order.
        """
        self._sole_action.require()
        self._node.gate.speed.require_running()
        converted = goal_of_action(goal.request, self._node.ros_time.now())
        at = self._node.ros_time.when_in(converted.starts_in)
        planned = self._node.threads.planner.submit(lambda: self._prepare(converted))
        prepared = await Awaited(planned)
        request = self._request(prepared, goal.sent, UUID(bytes=goal.id))
        self._node.gate.require_not_stopped([request])
        return prepared, request, at

    async def execute(self, goal: ActionGoal) -> Any:
        """Lead the joints along a goal that was accepted, and wait for its end."""
        prepared, request, at = goal.judged
        tolerances, report = self._node.parameters.tolerances(prepared.goal), self._feedback(goal)

        def is_due() -> bool:
            return not goal.is_cancel_requested and at()  # perhaps canceled before it was begun

        def start() -> Execution:
            return self._executor.start(
                prepared, request, at=is_due, tolerances=tolerances, report=report
            )

        execution = await Awaited(self._node.threads.planner.submit(start, bounded=False))
        goal.on_cancel(execution.cancel)
        outcome: Outcome = await Awaited(execution.outcome)
        result = Result(error_code=CODES[outcome.ending], error_string=outcome.text)
        if outcome.ending is TrajectoryEnd.SUCCEEDED:
            goal.succeed()
            self._node.log_info("Trajectory done")
        elif outcome.ending is TrajectoryEnd.CANCELED and goal.is_cancel_requested:
            goal.canceled()
            self._node.log_info("Trajectory canceled")
        else:
            if outcome.ending is TrajectoryEnd.CANCELED:
                result.error_code = Result.INVALID_GOAL
            goal.abort()
            self._node.log_error(f"Trajectory aborted: {outcome.text}")
        return result

    def _feedback(self, goal: ActionGoal) -> Report:
        """Publishes feedback, at its rate; called by the supervisor."""
        period = 1.0 / self._node.parameters.feedback_rate
        due = self._node.clock.now()

        def report(execution: Execution, status: MotionStatus, now: float) -> None:
            nonlocal due
            if self._node.clock.now() < due:
                return
            plan = execution.plan
            due = max(due + period, self._node.clock.now())
            desired, actual, error = points(status, plan.axes, now)
            feedback = FollowJointTrajectory.Feedback(
                joint_names=list(plan.names), desired=desired, actual=actual, error=error
            )
            if hasattr(feedback, "index"):  # since control_msgs 6.3
                feedback.index = plan.point_at(now)
            feedback.header.stamp = time_message(self._node.ros_time.at(status.time))
            goal.publish_feedback(feedback)

        return report

    # The gripper, where no node of its own has it

    def set_gripper(self, request: SetBool.Request, _: SetBool.Response) -> str:
        """Close or open the gripper: its output is set, and nothing waited for."""
        address = self._node.parameters.gripper_address
        self._node.driver.io.set_output_bit(*address, value=request.data)
        return f"Gripper {'closed' if request.data else 'opened'} successfully"

    # The topic

    def follow(self, message: JointTrajectory, sent: float) -> None:
        """Lead the joints along what came by the topic; without points, stop them.

        What ends in motion is a window of a stream. The next one takes over from it, or the joints
        come to rest along the path. A stream that was stopped has to pause.
        """
        if is_stop(message):
            self._node.gate.refuse_earlier(self._joints.axes)
            self._executor.cancel_all()
            return
        self._lease.refresh(sent)
        goal = goal_of_trajectory(message, self._node.ros_time.now())
        at = self._node.ros_time.when_in(goal.starts_in)

        def plan_and_start() -> None:
            with self._errors:
                self._node.require_engine()
                self._sole_topic.require()
                prepared = self._prepare(goal, stream=True)
                request = self._request(prepared, sent, uuid4())
                self._lease.require_uninterrupted()  # perhaps while this was planned
                execution = self._executor.start(
                    prepared,
                    request,
                    at=at,
                    tolerances=self._node.parameters.tolerances(goal),
                )
                execution.outcome.add_done_callback(self._log_end)

        self._node.threads.planner.submit(plan_and_start)

    def _log_end(self, done: Any) -> None:
        outcome: Outcome = done.result()
        if outcome.ending not in (TrajectoryEnd.SUCCEEDED, TrajectoryEnd.PREEMPTED):
            self._node.log_error(f"{self._topic}: {outcome.text}")

    # Both

    def _prepare(self, goal: Goal, *, stream: bool = False) -> Prepared:
        """Judge and plan a goal; BadRequest with the reasons against it."""
        if goal.effort:
            self._node.log.warning(
                "A trajectory has efforts: they are ignored, the engine leads positions", once=True
            )
        joints = self._limited(self._node.gate.status(), stream=stream)
        rules = self._node.parameters.rules(stream=stream)
        prepared = self._executor.prepare(goal, joints, rules)
        made = prepared.plan
        through = sum(len(segment.times) for segment in made.segments)
        splines = "1 spline" if len(made.segments) == 1 else f"{len(made.segments)} splines"
        self._node.log_info(
            f"Trajectory of {len(goal.times)} points in {made.duration:g} s accepted: "
            f"{splines} through {through} points, {made.error:.1g} off at most"
        )
        return prepared

    def _request(self, prepared: Prepared, sent: float, id: UUID) -> MotionRequest:
        """All splines of a goal are one motion."""
        return MotionRequest(
            kind=MotionKind.TRAJECTORY,
            axes=prepared.plan.axes,
            names=prepared.plan.names,
            asked_at=sent,
            id=id,
            targets=tuple(prepared.plan.target.tolist()),
            lasts=prepared.plan.duration,
        )

    def _parameters(self, *, stream: bool) -> ParameterSet:
        """The parameters in force; for a `stream` those that are known unless one was set since.

        Hardware writes them all into a file first, which may take longer than the next message of a
        stream. What no client of this system has set, the engine's own limits stop.
        """
        settings = self._settings()
        if not stream or self._read is None or self._read[0] != settings:
            self._read = settings, self._node.driver.motion.parameters()
        return self._read[1]

    def _settings(self) -> object:
        """What is another one after a client has set something, or with another engine."""
        file = self._node.ownership.file
        if file is None:
            return None
        return file, file.settings_revision, tuple(file.stopped[list(self._joints.axes)])

    def _limited(self, status: MotionStatus, *, stream: bool = True) -> Joints:
        """The joints with the soft limits of the engine as well; these hold for homed axes."""
        parameters = self._parameters(stream=stream)
        units = self._node.parameters.axis_units()
        lower, upper = self._joints.lower.copy(), self._joints.upper.copy()
        for i, axis in enumerate(self._joints.axes):
            if not status.home_done[axis]:
                continue
            its, unit = parameters.axis(axis), units.get(axis, 1.0)
            above = below = its.soft_limit_type
            if its.soft_limit_type is LimitType.SEPARATE:
                above, below = its.positive_soft_limit_type, its.negative_soft_limit_type
            if above is not LimitType.NONE and its.soft_limit_positive:
                upper[i] = min(upper[i], its.soft_limit_positive * unit)
            if below is not LimitType.NONE and its.soft_limit_negative:
                lower[i] = max(lower[i], its.soft_limit_negative * unit)
        return replace(self._joints, lower=lower, upper=upper)


def _describe(result: Any, message: str) -> None:
    result.error_code = Result.INVALID_GOAL
    result.error_string = message


KIND = NodeKind(
    FollowJointTrajectoryServer,
    FollowJointTrajectoryParameters,
    not_ready="FollowJointTrajectoryServer not initialized. Engine not ready.",
    commands_motion=True,
    names=("follow_joint_trajectory_server", "joint_trajectory_controller"),
)
