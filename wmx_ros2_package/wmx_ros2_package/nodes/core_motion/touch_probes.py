"""Inputs that latch where axes are, inside the engine."""

from math import nan
from typing import Any

from wmx_ros2_message.srv import GetTouchProbes, SetTouchProbes

from ...drivers.reactions import TouchProbe
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import bit_orders, level, orders


class TouchProbes:
    """`wmx/axis/set_touch_probes` and `wmx/axis/get_touch_probes` of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._reactions = node.driver.reactions
        node.create_service(
            SetTouchProbes,
            "wmx/axis/set_touch_probes",
            self.set,
            failed=lambda _: "Failed to set touch probes.",
            run=AnswerMode.IN_WORKER,
        )
        node.create_service(
            GetTouchProbes,
            "wmx/axis/get_touch_probes",
            self.get,
            failed=lambda _: "Failed to read touch probes.",
            run=AnswerMode.IN_WORKER,
            quiet=True,
        )

    def set(self, request: SetTouchProbes.Request, _: SetTouchProbes.Response) -> str:
        """Have other touch probes for some axes, or none."""
        probes = [
            TouchProbe(axis=axis, address=byte, bit=bit, value=bool(value))
            for axis, byte, bit, value in bit_orders(
                request.index, request.byte, request.bit, value=level(request.value)
            )
        ]
        self._reactions.set_touch_probes([*request.index], probes)
        return "; ".join(
            [f"{p.address}.{p.bit} = {int(p.value)} latches axis {p.axis}" for p in probes]
            or [f"axis {axis} has no touch probe" for axis in request.index]
        )

    def get(self, request: GetTouchProbes.Request, response: GetTouchProbes.Response) -> str:
        """Where axes were when their touch probes latched."""
        latched = self._reactions.touched([axis for (axis,) in orders(request.index)])
        response.touched = [position is not None for position in latched]
        response.position = [nan if position is None else position for position in latched]
        return "OK"
