"""Stopping axes, whichever node moves them."""

from collections.abc import Sequence
from typing import Any

from wmx_ros2_message.srv import SetAxis

from wmx_core.errors import CommandRefused

from ...node_base.context import NodeContext
from ...validation import one_of, rows
from .per_axis import Outcome, answer, carry_out

STOP, QUICK_STOP = 0, 1
_WORDS = {STOP: "Stopping axis", QUICK_STOP: "Quickly stopping axis"}


class Stops:
    """The service `wmx/axis/stop` of `node`.

    It needs no ownership, waits for nothing and is answered at once: the axes slow down then.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        node.create_service(
            SetAxis, "wmx/axis/stop", self.stop, failed=lambda _: "Failed to stop axes.", late=True
        )

    def stop(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Stop axes: with their deceleration (0) or quickly (1).

        Without `index` all of them, by one element of `data`, or none, which is 0.
        """
        index, kinds = request.index or range(self._node.engine_axes), request.data or [STOP]
        if len(kinds) == 1 and not (request.index and request.data):
            kinds = [kinds[0]] * len(index)
        stops = rows(
            index,
            data=one_of(
                kinds,
                _WORDS,
                "Invalid data {value} for axis {axis}: must be 0 (stop) or 1 (quick stop)",
            ),
        )
        # Each kind at once, so that all stop in the same cycle.
        outcomes: list[Outcome] = []
        for kind in (STOP, QUICK_STOP):
            axes = [axis for axis, wanted in stops if wanted == kind]
            if axes:
                outcomes += self._stop_all(axes, kind)
        order = [axis for axis, _ in stops]
        outcomes.sort(key=lambda outcome: order.index(outcome.axis))
        response.success, response.message = answer(outcomes)

    def _stop_all(self, axes: Sequence[int], kind: int) -> list[Outcome]:
        """Stop `axes` together, or one by one where that is refused: then the others stop."""
        quick = kind == QUICK_STOP
        together: CommandRefused | None = None
        try:
            self._node.gate.stop(axes, quick=quick)
        except CommandRefused as error:
            together = error

        def stop_one(axis: int) -> None:
            if together is not None:
                self._node.gate.stop([axis], quick=quick)

        return carry_out(
            [(axis,) for axis in axes],
            stop_one,
            done=lambda axis: f"{_WORDS[kind]} {axis}",
            failed=lambda axis: f"Failed to stop axis {axis}",
        )
