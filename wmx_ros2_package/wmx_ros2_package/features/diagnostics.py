"""`/diagnostics`: how engine, axes and slaves are, and the log of what happens to them."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ..diagnosis.diagnostics import (
    Counts,
    Health,
    Level,
    axis_healths,
    changed,
    counts,
    engine_health,
    slave_healths,
)
from ..diagnosis.explanations import Situation
from ..diagnosis.incidents import EVERY_AXIS, Incidents
from ..drivers.values import MotionStatus
from ..node.context import NodeContext
from ..node.state_stream import StateStream
from .situations import situation_of

PERIOD = 1.0
"""How often everything is told, s; what changes a level is told at once."""


class Diagnostics:
    """Those of `node`, which follows the engine and whose states come from `stream`.

    They are made in a thread of their own: those of 128 axes take longer than one state may.
    """

    def __init__(self, node: NodeContext[Any], stream: StateStream) -> None:
        self._node = node
        self._publisher = node.publish(DiagnosticArray, "/diagnostics")
        self._incidents = Incidents()
        self._last_errors: dict[int, str] = {}
        self._levels: Mapping[str, Level] = {}
        self._counts: Counts = {}
        self._situation = Situation(node=node.full_name)
        self._due = threading.Event()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        stream.feed(self._see, name="diagnostics")
        node.on_attach(self._attach)
        node.on_detach(self._detach)
        node.on_activate(self._start)
        node.on_deactivate(self._stop)

    def _see(self, status: MotionStatus) -> None:
        """Log what has happened; in the thread that reads the state."""
        for axis, text in self._incidents.see(status):
            self._last_errors[axis] = text
            name = "every axis" if axis == EVERY_AXIS else f"axis {axis}"
            self._node.log.warning(f"{name}: {text}")
        if self._incidents.stirred:
            self._due.set()

    def _attach(self) -> None:
        self._incidents = Incidents()

    def _detach(self) -> None:
        self._due.set()

    def _start(self) -> None:
        self._ended.clear()
        self._thread = threading.Thread(
            target=self._run, name=f"{self._node.name}-diagnostics", daemon=True
        )
        self._thread.start()

    def _stop(self) -> None:
        self._ended.set()
        self._due.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        told = -PERIOD
        while not self._ended.is_set():
            self._due.clear()
            try:
                healths = self._healths()
                regular = time.monotonic() >= told + PERIOD
                if regular or changed(healths, self._levels):
                    self._publish(healths)
                if regular:
                    told = time.monotonic()
                    self._counts = counts(self._situation)
            except Exception as error:
                # Whatever it is, the next look may be fine.
                self._node.log.error(f"/diagnostics: {error!r}", throttle_duration_sec=PERIOD)
            self._due.wait(max(0.0, told + PERIOD - time.monotonic()))

    def _healths(self) -> list[Health]:
        situation = self._situation = situation_of(self._node)
        driver, path = self._node.driver, self._node.common.device_path
        hardware_id = f"{driver.name} {path}"
        last = self._last_errors.get(EVERY_AXIS, "")
        return [
            engine_health(situation, hardware_id, self._counts, last),
            *axis_healths(situation, hardware_id, self._last_errors),
            *slave_healths(situation),
        ]

    def _publish(self, healths: list[Health]) -> None:
        self._levels = {health.name: health.level for health in healths}
        message = DiagnosticArray()
        stamp = divmod(self._node.ros_time_ago(0.0), 1_000_000_000)
        message.header.stamp.sec, message.header.stamp.nanosec = stamp
        message.status = [_status(health) for health in healths]
        self._publisher.publish(message)


def _status(health: Health) -> DiagnosticStatus:
    return DiagnosticStatus(
        level=bytes([health.level]),
        name=health.name,
        message=health.message,
        hardware_id=health.hardware_id,
        values=[KeyValue(key=key, value=value) for key, value in health.values.items()],
    )
