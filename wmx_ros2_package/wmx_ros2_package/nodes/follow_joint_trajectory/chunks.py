"""The topic on which a stream of chunks arrives, and the lag with which joints follow it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from uuid import UUID, uuid4

import numpy as np
from std_msgs.msg import Float64
from trajectory_msgs.msg import JointTrajectory

from wmx_core.values import MotionStatus

from ...control.following.context import TrajectoryEnd
from ...control.following.execution import Execution
from ...control.following.executor import TrajectoryExecutor
from ...control.request import NO_ID, MotionRequest
from ...messages.trajectories import goal_of_trajectory
from ...node_base.context import NodeContext
from ...node_base.domain.sole_server import sole_topic
from ...node_base.handlers import ThrottledErrors
from ...trajectories.chunks import Timeline, chunk_plan, judged_chunk
from ...trajectories.goal import Goal, Joints, Start
from ...trajectories.plan import Plan, Prepared
from ...trajectories.take_over import departure_now
from .parameters import APPEND, FollowJointTrajectoryParameters

LAG_PERIOD = 0.02
"""Between two measurements of the lag, s."""
MOST_BYTES = 2**19
"""The greatest size of a trajectory by a topic: 1,000 points of 14 joints with all their values.
No other thread of the process runs while one is read, such as one that stops the joints."""


def is_stop(message: JointTrajectory) -> bool:
    """Whether a trajectory by a topic stops the joints: one without points."""
    return not message.points


class Chunks:
    """Follows a stream of chunks on `chunk_topic` of `node`."""

    def __init__(
        self,
        node: NodeContext[FollowJointTrajectoryParameters],
        executor: TrajectoryExecutor,
        joints: Callable[[MotionStatus], Joints],
        request: Callable[[Prepared, float, UUID], MotionRequest],
    ) -> None:
        """`joints` has the joints with the limits that hold now; `request` makes one of a plan."""
        self._node = node
        self._executor = executor
        self._joints = joints
        self._request = request
        self._topic = node.parameters.chunk_topic
        self._sole = sole_topic(node.graph, self._topic, node.clock)
        self._errors = ThrottledErrors(node, self._topic)
        axes = node.parameters.layout().axes
        self._lease = node.leases.add(axes, node.parameters.chunk_timeout)
        self._timeline = Timeline.empty()
        """The points of the chunks that were followed; the planner replaces it."""
        self._execution: Execution | None = None
        """The execution of the newest chunk."""
        self._newest = NO_ID
        """The motion of the newest chunk: what takes over from that is no chunk."""
        self._lock = threading.Lock()
        """Guards the execution."""
        self._lag_due = 0.0
        self._lag = node.create_publisher(Float64, "~/chunk_lag", 10)
        node.leases.on_interrupted(self._end)
        node.on_command(
            JointTrajectory, self._topic, self.follow, most_bytes=MOST_BYTES, stops=is_stop
        )

    # In the worker

    def follow(self, message: JointTrajectory, sent: float) -> None:
        """Have joints join the points of a chunk when these are due; without points, stop them."""
        if is_stop(message):
            self._node.gate.refuse_earlier(self._node.parameters.layout().axes)
            self._executor.cancel_all()
            return
        self._lease.refresh(sent)
        chunk = goal_of_trajectory(message, self._node.ros_time.now())
        asked_at = self._node.clock.now() + chunk.starts_in if chunk.starts_in else sent
        self._node.threads.planner.submit(lambda: self._plan_and_start(chunk, asked_at, sent))

    # In the planner

    def _plan_and_start(self, chunk: Goal, asked_at: float, sent: float) -> None:
        with self._errors:
            self._node.require_engine()
            self._sole.require()
            parameters = self._node.parameters
            status = self._node.gate.status()
            joints = self._gentle(self._joints(status))
            timeout = parameters.chunk_timeout
            rules = parameters.rules(stream=True)
            rules = replace(rules, late_start=timeout, early_goal=timeout)
            start = departure_now(status, joints).start
            chunk = judged_chunk(chunk, joints, start, rules)
            append = parameters.chunk_mode == APPEND and self._is_followed()
            before = self._timeline if self._is_followed() else Timeline.empty()
            timeline = before.extended(chunk, asked_at, status.time, append=append)

            def planned_from(start: Start, begin: float) -> Plan:
                return chunk_plan(timeline, joints, start, begin, rules)

            prepared = self._executor.prepare(chunk, joints, rules, planned_from)
            request = self._request(prepared, sent, uuid4())
            self._lease.require_uninterrupted()  # perhaps while this was planned
            newest, self._newest = self._newest, request.id
            execution = self._executor.start(
                prepared,
                request,
                tolerances=parameters.tolerances(chunk),
                report=partial(self._measure, timeline),
            )
            if execution.ended:  # it was refused: the chunk before goes on
                self._newest = newest
            else:
                with self._lock:
                    self._timeline, self._execution = timeline, execution
                    if self._lease.interrupted:  # while the chunk began
                        execution.cancel()
            execution.outcome.add_done_callback(lambda done: self._on_end(execution))

    def _gentle(self, joints: Joints) -> Joints:
        """`joints`, none of which speeds up harder than a chunk may make it."""
        most = self._node.parameters.chunk_acceleration
        return replace(joints, top_acceleration=np.minimum(joints.top_acceleration, most))

    def _is_followed(self) -> bool:
        """Whether joints are led along a chunk."""
        with self._lock:
            return self._execution is not None and not self._execution.outcome.done()

    # How it ends

    def _on_end(self, execution: Execution) -> None:
        outcome = execution.outcome.result()
        replaced = (
            outcome.ending is TrajectoryEnd.PREEMPTED and execution.request.id != self._newest
        )
        if replaced or outcome.ending is TrajectoryEnd.SUCCEEDED:
            return
        self._lease.end(outcome.text)
        self._node.log_error(f"{self._topic}: {outcome.text}")

    def _end(self, _reason: str) -> None:
        """Slow down along the path; the stream has to pause."""
        with self._lock:
            if self._execution is not None:
                self._execution.cancel()

    # In the supervisor

    def _measure(
        self, timeline: Timeline, execution: Execution, status: MotionStatus, _: float
    ) -> None:
        """Publish how long joints are behind what `timeline`, that of `execution`, asks for."""
        if status.time < self._lag_due:
            return
        self._lag_due = status.time + LAG_PERIOD
        lag = timeline.lag(status.time, status.actual_pos[list(execution.plan.axes)])
        if lag is not None:
            self._lag.publish(Float64(data=lag))
