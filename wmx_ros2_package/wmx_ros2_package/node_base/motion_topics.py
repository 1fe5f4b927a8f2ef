"""The topics of a node's motions: begin, end, their leases; and its commands for a recorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, cast

from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import BeginMotion, EndMotion, EngineCommand

from wmx_core.interface import Driver, Motion
from wmx_core.values import MotionStatus

from ..control.gate import Gate
from ..control.leases import MotionLeases, StreamLeases
from ..control.motion_ends import InPosition
from ..control.reported_motion import Report, ReportedMotion
from ..control.request import Begin, End, EndReason
from ..control.supervisor import Supervisor
from ..control.tracker import MotionTracker
from ..messages.actuators import begin_motion, end_motion, uuid
from ..messages.engine_commands import engine_command
from .host import Host
from .qos import MOST_UNREAD, latched

EVENTS_QOS = latched(100)
READ_PERIOD = 0.01
"""How often the status is read while a motion is open, s."""


def reported(driver: Driver, host: Host) -> Driver:
    """`driver`, whose commands are published on `wmx/engine/command` while a recorder listens."""
    publisher = host.create_publisher(EngineCommand, "wmx/engine/command", MOST_UNREAD)

    def publish(report: Report) -> None:
        publisher.publish(engine_command(report, host.full_name, host.ros_time.at))

    motion = ReportedMotion(
        driver.motion,
        lambda report: host.do_later(partial(publish, report)),
        publisher.get_subscription_count,
        host.clock,
    )
    return replace(driver, motion=cast(Motion, motion))


class OpenMotions(Protocol):
    """The parts that move the axes of a node."""

    gate: Gate
    in_position: InPosition
    leases: StreamLeases
    supervisor: Supervisor
    tracker: MotionTracker


class MotionTopics:
    """Publishes `wmx/motion/begin` and `wmx/motion/end`; ends what no `wmx/motion/lease` renews."""

    def __init__(self, host: Host, motions: OpenMotions) -> None:
        self._host = host
        self._motions = motions
        self.leases = MotionLeases(motions.tracker, self._end_expired, host.clock)
        host.subscribe(
            UuidMessage, "wmx/motion/lease", lambda id: self.leases.renew(uuid(id)), MOST_UNREAD
        )
        self._begins = host.create_publisher(BeginMotion, "wmx/motion/begin", EVENTS_QOS)
        self._ends = host.create_publisher(EndMotion, "wmx/motion/end", EVENTS_QOS)
        motions.tracker.listen(self._publish)

    def _publish(self, event: Begin | End) -> None:
        motions, at = self._motions, self._host.ros_time.at
        if isinstance(event, Begin):
            self._begins.publish(begin_motion(event, at))
            motions.supervisor.ensure_task("open motions", self._update, READ_PERIOD, every=True)
        else:
            self._ends.publish(end_motion(event, at))
            motions.leases.on_motion_end(event)

    def _update(self, status: MotionStatus) -> bool:
        """End what is over; return whether a motion is open."""
        if status.communicating:
            self._motions.tracker.update(status)
            self._motions.gate.follow_speed(status, self._motions.in_position.width)
        return bool(self._motions.tracker)

    def _end_expired(self, axes: Sequence[int]) -> None:
        """Bring axes to rest whose client no longer renews the lease of their motion."""
        gate, message = self._motions.gate, "its client no longer renews the lease"
        gate.refuse_earlier(axes)
        gate.end_until_rest(axes, message, EndReason.LEASE_EXPIRED)
