"""Tells MoveIt Servo and its like that a planned trajectory runs, and that it has ended."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from control_msgs.msg import JointJog
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool

from ..messages.trajectories import stamp
from ..node.context import NodeContext

ACTIVE_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Reliable, and who comes later hears the last word too."""


class ExecutionActive:
    """Whether a planned trajectory runs, on `topic`.

    At every end of one a JointJog of zero goes to `jog_topic`, so that MoveIt Servo does not
    resume with what it was told before. An empty name of a topic is none.
    """

    def __init__(
        self, node: NodeContext[Any], topic: str, jog_topic: str, names: Sequence[str]
    ) -> None:
        self._node = node
        self._names = list(names)
        self._active = node.publish(Bool, topic, ACTIVE_QOS) if topic else None
        self._jog = node.publish(JointJog, jog_topic) if jog_topic else None
        self._running = 0
        self._lock = threading.Lock()
        node.on_activate(self._say)

    def begin(self) -> None:
        """One more trajectory runs."""
        with self._lock:
            self._running += 1
            self._say()

    def end(self) -> None:
        """One trajectory has ended."""
        with self._lock:
            self._running -= 1
            if self._jog is not None:
                jog = JointJog(joint_names=self._names, velocities=[0.0] * len(self._names))
                jog.header.stamp = stamp(self._node.ros_time_ago(0.0))
                self._jog.publish(jog)
            self._say()

    def _say(self) -> None:
        if self._active is not None:
            self._active.publish(Bool(data=self._running > 0))
