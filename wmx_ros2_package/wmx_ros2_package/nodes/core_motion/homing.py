"""Homing axes by their parameters."""

import time
from contextlib import suppress
from typing import Any

from wmx_ros2_message.srv import SetAxis

from ...control.request import EndReason, MotionKind, MotionRequest
from ...drivers.errors import CommandRefused, ErrorCode
from ...drivers.values import MotionStatus, OperationState
from ...node_base.context import NodeContext
from ...validation import known_axes
from .per_axis import answer, carry_out, wait_for


class Homing:
    """The service `wmx/axis/homing` of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        node.create_service(
            SetAxis, "wmx/axis/homing", self.home, failed=lambda _: "Failed to home axes."
        )

    async def home(self, request: SetAxis.Request, response: SetAxis.Response, sent: float) -> None:
        """Home axes, and wait until they are; `data` is ignored."""
        wanted = known_axes(request.index, self._node.engine_axes)

        def home_one(axis: int) -> None:
            homing = MotionRequest(
                kind=MotionKind.HOMING, axes=(axis,), asked_at=sent, purpose="position"
            )
            self._node.gate.issue([homing], lambda motion: motion.home(axis))

        outcomes = await self._node.in_worker(
            lambda: carry_out(
                wanted,
                home_one,
                done=lambda axis: f"Homed axis {axis}",
                failed=lambda axis: f"Failed to home axis {axis}",
            )
        )
        node, gate = self._node, self._node.gate
        shown_from = time.monotonic() + 4.0 * node.driver.status_latency

        def homed(status: MotionStatus, axis: int) -> bool:
            return has_homed(status, axis, shown_from)

        timeout = node.parameters.homing_timeout
        if late := await wait_for(outcomes, homed, gate.status, node.until, timeout):
            with suppress(CommandRefused):  # the gate gives it again
                gate.stop(late, reason=EndReason.TIMED_OUT, message="homing took too long")
        response.success, response.message = answer(outcomes)


def has_homed(status: MotionStatus, axis: int, shown_from: float) -> bool:
    """Whether `axis` has homed; CommandRefused if it ended without.

    Until `shown_from` (s of the steady clock) the status may be of before the command, of an axis
    that rests and was homed long ago.
    """
    if status.op_state[axis] == OperationState.HOME or status.time <= shown_from:
        return False
    if not status.home_done[axis]:
        raise CommandRefused(ErrorCode.NotHomeState, "homing ended before it was done")
    return True
