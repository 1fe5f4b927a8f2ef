"""What axes and inputs and outputs do together inside the engine, with no node in between.

Touch probes are inputs that latch where axes are, position outputs are outputs that axes switch by
where they are commanded to be.
"""

from math import nan
from typing import Any

from wmx_ros2_message.srv import GetTouchProbes, SetPositionOutputs, SetTouchProbes

from wmx_core.reactions import PositionOutput, TouchProbe

from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import bit_rows, finite, level, rows


class Reactions:
    """The services of `node` for touch probes and position outputs."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._reactions = node.driver.reactions
        self._settings = node.settings
        node.create_service(
            SetTouchProbes,
            "wmx/axis/set_touch_probes",
            self.set_touch_probes,
            failed=lambda _: "Failed to set touch probes.",
            run=AnswerMode.IN_WORKER,
        )
        node.create_service(
            GetTouchProbes,
            "wmx/axis/get_touch_probes",
            self.get_touch_probes,
            failed=lambda _: "Failed to read touch probes.",
            run=AnswerMode.IN_WORKER,
            quiet=True,
        )
        node.create_service(
            SetPositionOutputs,
            "wmx/axis/set_position_outputs",
            self.set_position_outputs,
            failed=lambda _: "Failed to set position outputs.",
            run=AnswerMode.IN_WORKER,
        )

    def set_touch_probes(self, request: SetTouchProbes.Request, _: SetTouchProbes.Response) -> str:
        """Have other touch probes for some axes, or none."""
        probes = [
            TouchProbe(axis=axis, address=byte, bit=bit, value=bool(value))
            for axis, byte, bit, value in bit_rows(
                request.index, request.byte, request.bit, value=level(request.value)
            )
        ]
        self._reactions.set_touch_probes([*request.index], probes)
        return "; ".join(
            [f"{p.address}.{p.bit} = {int(p.value)} latches axis {p.axis}" for p in probes]
            or [f"axis {axis} has no touch probe" for axis in request.index]
        )

    def get_touch_probes(
        self, request: GetTouchProbes.Request, response: GetTouchProbes.Response
    ) -> str:
        """Where axes were when their touch probes latched."""
        latched = self._reactions.touched([axis for (axis,) in rows(request.index)])
        response.touched = [position is not None for position in latched]
        response.position = [nan if position is None else position for position in latched]
        return "OK"

    def set_position_outputs(
        self, request: SetPositionOutputs.Request, _: SetPositionOutputs.Response
    ) -> str:
        """Have other position outputs for some axes, or none."""
        outputs = [
            PositionOutput(axis=axis, address=byte, bit=bit, position=position, value=bool(value))
            for axis, byte, bit, position, value in bit_rows(
                request.index,
                request.byte,
                request.bit,
                position=finite(request.position, "position"),
                value=level(request.value),
            )
        ]
        self._settings.set_position_outputs([*request.index], outputs)
        return "; ".join(
            [f"output {o.address}.{o.bit} = {int(o.value)} while axis {o.axis} is beyond "
             f"{o.position:g} u" for o in outputs]
            or [f"axis {axis} switches no output" for axis in request.index]
        )  # fmt: skip
