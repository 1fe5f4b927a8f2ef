"""Stopping axes, whoever moves them."""

from collections.abc import Callable, Sequence
from typing import Any

from wmx_ros2_message.srv import SetAxis

from ..drivers.errors import CommandRefused
from ..node.context import NodeContext
from ..per_axis import Outcome, answer, carry_out
from ..validation import one_of, orders

STOP, QUICK_STOP = 0, 1
_SAID = {STOP: "Stopping axis", QUICK_STOP: "Quickly stopping axis"}


class AxisStop:
    """The service `wmx/axis/stop` of `node`, whose engine has `axes()` axes.

    It needs no ownership, waits for nothing and is answered at once: the axes slow down then.
    `stopping` is told first, so that nothing which the node keeps moving goes on.
    """

    def __init__(
        self,
        node: NodeContext[Any],
        axes: Callable[[], int],
        stopping: Callable[[Sequence[int]], None],
    ) -> None:
        self._motion = node.driver.motion
        self._axes = axes
        self._stopping = stopping
        node.serve(SetAxis, "wmx/axis/stop", self.stop, failed=lambda _: "Failed to stop axes.")

    def stop(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Stop axes, all without `index`: with their deceleration (0) or quickly (1)."""
        index = request.index or range(self._axes())
        stops = orders(
            index,
            data=one_of(
                request.data or [STOP] * len(index),
                _SAID,
                "Invalid data {value} for axis {axis}: must be 0 (stop) or 1 (quick stop)",
            ),
        )
        self._stopping([axis for axis, _ in stops])
        # Each kind at once, so that all stop in the same cycle.
        outcomes: list[Outcome] = []
        for kind, stop in ((STOP, self._motion.stop), (QUICK_STOP, self._motion.quick_stop)):
            axes = [axis for axis, wanted in stops if wanted == kind]
            if axes:
                outcomes += _stop_all(axes, kind, stop)
        order = [axis for axis, _ in stops]
        outcomes.sort(key=lambda outcome: order.index(outcome.axis))
        response.success, response.message = answer(outcomes)


def _stop_all(
    axes: Sequence[int], kind: int, stop: Callable[[Sequence[int]], None]
) -> list[Outcome]:
    """Stop `axes` together, or where that is refused one by one: the others stop all the same."""
    together: CommandRefused | None = None
    try:
        stop(axes)
    except CommandRefused as error:
        together = error

    def stop_one(axis: int) -> None:
        if together is not None:
            stop([axis])

    return carry_out(
        [(axis,) for axis in axes],
        stop_one,
        done=lambda axis: f"{_SAID[kind]} {axis}",
        failed=lambda axis: f"Failed to stop axis {axis}",
    )
