"""Outputs that axes switch by where they are commanded to be, inside the engine."""

from typing import Any

from wmx_ros2_message.srv import SetPositionOutputs

from ... import validation
from ...drivers.reactions import PositionOutput
from ...node.context import NodeContext
from ...node.doors import AnswerMode
from ...validation import any_of, finite, one_of, orders


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
        outputs = _outputs(request)
        self._reactions.set_position_outputs([*request.index], outputs)
        return "; ".join(
            [f"output {o.address}.{o.bit} = {int(o.value)} while axis {o.axis} is beyond "
             f"{o.position:g} u" for o in outputs]
            or [f"axis {axis} switches no output" for axis in request.index]
        )  # fmt: skip


def _outputs(request: SetPositionOutputs.Request) -> list[PositionOutput]:
    """What is asked for, once all of it is judged."""
    if not any(map(len, (request.byte, request.bit, request.position, request.value))):
        orders(request.index)
        return []
    wanted = orders(
        request.index,
        byte=any_of(request.byte),
        bit=any_of(request.bit),
        position=finite(request.position, "position"),
        value=one_of(request.value, (0, 1), "value of axis {axis} is {value}: must be 0 or 1"),
    )
    validation.bits(request.byte, request.bit)
    return [
        PositionOutput(axis=axis, address=byte, bit=bit, position=position, value=bool(value))
        for axis, byte, bit, position, value in wanted
    ]
