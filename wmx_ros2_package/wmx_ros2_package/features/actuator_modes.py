"""Brings actuators back to position mode when an effort is over: by itself, and only at rest."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from ..actuators.description import Actuator
from ..drivers.errors import CommandRefused, ErrorCode, WmxError
from ..drivers.values import CommandMode, MotionStatus, OperationState
from ..motions.recorded_motion import RecordedMotion
from ..node.context import NodeContext
from .keeper import PERIOD, Keeper

REST_SPEED = 0.01
"""A motor that is slower than this, rad/s or m/s, rests..."""
REST_TIME = 0.05
"""...when it has been for so long, s."""
PATIENCE = 1.0
"""How long a node that lets go of the engine waits for motors to rest, s."""


class PositionModes:
    """Those of `node`, whose axes were switched to torque mode."""

    def __init__(self, node: NodeContext[Any], motion: RecordedMotion, keeper: Keeper) -> None:
        self._node = node
        self._motion = motion
        self._keeper = keeper
        self._switched: dict[int, Actuator] = {}
        self._resting: dict[int, float] = {}
        """Since when axes rest, s of the steady clock."""
        node.on_detach(self._detach)

    def switched(self, actuator: Actuator) -> None:
        """`actuator` is in torque mode, for an effort that has begun."""
        new = actuator.axis not in self._switched
        self._switched[actuator.axis] = actuator
        if new:
            self._keeper.keep(partial(self._look, actuator.axis))

    def _look(self, axis: int, status: MotionStatus) -> bool:
        actuator = self._switched.get(axis)
        if actuator is None:
            return False
        if not self._rests(axis, status):
            return True
        with self._node.commanding():
            return not self._switch_back(actuator, status)

    def _rests(self, axis: int, status: MotionStatus) -> bool:
        """Whether nothing moves the axis, and its motor has come to rest."""
        assert self._node.motions is not None
        rests = (
            not self._node.motions.ledger.holds([axis])
            and status.op_state[axis] == OperationState.IDLE
            and abs(status.actual_velocity[axis]) < REST_SPEED
        )
        if not rests:
            self._resting.pop(axis, None)
            return False
        return bool(status.time >= self._resting.setdefault(axis, status.time) + REST_TIME)

    def _switch_back(self, actuator: Actuator, status: MotionStatus) -> bool:
        """Whether nothing is left to do; only while no motion can be commanded."""
        assert self._node.motions is not None
        axis = actuator.axis
        if self._node.motions.ledger.holds([axis]):
            return False
        try:
            if status.command_mode[axis] == CommandMode.TORQUE:
                self._motion.set_command_mode(axis, CommandMode.POSITION)
                self._node.say(
                    f"Actuator {actuator.name!r} rests: axis {axis} is in position mode again"
                )
        except CommandRefused as error:
            if error.code == ErrorCode.NotIdleState:
                return False
            self._node.say_error(f"Switching axis {axis} back to position mode: {error}")
        self._switched.pop(axis, None)
        self._resting.pop(axis, None)
        return True

    def _detach(self) -> None:
        """The axes were stopped: motors that come to rest soon are switched back before."""
        deadline = time.monotonic() + PATIENCE
        try:
            while self._switched and time.monotonic() < deadline:
                status = self._node.driver.motion.status()
                for axis in list(self._switched):
                    if (
                        status.op_state[axis] == OperationState.IDLE
                        and abs(status.actual_velocity[axis]) < REST_SPEED
                    ):
                        self._motion.set_command_mode(axis, CommandMode.POSITION)
                        self._node.log.info(f"Axis {axis} is in position mode again")
                        del self._switched[axis]
                time.sleep(PERIOD)
        except WmxError as error:
            self._node.log.error(f"Switching back to position mode: {error}")
        self._switched.clear()
        self._resting.clear()
