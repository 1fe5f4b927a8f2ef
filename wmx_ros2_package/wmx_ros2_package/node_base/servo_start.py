"""Makes axes ready to move when a node has attached: parameters each time, servos once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ..control.shared_axis_file import ServoHistory
from ..drivers.errors import EngineLost, WmxError
from ..drivers.parameters.parameter_set import read_parameters
from .context import NodeContext

RETRY_PERIOD = 0.1
"""s between two attempts."""


class ServoStart:
    """Loads a parameter file each time that `node` attaches, and switches servos on once.

    What was lost, restarted or switched off switches no servo on: after the first time, and for an
    axis whose servo another node of the system has switched on or a client has switched off, a
    client has to ask for it. What is refused is tried again until `timeout` (s) is over, for drives
    may be on their way to operation still; then what failed is logged. Without its parameters an
    axis may have the units, directions and limits of another: no servo is switched on then. The
    node goes on in any case: it shows the axes as they are.
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
        self._axes = list(axes)
        self._parameter_file = parameter_file
        self._timeout = timeout
        self._wanted = switch_on
        self._done = False
        node.on_attached.append(self._make_ready)

    def _make_ready(self) -> None:
        loaded = self._load() if self._parameter_file else True
        if not self._wanted:
            return
        if not loaded:
            self._node.log.error("No servo was switched on: the parameter file was not loaded")
        elif axes := self._never_switched():
            self._switch_on(axes)
        self._done = True

    def _load(self) -> bool:
        """Whether the parameter file is in force.

        Where another node of the robot has loaded it, nothing is set: servos may be on already, and
        a setting makes the gate refuse what was asked for before it.
        """
        file = self._parameter_file

        def load() -> None:
            in_force = self._node.driver.motion.parameters()
            if read_parameters(file).over(in_force) != in_force:
                self._node.gate.load_parameters(file)

        loaded = self._tried(load)
        if loaded:
            self._node.log.info(f"The WMX parameters of {file} are in force")
        return loaded

    def _never_switched(self) -> list[int]:
        """The axes whose servos no node and no client has switched yet."""
        if (file := self._node.ownership.file) is None:
            return []
        status = self._node.gate.status()
        off = [axis for axis in self._axes if not status.servo_on[axis]]
        history = file.servo_history
        untouched = [a for a in off if not self._done and history(a) is ServoHistory.UNTOUCHED]
        if left := [axis for axis in off if axis not in untouched]:
            self._node.log.warning(
                f"The servos of axes {left} are left as they are, for they were switched on or "
                "off before: where one is off, wmx/axis/set_on switches it on"
            )
        return untouched

    def _switch_on(self, axes: Sequence[int]) -> None:
        gate = self._node.gate
        asked: set[int] = set()

        def switch_on() -> None:
            for axis in axes:
                if axis not in asked:
                    gate.clear_alarm(axis)
                    gate.set_servo(axis, on=True)
                    asked.add(axis)

        if not self._tried(switch_on):
            return
        deadline = time.monotonic() + self._timeout
        while not gate.status().servo_on[list(axes)].all():
            if time.monotonic() > deadline or self._node.deactivating.wait(RETRY_PERIOD / 10):
                off = [axis for axis in axes if not gate.status().servo_on[axis]]
                self._node.log.error(f"Servos of axes {off} are not on within {self._timeout:g} s")
                return
        self._node.log.info(f"Servos of axes {list(axes)} are on")

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
                if time.monotonic() > deadline or self._node.deactivating.wait(RETRY_PERIOD):
                    self._node.log.error(f"Making the axes ready: {error}")
                    return False
