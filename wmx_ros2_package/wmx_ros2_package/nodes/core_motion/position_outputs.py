"""Outputs that axes switch by where they are commanded to be, inside the engine."""

from typing import Any

from wmx_ros2_message.srv import SetPositionOutputs

from ...drivers.reactions import PositionOutput
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import bit_orders, finite, level


class PositionOutputs:
    """The service `wmx/axis/set_position_outputs` of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._reactions = node.driver.reactions
        node.create_service(
            SetPositionOutputs,
            "wmx/axis/set_position_outputs",
            self.set,
            failed=lambda _: "Failed to set position outputs.",
            run=AnswerMode.IN_WORKER,
        )

    def set(self, request: SetPositionOutputs.Request, _: SetPositionOutputs.Response) -> str:
        """Have other position outputs for some axes, or none."""
        outputs = [
            PositionOutput(axis=axis, address=byte, bit=bit, position=position, value=bool(value))
            for axis, byte, bit, position, value in bit_orders(
                request.index,
                request.byte,
                request.bit,
                position=finite(request.position, "position"),
                value=level(request.value),
            )
        ]
        self._reactions.set_position_outputs([*request.index], outputs)
        return "; ".join(
            [f"output {o.address}.{o.bit} = {int(o.value)} while axis {o.axis} is beyond "
             f"{o.position:g} u" for o in outputs]
            or [f"axis {axis} switches no output" for axis in request.index]
        )  # fmt: skip
