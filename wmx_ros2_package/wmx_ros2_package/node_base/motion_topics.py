"""The topics of a node's motions: `wmx/motion/begin`, `wmx/motion/end`, `wmx/motion/lease`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import BeginMotion, EndMotion

from wmx_core.values import MotionStatus

from ..control.leases import MotionLeases
from ..control.request import Begin, End, EndReason
from ..messages.actuators import begin_motion, end_motion, uuid
from .qos import MOST_UNREAD, latched

if TYPE_CHECKING:
    from .context import NodeContext

EVENTS_QOS = latched(100)
READ_PERIOD = 0.01
"""How often the status is read while a motion is open, s."""


class MotionTopics:
    """Publishes begins and ends of the motions of `node`, and ends those whose lease expired."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self.leases = MotionLeases(node.tracker, self._end_expired)
        node.subscribe(
            UuidMessage, "wmx/motion/lease", lambda id: self.leases.renew(uuid(id)), MOST_UNREAD
        )
        self._begins = node.create_publisher(BeginMotion, "wmx/motion/begin", EVENTS_QOS)
        self._ends = node.create_publisher(EndMotion, "wmx/motion/end", EVENTS_QOS)
        node.tracker.listen(self._publish)

    def _publish(self, event: Begin | End) -> None:
        node = self._node
        if isinstance(event, Begin):
            self._begins.publish(begin_motion(event, node.ros_time.at))
            node.supervisor.ensure_task("open motions", self._update, READ_PERIOD, every=True)
        else:
            self._ends.publish(end_motion(event, node.ros_time.at))
            node.leases.on_motion_end(event)

    def _update(self, status: MotionStatus) -> bool:
        """End what is over; return whether a motion is open."""
        if status.communicating:
            self._node.tracker.update(status)
        return bool(self._node.tracker)

    def _end_expired(self, axes: Sequence[int]) -> None:
        """Bring axes to rest whose client no longer renews the lease of their motion."""
        node, reason = self._node, EndReason.LEASE_EXPIRED
        message = "its client no longer renews the lease"
        node.gate.refuse_earlier(axes)
        node.tracker.set_end_reason(reason, message, axes)  # also of one that stands on its way
        stop = partial(node.gate.end_motion, reason=reason, message=message)
        node.stop_until_rest(stop, axes)
