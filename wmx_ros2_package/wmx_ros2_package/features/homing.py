"""Homing axes as their parameters say."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from wmx_ros2_message.srv import SetAxis

from ..drivers.errors import CommandRefused, ErrorCode
from ..drivers.interface import Motion
from ..drivers.values import MotionStatus, OperationState
from ..node.context import NodeContext
from ..per_axis import Outcome, answer, carry_out
from ..streams import SHOWN
from ..validation import known_axes

STOP_PATIENCE = 5.0
"""How long a stop that is refused is tried, s."""
Arrived = Callable[[MotionStatus, int], bool]
Wait = Callable[[Sequence[Outcome], Arrived, float], Awaitable[list[int]]]


class Homing:
    """The service `wmx/axis/homing` of `node`, whose engine has `axes()` axes.

    `wait` waits until axes have arrived, and gives those that were late.
    """

    def __init__(
        self, node: NodeContext[Any], motion: Motion, axes: Callable[[], int], wait: Wait
    ) -> None:
        self._node = node
        self._motion = motion
        self._axes = axes
        self._wait = wait
        node.serve(SetAxis, "wmx/axis/homing", self.home, failed=lambda _: "Failed to home axes.")

    async def home(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Home axes, and wait until they are; `data` is ignored."""
        with self._node.commanding():
            outcomes = carry_out(
                known_axes(request.index, self._axes()),
                self._motion.home,
                done=lambda axis: f"Homed axis {axis}",
                failed=lambda axis: f"Failed to home axis {axis}",
            )
        ordered = time.monotonic()
        if late := await self._wait(
            outcomes,
            lambda status, axis: has_homed(status, axis, ordered),
            self._node.parameters.homing_timeout,
        ):
            await self._stop(late)
        response.success, response.message = answer(outcomes)

    async def _stop(self, late: Sequence[int]) -> None:
        """End the homing of axes; a stop that is refused is tried again, and it is said."""
        refusal = ""

        def stopped() -> bool:
            nonlocal refusal
            try:
                self._motion.stop(late)
            except CommandRefused as error:
                if not refusal:
                    self._node.say_error(f"Stopping axes {late}, trying again: {error}")
                refusal = str(error)
                return False
            return True

        if not await self._node.until(stopped, STOP_PATIENCE):
            self._node.say_error(f"Axes {late} home on, they cannot be stopped: {refusal}")


def has_homed(status: MotionStatus, axis: int, ordered: float) -> bool:
    """Whether an axis that was `ordered` to home, at that steady time, has; CommandRefused if not.

    An engine begins a few cycles later: until it must have, its status may be of before the order,
    of an axis that rests and has been homed long ago.
    """
    if status.op_state[axis] == OperationState.HOME or status.time <= ordered + SHOWN:
        return False
    if not status.home_done[axis]:
        raise CommandRefused(ErrorCode.NotHomeState, "homing ended before it was done")
    return True
