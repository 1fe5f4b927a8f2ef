"""`/diagnostics`: how engine, axes and slaves are; and what happens to them, in the log."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from wmx_core.values import MotionStatus

from ...control.conditions import Level, differs
from ...diagnosis.diagnostics import (
    Counts,
    DiagnosticEntry,
    axis_entries,
    changed,
    counts,
    engine_entry,
    slave_entries,
)
from ...diagnosis.incidents import EVERY_AXIS, incidents
from ...diagnosis.snapshot import Snapshot
from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.threads import Ended
from .hardware_errors import HardwareErrors
from .snapshots import snapshot_of

PERIOD = 1.0
"""How often everything is published, s; what changes a level is published at once."""


class Diagnostics:
    """Publishes the diagnostics of `node` while there are subscribers.

    They are made aside, for those of 128 axes take longer than a period.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics")
        self._hardware_errors = HardwareErrors(node)
        self._prefix = node.full_name[1 : -len(node.name)]
        """What the names begin with in a namespace, for the topic is one for all of them."""
        self._before: MotionStatus | None = None
        self._last_errors: dict[int, str] = {}
        self._levels: Mapping[str, Level] = {}
        self._counts: Counts = {}
        self._snapshot = Snapshot(node=node.full_name)
        self._published = -PERIOD
        self._making = threading.Lock()
        self._waits = False
        """Whether some are about to be made: they will show all that has changed."""
        node.supervisor.add_sink(self._update, name="diagnostics")
        node.on_attach.append(self._attach)
        node.on_detach.append(self._make_soon)
        node.create_timer(PERIOD, self._make_soon)

    def _attach(self) -> None:
        self._before = None

    def _update(self, status: MotionStatus) -> None:
        """Log and publish what has happened; in the supervisor."""
        before, self._before = self._before, status
        if before is not None and not differs(before, status):
            return
        self._hardware_errors.update(status)
        if before is not None and before.axes == status.axes:
            for axis, text in incidents(before, status):
                self._last_errors[axis] = text
                name = "every axis" if axis == EVERY_AXIS else f"axis {axis}"
                self._node.log.warning(f"{name}: {text}")
        self._make_soon()

    def _make_soon(self) -> None:
        if not self._publisher.get_subscription_count():
            self._counts = {}
        elif not self._waits:
            self._waits = True
            with suppress(Ended):  # the node is closed
                self._node.threads.aside(self._make)

    def _make(self) -> None:
        with self._making:
            self._waits = False  # first: what changes from now on is for the next ones
            try:
                entries = self._entries()
                regular = self._node.clock.now() >= self._published + PERIOD / 2.0
                if regular or changed(entries, self._levels):
                    self._publish(entries)
                if regular:
                    self._published = self._node.clock.now()
                    self._counts = counts(self._snapshot)
            except Exception as error:  # whatever it is, the next ones may be fine
                self._node.log.error(f"/diagnostics: {error!r}", throttle_duration_sec=PERIOD)

    def _entries(self) -> list[DiagnosticEntry]:
        snapshot = self._snapshot = snapshot_of(self._node)
        hardware_id = f"{self._node.driver.name} {self._node.common.device_path}"
        last = self._last_errors.get(EVERY_AXIS, "")
        return [
            engine_entry(snapshot, hardware_id, self._counts, last),
            *axis_entries(snapshot, hardware_id, self._last_errors),
            *slave_entries(snapshot),
        ]

    def _publish(self, entries: list[DiagnosticEntry]) -> None:
        self._levels = {entry.name: entry.level for entry in entries}
        message = DiagnosticArray()
        message.header.stamp = time_message(self._node.ros_time.now())
        message.status = [_status(self._prefix, entry) for entry in entries]
        self._publisher.publish(message)


def _status(prefix: str, entry: DiagnosticEntry) -> DiagnosticStatus:
    return DiagnosticStatus(
        level=bytes([entry.level]),
        name=prefix + entry.name,
        message=entry.message,
        hardware_id=entry.hardware_id,
        values=[KeyValue(key=key, value=value) for key, value in entry.values.items()],
    )
