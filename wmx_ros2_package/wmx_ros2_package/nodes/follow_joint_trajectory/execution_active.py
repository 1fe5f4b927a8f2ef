"""Publishes for MoveIt Servo and its like that a planned trajectory runs, and that it has ended."""

from __future__ import annotations

import threading

from control_msgs.msg import JointJog
from std_msgs.msg import Bool

from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.qos import latched
from .parameters import FollowJointTrajectoryParameters


class ExecutionActive:
    """Whether a planned trajectory runs, on the `execution_active_topic` of `node`.

    At every end of one a JointJog of zero goes to its `joint_jog_topic`, so that MoveIt Servo does
    not resume with its last command. An empty name of a topic is none.
    """

    def __init__(self, node: NodeContext[FollowJointTrajectoryParameters]) -> None:
        self._node = node
        self._names = list(node.parameters.layout().names)
        topic, jog_topic = node.parameters.execution_active_topic, node.parameters.joint_jog_topic
        self._active = node.create_publisher(Bool, topic, latched()) if topic else None
        self._jog = node.create_publisher(JointJog, jog_topic) if jog_topic else None
        self._count = 0
        self._lock = threading.Lock()
        node.on_activate.append(self._publish)

    def set_count(self, count: int) -> None:
        """So many trajectories run now."""
        with self._lock:
            ended, self._count = count < self._count, count
            if ended and self._jog is not None:
                jog = JointJog(joint_names=self._names, velocities=[0.0] * len(self._names))
                jog.header.stamp = time_message(self._node.ros_time.now())
                self._jog.publish(jog)
            self._publish()

    def _publish(self) -> None:
        if self._active is not None:
            self._active.publish(Bool(data=self._count > 0))
