"""The emergency stop of the machine, for all axes, nodes and processes.

The engine carries it out, and forgets it when it ends. So it is kept here and in the axis file: it
is in force again before a new engine, or a new engine node, lets anything move, and ends with its
release alone.
"""

import math
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from std_srvs.srv import SetBool

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.values import EmergencyStop, MotionStatus

from ...node_base.attachment import ReadyTopic
from ...node_base.context import NodeContext
from ...node_base.threads import Ended


class EmergencyStops:
    """`wmx/engine/estop` and `wmx/engine/estop_active` of `node`, which has `estop_level`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._level: EmergencyStop | None = None
        """The level in force, whether there is an engine or not."""
        self._changed_at = -math.inf
        """When it was changed here last, s of the steady clock."""
        self._sent_at = -math.inf
        """When the newest stop was sent, s of the steady clock."""
        self._unkept = False
        """Whether the axis file has yet to get what was asked for while the device was closed."""
        self._changing = threading.RLock()
        """Held while a stop or a release is given: the device may be opened at the same time."""
        self.count = 0
        """How often clients have asked for a stop."""
        self.on_stop: Callable[[], object] = lambda: None
        """Called after each stop that clients have asked for."""
        self._active = ReadyTopic(node, "wmx/engine/estop_active")
        node.create_service(
            SetBool,
            "wmx/engine/estop",
            self.set,
            failed=lambda _: "Emergency stop:",
            dated=True,
            always=True,
            late=True,
        )

    @property
    def active(self) -> bool:
        """Whether an emergency stop is in force, with or without an engine."""
        return self._level is not None

    def set(self, request: SetBool.Request, _: SetBool.Response, sent: float) -> str:
        """Stop every axis, however late that comes, and keep it stopped until the release.

        A release that was `sent` before the newest stop is refused: it was not meant for that.
        """
        if request.data:
            self._sent_at, self.count = max(self._sent_at, sent), self.count + 1
            try:
                with self._changing:
                    return self._stop()
            finally:
                self.on_stop()
        self._node.require_prompt(sent)
        if sent < self._sent_at:
            raise CommandRefused(ErrorCode.NotIdleState, "it was sent before the newest stop")
        with self._changing:
            return self._release()

    def restore(self) -> None:
        """Put the emergency stop in force that was asked for before the engine came up."""
        with self._changing:
            self._restore()

    def _restore(self) -> None:
        words = "is still active"
        self._keep_in_file()
        level, file = self._level, self._node.ownership.file
        if level is None and file is not None:
            level = self._level = file.emergency_stop
            if file.assumed_stop:
                words = (
                    "counts as active, for the file that would say so was unreadable; the stop "
                    "inputs in it are gone and have to be set again"
                )
        if level is not None:
            self._node.gate.emergency_stop(level)
            self._set(level)
            self._node.log.warning(
                f"The emergency stop ({level.name.lower()}) {words}: "
                "wmx/engine/estop {data: false} releases it"
            )

    def _stop(self) -> str:
        level = EmergencyStop(self._node.parameters.estop_level)
        kept, left = self._node.ownership.file is not None, ""
        try:
            self._node.gate.emergency_stop(level)
        except EngineLost as error:
            self._node.lose_engine(error)
            kept = kept and self._node.ownership.file is not None
            left = f". The engine, which is lost, has it before anything moves again: {error}"
        except CommandRefused as error:
            if error.code == ErrorCode.CurrentEmergencyStopLevelIsHigher:
                return "A harder emergency stop is active already"
            if (file := self._node.ownership.file) is not None:  # there is an engine
                in_force = None
                with suppress(WmxError):
                    in_force = self._node.gate.status().emergency_stop
                if in_force is not level:
                    raise
                file.emergency_stop = level
                left = f". What follows it, such as holding an axis, was refused: {error}"
            else:
                kept = False
        self._set(level, kept=kept)
        words = f"Emergency stop ({level.name.lower()}) active: motion is refused until its release"
        return words + left

    def _release(self) -> str:
        kept = self._node.ownership.file is not None
        try:
            self._node.gate.release_emergency_stop()
        except (EngineLost, CommandRefused):
            if self._node.ownership.file is not None:
                raise  # it would still be in force
            kept = False
        self._set(None, kept=kept)
        return "Emergency stop released: nothing moves until it is commanded again"

    def _set(self, level: EmergencyStop | None, *, kept: bool = True) -> None:
        """Have `level` in force, which the axis file has where it is `kept`."""
        self._changed_at = self._node.clock.now()  # first, as `follow` reads it last
        self._level = level
        self._active.set(level is not None)
        if not kept:
            self._unkept = True
            with suppress(Ended):
                self._node.worker.do(self._keep, bounded=False)  # for opening the file may wait

    def _keep_in_file(self) -> bool:
        """Give the axis file what was asked for before it was open; whether it is open."""
        file = self._node.ownership.file
        if file is not None and self._unkept:
            file.emergency_stop, self._unkept = self._level, False
        return file is not None

    def _keep(self) -> None:
        """Keep the stop for whoever opens the device, which is closed; in the worker."""
        node = self._node
        with self._changing:
            if self._keep_in_file() or not self._unkept:
                return
            level = self._level
        path = node.common.device_path
        try:
            node.ownership.keep_emergency_stop(path, node.full_name, level)
        except OSError as error:
            node.log.error(f"The emergency stop ends with this node: {error}")
            return
        with self._changing:
            self._unkept = self._level is not level  # changed since, perhaps with an open device
            self._keep_in_file()

    def follow(self, status: MotionStatus) -> None:
        """Follow what other devices do to the emergency stop of the engine, which is ready.

        Before it is ready, a new engine has none: what was asked for has yet to be restored. Nor
        does a status show at once what was changed here.
        """
        file = self._node.ownership.file
        differs = status.emergency_stop is not self._level
        if file is None or not status.communicating or not differs:
            return
        if status.time > self._changed_at + self._node.driver.status_latency:
            self._level = file.emergency_stop = status.emergency_stop
            self._active.set(self._level is not None)
