"""The speed of the whole system, which clients override and pause: see `control/speed.py`."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from wmx_ros2_message.msg import SystemSpeed
from wmx_ros2_message.srv import SetSpeed

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import REST_VELOCITY, MotionStatus

from ...control.axis_file.records import FULL_SPEED, LEAST_SPEED, AxisPause, Speed
from ...control.axis_file.shared import SharedAxisFile
from ...node_base.attachment import READY_PERIOD
from ...node_base.context import NodeContext
from ...node_base.qos import latched
from ...node_base.refusals import NotReady
from ...validation import BadRequest, NothingAsked
from .emergency_stop import EmergencyStops

REST_TIMEOUT = 5.0
"""How long axes may take to come to rest in a pause, s."""
TAKES = 0.1
"""After so long what was on its way to an axis as the pause came has begun, and is paused, s."""


class SpeedServices:
    """`wmx/engine/set_speed`, and what is so on `wmx/engine/speed`, of `node`."""

    def __init__(self, node: NodeContext[Any], stops: EmergencyStops) -> None:
        self._node = node
        self._stops = stops
        self._pauses = 0
        self._publisher = node.create_publisher(SystemSpeed, "wmx/engine/speed", latched())
        self._paused_at = -inf
        """When the newest pause was asked for, s of the steady clock."""
        node.create_service(SetSpeed, "wmx/engine/set_speed", self.set, dated=True, late=True)
        node.create_timer(READY_PERIOD, self.publish)
        stops.on_stop = self.publish

    async def set(self, request: SetSpeed.Request, _: SetSpeed.Response, sent: float) -> str:
        """Pause or resume what moves, or let it go at a part of its speed.

        A pause comes never too late. A resume that was `sent` before the newest one is refused: it
        was not meant for that.
        """
        if (file := self._node.ownership.file) is None:
            raise NotReady(self._node.kind.not_ready)
        if request.action != SetSpeed.Request.PAUSE:
            self._node.require_prompt(sent)
        if request.action == SetSpeed.Request.OVERRIDE:
            return self._override(file, request.percent)
        if request.action not in (SetSpeed.Request.PAUSE, SetSpeed.Request.RESUME):
            kind = BadRequest if request.action else NothingAsked
            raise kind([f"action is {request.action}: must be 1, 2 or 3"])
        if request.percent:
            raise BadRequest([f"percent is {request.percent}: must be 0 but with OVERRIDE"])
        if request.action == SetSpeed.Request.PAUSE:
            self._paused_at, self._pauses = max(self._paused_at, sent), self._pauses + 1
            return await self._pause(file)
        if sent < self._paused_at:
            raise CommandRefused(ErrorCode.NotIdleState, "it was sent before the newest pause")
        return self._resume(file)

    def _override(self, file: SharedAxisFile, percent: int) -> str:
        if not LEAST_SPEED <= percent <= FULL_SPEED:
            rule = f"must be {LEAST_SPEED} to {FULL_SPEED}"
            raise BadRequest([f"percent is {percent}: {rule}; what is to stand is paused"])
        paused = file.speed.paused
        self._set(file, Speed(percent, paused))
        return f"Axes move at {percent} % of their speed{', once resumed' if paused else ''}"

    async def _pause(self, file: SharedAxisFile) -> str:
        """Pause, and answer when all axes rest."""
        if not file.speed.paused:  # what an earlier pause has left says nothing of this one
            for axis in file.pauses():
                file.set_pause(axis, AxisPause.NONE)
        self._set(file, Speed(file.speed.percent, paused=True))
        since = self._node.clock.now()
        moving: list[int] = []
        unanswered: CommandRefused | None = None

        def rest() -> bool:
            nonlocal unanswered
            if not file.speed.paused:
                raise CommandRefused(ErrorCode.AxisNotPaused, "it was resumed meanwhile")
            try:
                status, unanswered = self._node.gate.status(), None
            except CommandRefused as error:  # perhaps the next one is answered
                unanswered = error
                return False
            moving[:] = _moving(status)
            return not moving and status.time > since + TAKES

        if not await self._node.until(rest, REST_TIMEOUT):
            if unanswered is not None:
                detail = f"paused, but no status shows whether axes rest: {unanswered.detail}"
                raise CommandRefused(unanswered.code, detail)
            detail = f"paused, but axes {moving} still move after {REST_TIMEOUT:g} s"
            raise CommandRefused(ErrorCode.WaitTimeout, detail)
        return "Paused: all axes rest, and no motion begins until it is resumed"

    def _resume(self, file: SharedAxisFile) -> str:
        """Let all that was paused go on, or nothing where a motor is elsewhere by now."""
        if not file.speed.paused:
            raise CommandRefused(ErrorCode.AxisNotPaused, "the system is not paused")
        status, pauses = self._node.gate.status(), file.pauses()
        if status.emergency_stop is not None:
            detail = "release the emergency stop first: until then the pause stays"
            raise CommandRefused(ErrorCode.EmergencyStopSignalOn, detail)
        owners = self._node.ownership.owners(pauses, status)
        if away := [axis for axis in owners if pauses[axis] is AxisPause.AWAY]:
            texts = [
                f"axis {axis} of {owners[axis]} is "
                f"{abs(float(status.pos_cmd[axis] - status.actual_pos[axis])):.4g} u from where it "
                "was paused"
                for axis in away
            ]
            rule = "bring it back, or stop the motion"
            raise CommandRefused(ErrorCode.NotIdleState, f"{'; '.join(texts)}: {rule}")
        self._set(file, Speed(file.speed.percent))
        if not owners:
            return "Resumed: nothing was on its way, and motions may begin again"
        return f"Resumed: axes {sorted(owners)} go on at {file.speed.percent} % of their speed"

    def _set(self, file: SharedAxisFile, speed: Speed) -> None:
        file.speed = speed
        self._node.ownership.require_usable()  # else it was not recorded
        self.publish()

    def publish(self) -> None:
        """Publish what clients have set, as soon as there is a system."""
        if (file := self._node.ownership.file) is not None:
            speed = file.speed
            self._publisher.publish(
                SystemSpeed(
                    percent=speed.percent,
                    paused=speed.paused,
                    pauses=self._pauses,
                    emergency_stops=self._stops.count,
                )
            )


def _moving(status: MotionStatus) -> list[int]:
    """The axes that are commanded to move, or whose motors turn."""
    turning = np.abs(status.actual_velocity) > REST_VELOCITY
    moving = (status.velocity_cmd != 0.0) | (turning & status.servo_on)
    return [int(axis) for axis in moving.nonzero()[0]]
