"""Makes axes ready to move when a node has attached: parameters, alarms, servos."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ..drivers.errors import EngineLost, WmxError
from ..node.context import NodeContext

RETRY_PERIOD = 0.1
"""s between two attempts."""


class ServoStart:
    """Loads a parameter file, then switches servos on, each time that `node` attaches.

    What is refused is tried again until `timeout` (s) is over, for drives may be on their way to
    operation still; then the log says what failed. Without its parameters an axis may have the
    units, directions and limits of another: no servo is switched on then. The node goes on in any
    case: it shows the axes as they are.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        axes: Sequence[int],
        parameter_file: str,
        *,
        switch_on: bool,
        timeout: float,
    ) -> None:
        self._node = node
        self._axes = axes
        self._parameter_file = parameter_file
        self._timeout = timeout
        self._on = switch_on
        node.on_attach(self._make_ready)

    def _make_ready(self) -> None:
        loaded = self._load() if self._parameter_file else True
        if not self._on:
            return
        if loaded:
            self._switch_on()
        else:
            self._node.log.error("No servo was switched on: the parameter file was not loaded")

    def _load(self) -> bool:
        """Whether the parameter file is in force."""
        motion = self._node.driver.motion
        loaded = self._tried(lambda: motion.load_parameters(self._parameter_file))
        if loaded:
            self._node.log.info(f"Loaded WMX parameters from {self._parameter_file}")
        return loaded

    def _switch_on(self) -> None:
        motion = self._node.driver.motion
        asked: set[int] = set()

        def switch_on() -> None:
            status = motion.status()
            for axis in self._axes:
                if status.servo_on[axis]:
                    continue
                if axis not in asked:
                    motion.clear_alarm(axis)
                    motion.set_servo(axis, on=True)
                    asked.add(axis)

        if not self._tried(switch_on):
            return
        deadline = time.monotonic() + self._timeout
        while not motion.status().servo_on[list(self._axes)].all():
            if time.monotonic() > deadline or self._node.stopping.wait(RETRY_PERIOD / 10):
                off = [axis for axis in self._axes if not motion.status().servo_on[axis]]
                self._node.log.error(f"Servos of axes {off} are not on within {self._timeout:g} s")
                return
        self._node.log.info(f"Servos of axes {list(self._axes)} are on")

    def _tried(self, work: Callable[[], None]) -> bool:
        """Whether `work` was done in the end."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                work()
                return True
            except EngineLost:
                raise
            except WmxError as error:
                if time.monotonic() > deadline or self._node.stopping.wait(RETRY_PERIOD):
                    self._node.log.error(f"Making the axes ready: {error}")
                    return False
