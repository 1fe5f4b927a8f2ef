"""Tells the end of motions whose node died, for it cannot do that itself.

An effort and a trajectory are stopped as well when their node died: nobody could cancel them any
more, nor watch their tolerances, and not every engine ends a torque by itself. So is an effort that
its node lets last too long.
"""

import time
from typing import Any
from uuid import UUID

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

from ..drivers.errors import WmxError
from ..messages import actuators as messages
from ..motions.events import Begin, EndReason, MotionKind
from ..motions.orphans import Orphans, Runaway
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
LOOK_PERIOD = 0.1
"""s."""


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
        owners = driver.owners
        if owners is None:
            return
        try:
            status = driver.motion.status()
        except WmxError:
            status = None
        now = time.monotonic()
        for end in self._orphans.find(now, owners.names, self._alive, status):
            self._node.say_error(f"Motion {end.id} on axes {list(end.axes)}: {end.message}")
            self._ends.publish(messages.end_motion(end, self._node.ros_time.at))
        if status is not None:
            for runaway in self._orphans.runaways(now, owners.names, status):
                self._stop(runaway)

    def _stop(self, runaway: Runaway) -> None:
        log, stopping = self._node.log, f"Stopping axes {runaway.axes}"
        log.error(f"{stopping}: {runaway.why}", throttle_duration_sec=1.0)
        try:
            self._node.driver.motion.stop(runaway.axes)
        except WmxError as error:
            log.error(f"{stopping}: {error}", throttle_duration_sec=1.0)
