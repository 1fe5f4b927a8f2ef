"""Makes axes ready to move when a node has attached: parameters and servos, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from wmx_core.errors import EngineLost, ErrorCode, WmxError
from wmx_core.parameters.mistakes import counted
from wmx_core.parameters.parameter_set import read_parameters

from ..control.axis_file.records import ServoHistory, StopCause
from ..control.ownership import AxisOwned
from .context import NodeContext

LOAD_TIMEOUT = 5.0
"""How long a node waits for the parameters of its axes that another one loads, s."""
RETRY_PERIOD = 0.1
"""s between two attempts."""


def require_units(
    node: NodeContext[Any],
    axes: Sequence[int],
    timeout: float,
    look: Callable[[], object] = lambda: None,
) -> None:
    """Refuse axes whose user unit is an encoder count, where a robot has rad or m.

    A goal of 1 rad would succeed by moving one count. Another node of the robot may be about to
    load their parameters: they get `timeout` seconds, in which `look` is called again and again.
    """
    deadline = node.clock.now() + timeout
    while raw := counted(node.driver.motion.parameters(), axes):
        look()
        if node.clock.now() > deadline or node.deactivating.wait(RETRY_PERIOD):
            detail = (
                f"axes {raw} have gear ratio 1, so that their user unit is one encoder count: must "
                "be rad or m for a robot. Load its parameters: wmx_param_file_path, wmx/params/load"
            )
            raise WmxError(ErrorCode.ParameterSettingsInvalid, detail)


class ServoStart:
    """Loads a parameter file and switches servos on, once in the life of a system.

    What was lost, restarted or switched off switches no servo on: after the first time, and for an
    axis whose servo another node of the system has switched on or a client has switched off, a
    client has to ask for it. So it is where there is an emergency stop, or an axis is stopped
    meanwhile. What is refused is tried again until `timeout` (s) is over, for drives may be on
    their way to operation still; then what failed is logged. Without its parameters an axis may
    have the units, directions and limits of another: no servo is switched on then. The node goes
    on, and shows the axes as they are; but not where their unit is an encoder count. A file that
    breaks a rule is a ParameterFileError here.
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
        self._began = 0.0
        """When its first attempt began, s of the steady clock."""
        self._left: set[int] = set()
        """The axes that somebody has stopped, or whose servo was switched off, since then."""
        if parameter_file:
            read_parameters(parameter_file)  # a wrong file ends the node at once
        node.on_attached.append(self._make_ready)

    def _make_ready(self) -> None:
        self._began = self._began or self._node.clock.now()  # a stop between two attempts counts
        loaded = self._load() if self._parameter_file else True
        require_units(self._node, self._axes, self._timeout, self._look)
        if not self._wanted:
            return
        if not loaded:
            self._node.log.error("No servo was switched on: the parameter file was not loaded")
        elif axes := self._never_switched():
            self._switch_on(axes)
        self._done = True

    def _load(self) -> bool:
        """Whether the parameter file was loaded, now or before.

        It is loaded once in the life of a system: what clients have set since is not undone. Where
        its parameters are in force nothing is set: servos may be on already, and a setting makes
        the gate refuse what was asked for before it.
        """
        file = self._parameter_file
        loaded = self._tried(lambda: self._node.gate.load_parameters_at_start(file))
        if loaded:
            in_force = self._node.driver.motion.parameters()
            kept = read_parameters(file).over(in_force) == in_force
            since = "" if kept else ", but for what clients have set since they were loaded"
            self._node.log.info(f"The WMX parameters of {file} are in force{since}")
        return loaded

    def _never_switched(self) -> list[int]:
        """The axes whose servos no node and no client has switched yet."""
        if (file := self._node.ownership.file) is None:
            return []
        waited: set[int] = set()
        while True:
            history = {axis: file.servo_history(axis) for axis in self._axes}
            on = {axis for axis in self._axes if history[axis] is ServoHistory.SWITCHED_ON}
            if self._done or on <= waited:
                break
            self._are_on(sorted(on))  # another node of the robot may be switching them on just now
            waited |= on
        off = self._off(self._axes)
        untouched = [a for a in off if not self._done and history[a] is ServoHistory.UNTOUCHED]
        if left := [axis for axis in off if axis not in untouched]:
            self._leave(left)
        return untouched

    def _leave(self, axes: Sequence[int]) -> None:
        self._node.log.warning(
            f"The servos of axes {axes} are left as they are, for they were switched on or off, "
            "or stopped, before: where one is off, wmx/axis/set_on switches it on"
        )

    def _switch_on(self, axes: Sequence[int]) -> None:
        gate = self._node.gate
        asked: list[int] = []

        def switch_on() -> None:
            for axis in axes:
                self._look()  # the axes before it may have taken long
                if axis in self._left or axis in asked:
                    continue
                gate.clear_alarm(axis)
                self._look()
                if axis in self._left:
                    continue
                try:
                    gate.set_servo(axis, on=True)
                finally:  # also where it was taken, and not answered
                    self._look()
                    if axis in self._left:  # just before that
                        self._tried(partial(self._take_back, axis))
                if axis not in self._left:
                    asked.append(axis)

        tried = self._tried(switch_on)
        if left := [axis for axis in self._off(axes) if axis not in asked and axis in self._left]:
            self._leave(left)
        if not tried or not asked:
            return
        if self._are_on(asked):
            self._node.log.info(f"Servos of axes {asked} are on")
        elif not self._node.deactivating.is_set():
            off = self._off(asked)
            self._node.log.error(f"Servos of axes {off} are not on within {self._timeout:g} s")

    def _take_back(self, axis: int) -> None:
        """Switch a servo off again, unless somebody has switched it on, too, and moves the axis."""
        with suppress(AxisOwned), self._node.ownership.setting([axis]):
            self._node.gate.set_servo(axis, on=False)

    def _look(self) -> None:
        """Note which axes somebody wants at rest; often, for a later setting hides a stop."""
        self._left.update(filter(self._is_stopped, self._axes))

    def _is_stopped(self, axis: int) -> bool:
        if (file := self._node.ownership.file) is None or file.emergency_stop is not None:
            return True
        # Settings count as stops for what was asked before: this node loads a file, or another one.
        is_stop = file.stop_cause(axis) is not StopCause.SETTING
        off = file.servo_history(axis) is ServoHistory.SWITCHED_OFF
        return off or (is_stop and bool(file.stopped[axis] >= self._began))

    def _off(self, axes: Sequence[int]) -> list[int]:
        status = self._node.gate.status()
        return [axis for axis in axes if not status.servo_on[axis]]

    def _are_on(self, axes: Sequence[int]) -> bool:
        """Whether the servos of `axes` are on within the timeout."""
        deadline = self._node.clock.now() + self._timeout
        while self._off(axes):
            self._look()
            if self._node.clock.now() > deadline or self._node.deactivating.wait(RETRY_PERIOD / 10):
                return False
        return True

    def _tried(self, work: Callable[[], object]) -> bool:
        """Whether `work` was done in the end."""
        deadline = self._node.clock.now() + self._timeout
        while True:
            self._look()
            try:
                work()
                return True
            except EngineLost:
                raise
            except WmxError as error:
                if self._node.clock.now() > deadline or self._node.deactivating.wait(RETRY_PERIOD):
                    self._node.log.error(f"Making the axes ready: {error}")
                    return False
