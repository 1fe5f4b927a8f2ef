"""The inputs that stop axes inside the engine, for all nodes and processes: see `control`."""

from collections.abc import Iterator, Sequence
from typing import Any

from wmx_ros2_message.srv import GetStopInputs, SetStopInputs

from wmx_core.errors import CommandRefused
from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import MotionStatus

from ...control.stop_inputs import words
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import bit_rows, level, one_of

WATCH_RATE = 20.0
"""How often inputs are read, Hz: one that is on until then stops what waits to begin, too."""
_KINDS = {
    StopKind.STOP: "stops",
    StopKind.QUICK_STOP: "quickly stops",
    StopKind.EMERGENCY_STOP: "makes an emergency stop for",
}


class StopInputServices:
    """`wmx/engine/set_stop_inputs` and `wmx/engine/get_stop_inputs` of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._on: list[StopInput] = []
        node.create_service(
            SetStopInputs,
            "wmx/engine/set_stop_inputs",
            self.set,
            failed=lambda _: "Failed to set stop inputs.",
            run=AnswerMode.IN_WORKER,
        )
        node.create_service(
            GetStopInputs,
            "wmx/engine/get_stop_inputs",
            self.get,
            failed=lambda _: "Failed to read stop inputs.",
            run=AnswerMode.ASIDE,
            quiet=True,
        )
        node.supervisor.add_sink(
            self._watch,
            WATCH_RATE,
            name="stop inputs",
            wanted=lambda: node.stop_inputs.all() or self._on,
        )

    def set(self, request: SetStopInputs.Request, _: SetStopInputs.Response) -> str:
        """Have other stop inputs for some axes, or none."""
        kind = one_of(
            request.data,
            StopKind,
            "Invalid data {value} for axis {axis}: must be 0 (stop), 1 (quick stop) or "
            "2 (emergency stop)",
        )
        inputs = [
            StopInput(axis=axis, address=byte, bit=bit, value=bool(value), kind=StopKind(data))
            for axis, byte, bit, value, data in bit_rows(
                request.index, request.byte, request.bit, value=level(request.value), data=kind
            )
        ]
        self._node.stop_inputs.replace(request.index, inputs)
        done = [
            f"{each.place} = {int(each.value)} {_KINDS[each.kind]} axis {each.axis}"
            for each in inputs
        ] or [f"axis {axis} has no stop input" for axis in request.index]
        return "; ".join([*done, *self._without_slave(inputs)])

    def _without_slave(self, inputs: Sequence[StopInput]) -> Iterator[str]:
        """Warn of inputs that are beyond those of the known slaves, perhaps by a mistake."""
        networks = self._node.driver.networks()
        size = sum(network.statistics.total_input_size for network in networks)
        for each in inputs:
            if networks and each.address >= size:
                warning = f"no slave has the input {each.place}: the networks have {size} bytes"
                self._node.log.warning(warning)
                yield warning

    def get(self, _request: GetStopInputs.Request, response: GetStopInputs.Response) -> str:
        """Which inputs stop axes, and which of them are on."""
        inputs = self._node.stop_inputs.all()
        response.index = [each.axis for each in inputs]
        response.byte = [each.address for each in inputs]
        response.bit = [each.bit for each in inputs]
        response.value = [int(each.value) for each in inputs]
        response.data = [int(each.kind) for each in inputs]
        response.on = self._node.stop_inputs.on(inputs)
        return "OK"

    def _watch(self, _: MotionStatus) -> None:
        """Log an input that comes on, and refuse what was asked of its axis until it went off."""
        inputs = self._node.stop_inputs.all()
        try:
            levels = self._node.stop_inputs.on(inputs)
        except CommandRefused:
            return
        on = [each for each, is_on in zip(inputs, levels, strict=True) if is_on]
        for each in on:
            if each not in self._on:
                self._node.log.warning(f"axis {each.axis}: {words(each)}, motion is refused")
        changed = [each for each in inputs if (each in on) is not (each in self._on)]
        if changed:
            self._node.gate.refuse_earlier([each.axis for each in changed])
        self._on = on
