"""Tells everybody of the motions of a node: one begin and exactly one end for each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from wmx_ros2_message.msg import BeginMotion, EndMotion

from ..drivers.errors import EngineLost, WmxError
from ..drivers.interface import Motion
from ..drivers.values import MotionStatus
from ..messages.actuators import begin_motion, end_motion
from ..motions.events import Begin, End, EndReason
from ..motions.ledger import MotionLedger
from ..motions.recorded_motion import Description, RecordedMotion
from ..validation import BadRequest

if TYPE_CHECKING:
    from .context import NodeContext

EVENTS_QOS = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
LET_GO = "the node let go of the engine"
WATCH_PERIOD = 0.01
"""How often open motions are looked at, s."""
RELIEVED_PERIOD = 0.05
"""While somebody else looks at them, how often it is looked whether he still does, s."""

Listener = Callable[[Begin | End], None]


class ToldRefusal(BadRequest):
    """A command that was refused, and told as the end of a motion that never began."""


class MotionEvents:
    """The motions of `node`, which everybody knows as `source`."""

    def __init__(self, node: NodeContext[Any], source: str) -> None:
        self._node = node
        self._begins = node.publish(BeginMotion, "wmx/motion/begin", EVENTS_QOS)
        self._ends = node.publish(EndMotion, "wmx/motion/end", EVENTS_QOS)
        self._listeners: list[Listener] = []
        self._begun = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen_at, self._seen_before = -inf, -inf
        """When others have looked last, and the time before, on the steady clock."""
        self.ledger = MotionLedger(source, self._publish)
        self._read = node.driver.motion.status
        node.on_attach(self._attach)
        node.on_detach(self._detach)

    def record(
        self, motion: Motion, describe: Callable[[], Description] = Description
    ) -> RecordedMotion:
        """`motion`, whose commands everybody learns of, as `describe` says."""
        return RecordedMotion(motion, self.ledger, describe)

    def listen(self, listener: Listener) -> None:
        """Call `listener` with every begin and end, in whatever thread it happens."""
        self._listeners.append(listener)

    def refuse(self, message: str) -> None:
        """A command that was refused before it came to the engine, for whatever axes."""
        self.ledger.refuse([], message)

    def see(self, status: MotionStatus) -> None:
        """Look at what was read for others: then nothing is read for the motions."""
        if self.ledger:
            self.ledger.watch(status)
        self._seen_before, self._seen_at = self._seen_at, time.monotonic()

    def node_ends(self) -> None:
        """The axes are about to be stopped because the node lets go of the engine."""
        self.ledger.mark_all(EndReason.NODE_ENDED, LET_GO)

    def _publish(self, event: Begin | End) -> None:
        if isinstance(event, Begin):
            self._begins.publish(begin_motion(event, self._node.ros_time.at))
            self._begun.set()
        else:
            self._ends.publish(end_motion(event, self._node.ros_time.at))
        for listener in self._listeners:
            listener(event)

    def _attach(self) -> None:
        self._stopped.clear()
        self._thread = threading.Thread(
            target=self._watch, name=f"{self._node.name}-motions", daemon=True
        )
        self._thread.start()

    def _detach(self) -> None:
        """The axes of the node rest by now, as far as anybody can tell."""
        self._stopped.set()
        self._begun.set()
        if self._thread is not None:
            self._thread.join()
        try:
            status = self._read()
            self.ledger.watch(status)
            self.ledger.end_all(EndReason.NODE_ENDED, LET_GO, status)
        except WmxError as error:
            self.ledger.end_all(EndReason.ENGINE_LOST, str(error))

    def _watch(self) -> None:
        while not self._stopped.is_set():
            self._begun.wait()
            self._begun.clear()
            period = WATCH_PERIOD
            while self.ledger and not self._stopped.wait(period):
                if self._others_look():
                    period = RELIEVED_PERIOD
                    continue
                period = WATCH_PERIOD
                try:
                    self.ledger.watch(self._newest())
                except EngineLost as error:
                    self.ledger.end_all(EndReason.ENGINE_LOST, str(error))
                    self._node.lose_engine(error)
                except WmxError as error:
                    self._node.log.error(f"Watching motions: {error}", throttle_duration_sec=1.0)

    def _others_look(self) -> bool:
        """Whether somebody else looks about as often as this thread would."""
        latest = time.monotonic() - 2.0 * WATCH_PERIOD
        return self._seen_at > latest and self._seen_at - self._seen_before < 2.0 * WATCH_PERIOD

    def _newest(self) -> MotionStatus:
        """A status that is no older than the time between two looks."""
        status = self.ledger.newest
        if status is None or time.monotonic() > status.time + WATCH_PERIOD:
            status = self._read()
        return status
