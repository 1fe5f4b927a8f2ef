"""Tells the end of motions whose node died, for it cannot do that itself."""

import time
from typing import Any

from rclpy.qos import QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

from .. import actuator_messages as messages
from ..drivers.errors import WmxError
from ..motions.events import Begin, EndReason, MotionKind
from ..motions.orphans import Orphans
from ..node.context import NodeContext
from ..node.motion_events import EVENTS_QOS

LIVE_QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
"""Without what was said before: the end of an old motion may be forgotten already."""
LOOK_PERIOD = 0.2
"""s."""


class OrphanedMotions:
    """Those of all nodes of the engine of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._orphans = Orphans()
        self._ends = node.publish(EndMotion, "wmx/motion/end", EVENTS_QOS)
        node.hear(BeginMotion, "wmx/motion/begin", self._on_begin, LIVE_QOS)
        node.hear(EndMotion, "wmx/motion/end", self._on_end, LIVE_QOS)
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
                arrival=None,
            )
        )

    def _on_end(self, message: EndMotion) -> None:
        self._orphans.see_end(messages.uuid(message.command_id), EndReason(message.reason))

    def _look(self) -> None:
        driver = self._node.driver
        if driver.owners is None:
            return
        owners = driver.owners
        try:
            status = driver.motion.status()
        except WmxError:
            status = None
        nodes = set(self._node.node_names())
        for end in self._orphans.find(
            time.monotonic(), lambda begin: owners.names(begin.axes), nodes.__contains__, status
        ):
            self._node.say_error(f"Motion {end.id} on axes {list(end.axes)}: {end.message}")
            self._ends.publish(messages.end_motion(end, self._node.ros_time.at))
