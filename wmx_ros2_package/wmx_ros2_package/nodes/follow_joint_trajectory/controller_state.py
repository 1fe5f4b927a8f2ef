"""Publishes what a server of trajectories does: where the joints should be, and where they are."""

from __future__ import annotations

from control_msgs.msg import JointTrajectoryControllerState
from rclpy.qos import QoSProfile

from wmx_core.values import MotionStatus

from ...control.following.executor import TrajectoryExecutor
from ...messages.times import time_message
from ...messages.trajectories import points
from ...node_base.context import NodeContext
from .parameters import FollowJointTrajectoryParameters


class ControllerState:
    """JointTrajectoryControllerState of the joints of `node`, whose trajectories `executor` has."""

    def __init__(
        self,
        node: NodeContext[FollowJointTrajectoryParameters],
        executor: TrajectoryExecutor,
    ) -> None:
        self._node = node
        self._joints = node.parameters.layout()
        self._executor = executor
        self._publisher = node.create_publisher(
            JointTrajectoryControllerState, "~/controller_state", QoSProfile(depth=1)
        )
        node.supervisor.add_sink(
            self._publish,
            node.parameters.state_publish_rate,
            name="controller state",
            wanted=self._publisher.get_subscription_count,
        )

    def _publish(self, status: MotionStatus) -> None:
        now = self._executor.time_on_path(status)
        commanded, actual, error = points(status, self._joints.axes, now)
        message = JointTrajectoryControllerState(
            joint_names=list(self._joints.names),
            reference=commanded,
            feedback=actual,
            error=error,
            output=commanded,
        )
        if hasattr(message, "speed_scaling_factor"):  # newer releases have it
            message.speed_scaling_factor = self._executor.rate(status)
        message.header.stamp = time_message(self._node.ros_time.at(status.time))
        self._publisher.publish(message)
