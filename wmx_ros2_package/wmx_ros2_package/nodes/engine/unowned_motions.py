"""Publishes the end of motions whose node died, for the node cannot do that itself."""

from typing import Any

from rclpy.qos import QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

from wmx_core.errors import WmxError
from wmx_core.values import MAX_AXES, MotionStatus

from ...control.request import EndReason, MotionKind
from ...control.unowned import MotionToStop, UnownedMotions
from ...messages.motions import begin_of, end_motion, uuid
from ...messages.times import seconds
from ...node_base.context import NodeContext
from ...node_base.motion_topics import EVENTS_QOS
from ...node_base.qos import latched

_KINDS, _REASONS = frozenset(MotionKind), frozenset(EndReason)
LIVE_QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
"""Begins come without those of the past: the end of an old motion may be forgotten already."""
ENDS_QOS = latched(1000)
"""Ends come with those of the past: an end may come before its begin."""
LOOK_RATE = 10.0
"""How often it is found out whose node has died, Hz."""


class UnownedMotionEnds:
    """The motions of all nodes on the engine of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._motions = UnownedMotions(self._members)
        self._ends = node.create_publisher(EndMotion, "wmx/motion/end", EVENTS_QOS)
        node.subscribe(BeginMotion, "wmx/motion/begin", self._on_begin, LIVE_QOS)
        node.subscribe(EndMotion, "wmx/motion/end", self._on_end, ENDS_QOS)
        node.supervisor.add_sink(self._look, LOOK_RATE, name="unowned motions", offline=True)

    def _members(self, source: str) -> frozenset[str]:
        file = self._node.ownership.file
        return file.members_of(source) if file is not None else frozenset()

    def _on_begin(self, message: BeginMotion) -> None:
        parallel = {len(message.axes), len(message.initial_position), len(message.target_position)}
        known = message.type in _KINDS and all(0 <= axis < MAX_AXES for axis in message.axes)
        if not known or len(parallel) > 1:  # of a program that is none of ours
            return
        arrival = self._steady(seconds(message.expected_arrival))
        self._motions.see_begin(begin_of(message, self._node.clock.now(), arrival))

    def _steady(self, ros_time: float) -> float | None:
        """Return a time of ROS (s) on the steady clock; None for none.

        Simulated time that is to come is published as that of now, see `RosTime.at`.
        """
        if self._node.ros_time.is_simulated:
            return None
        now = self._node.ros_time.now() / 1e9
        return self._node.clock.now() + ros_time - now if ros_time else None

    def _on_end(self, message: EndMotion) -> None:
        if message.reason in _REASONS:
            self._motions.on_motion_end(uuid(message.command_id), EndReason(message.reason))

    def _look(self, status: MotionStatus) -> None:
        node, now = self._node, self._node.clock.now()
        for end in self._motions.lost(now, status):
            node.log_error(f"Motion {end.id} on axes {list(end.axes)}: {end.message}")
            self._ends.publish(end_motion(end, node.ros_time.at))
        for moving in self._motions.motions_to_stop(
            now, lambda axes: node.ownership.owners(axes, status), status
        ):
            self._stop(moving)

    def _stop(self, moving: MotionToStop) -> None:
        log, stopping = self._node.log, f"Stopping axes {moving.axes}"
        log.error(f"{stopping}: {moving.why}", throttle_duration_sec=1.0)
        try:
            self._node.gate.end_motion(moving.axes)
        except WmxError as error:
            log.error(f"{stopping}: {error}", throttle_duration_sec=1.0)
