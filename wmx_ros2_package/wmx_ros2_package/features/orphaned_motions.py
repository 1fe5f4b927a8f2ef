"""Tells the end of motions whose node died, for it cannot do that itself.

An effort and a trajectory are stopped as well when their node died: nobody could cancel them any
more, nor watch their tolerances, and not every engine ends a torque by itself. So is an effort that
its node lets last too long.
"""

import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

from ..drivers.errors import WmxError
from ..drivers.values import MotionStatus, OperationState
from ..messages import actuators as messages
from ..motions.events import Begin, EndReason, MotionKind
from ..motions.orphans import Orphans, is_owner
from ..node.context import NodeContext
from ..node.motion_events import EVENTS_QOS

LIVE_QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
"""Of begins, without what was said before: the end of an old motion may be forgotten already."""
ENDS_QOS = QoSProfile(
    depth=1000,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""With what was said before: who has just begun to hear of begins may have missed an end."""
LOOK_PERIOD = 0.2
"""s."""
TO_STOP = OperationState.TRQ, OperationState.INTPL
"""What an effort and a trajectory do."""


class OrphanedMotions:
    """Those of all nodes of the engine of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._orphans = Orphans()
        self._tellers: dict[UUID, frozenset[bytes]] = {}
        """The publishers of the nodes that hold axes."""
        self._ends = node.publish(EndMotion, "wmx/motion/end", EVENTS_QOS)
        node.hear(BeginMotion, "wmx/motion/begin", self._on_begin, LIVE_QOS)
        node.hear(EndMotion, "wmx/motion/end", self._on_end, ENDS_QOS)
        node.every(LOOK_PERIOD, self._look)

    def _on_begin(self, message: BeginMotion) -> None:
        self._orphans.see_begin(
            Begin(
                id=messages.uuid(message.command_id),
                source=message.source,
                kind=MotionKind(message.type),
                axes=tuple(message.axes),
                names=tuple(message.names),
                time=time.monotonic(),
                initial=tuple(message.initial_position),
                targets=tuple(message.target_position),
                arrival=self._steady(messages.seconds(message.expected_arrival)),
            )
        )

    def _alive(self, begin: Begin) -> bool:
        """Whether the node that told of a hold is there: that process, not one of the same name.

        Its publishers are those that it had when it was seen first.
        """
        there = self._node.publishers("wmx/motion/begin").get(begin.source, frozenset())
        return bool(self._tellers.setdefault(begin.id, there) & there)

    def _steady(self, ros_time: float) -> float | None:
        """That of the steady clock, s; None for none."""
        now = self._node.ros_time_ago(0.0) / 1e9
        return time.monotonic() + ros_time - now if ros_time else None

    def _on_end(self, message: EndMotion) -> None:
        id = messages.uuid(message.command_id)
        self._tellers.pop(id, None)
        self._orphans.see_end(id, EndReason(message.reason))

    def _look(self) -> None:
        driver = self._node.driver
        if driver.owners is None:
            return
        owners = driver.owners
        try:
            status = driver.motion.status()
        except WmxError:
            status = None
        for begin in self._orphans.overdue(time.monotonic()):
            self._stop(begin.axes, begin.source, status, f"{begin.source} does not end it")
        for end in self._orphans.find(
            time.monotonic(), lambda begin: owners.names(begin.axes), self._alive, status
        ):
            self._node.say_error(f"Motion {end.id} on axes {list(end.axes)}: {end.message}")
            self._stop(end.axes, end.source, status, end.message)
            self._ends.publish(messages.end_motion(end, self._node.ros_time.at))

    def _stop(
        self, axes: Sequence[int], source: str, status: MotionStatus | None, why: str
    ) -> None:
        """Stop those of `axes` that do what has to be stopped, unless somebody else ordered it."""
        owners = self._node.driver.owners
        if status is None or owners is None:
            return
        owned_by = owners.names(axes)
        moving = [
            axis
            for axis in axes
            if axis < status.axes
            and status.op_state[axis] in TO_STOP
            and is_owner(owned_by.get(axis, source), source)
        ]
        if not moving:
            return
        self._node.log.error(f"Stopping axes {moving}: {why}", throttle_duration_sec=1.0)
        try:
            self._node.driver.motion.stop(moving)
        except WmxError as error:
            self._node.log.error(f"Stopping axes {moving}: {error}", throttle_duration_sec=1.0)
