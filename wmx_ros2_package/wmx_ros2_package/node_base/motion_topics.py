"""Publishes begin and end of motions as the tracker tells them; and commands, for a recorder."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import BeginMotion, EndMotion, EngineCommand

from wmx_core.interface import Driver, Motion

from ..control.leases import MotionLeases
from ..control.reported_motion import Report, ReportedMotion
from ..control.request import Begin, End
from ..control.tracker import MotionTracker
from ..messages.engine_commands import engine_command
from ..messages.motions import begin_motion, end_motion, uuid
from .host import Host
from .qos import MOST_UNREAD, latched

EVENTS_QOS = latched(100)


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


class MotionTopics:
    """`wmx/motion/begin`, `wmx/motion/end` and `wmx/motion/lease` of a node."""

    def __init__(self, host: Host, tracker: MotionTracker, leases: MotionLeases) -> None:
        self._host = host
        host.subscribe(
            UuidMessage, "wmx/motion/lease", lambda id: leases.renew(uuid(id)), MOST_UNREAD
        )
        self._begins = host.create_publisher(BeginMotion, "wmx/motion/begin", EVENTS_QOS)
        self._ends = host.create_publisher(EndMotion, "wmx/motion/end", EVENTS_QOS)
        tracker.listen(self._publish)

    def _publish(self, event: Begin | End) -> None:
        at = self._host.ros_time.at
        if isinstance(event, Begin):
            self._begins.publish(begin_motion(event, at))
        else:
            self._ends.publish(end_motion(event, at))
