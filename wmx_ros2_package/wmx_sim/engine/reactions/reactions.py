"""What the engine does by itself when an input changes, or an axis passes a position."""

from collections.abc import Sequence

from wmx_core.reactions import (
    PositionOutput,
    StopInput,
    TouchProbe,
    require_position_outputs,
    require_stop_inputs,
    require_touch_probes,
)

from ..event_queue import EventQueue
from ..motion.axes import Axes
from .position_outputs import PositionOutputs, SetOutput
from .stop_inputs import StopInputs
from .touch_probes import TouchProbes


class Reactions:
    """Carries out `reactions.Reactions`."""

    def __init__(self, axes: Axes, events: EventQueue, set_output: SetOutput) -> None:
        """`set_output` sets an output bit: its address, bit and value."""
        self._count = len(axes)
        self._stop_inputs = StopInputs(axes)
        self._touch_probes = TouchProbes(lambda axis: float(axes.status().actual_pos[axis]))
        self._position_outputs = PositionOutputs(axes, events, set_output)

    def look(self) -> None:
        """Something was commanded, or has happened to the axes."""
        self._position_outputs.look()

    def stop_communication(self) -> None:
        """The outputs go off, and no axis switches one any more."""
        self._position_outputs.clear()

    def follow_inputs(self, inputs: bytes) -> None:
        """The input image is `inputs` now."""
        self._touch_probes.follow(inputs)
        self._stop_inputs.follow(inputs)

    # reactions.Reactions

    def set_stop_inputs(self, inputs: Sequence[StopInput]) -> None:
        require_stop_inputs(inputs, self._count)
        self._stop_inputs.replace(inputs)

    def set_touch_probes(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        require_touch_probes(axes, probes, self._count)
        for axis in axes:
            self._touch_probes.remove(axis)
        for probe in probes:
            self._touch_probes.put(probe.axis, probe)

    def touched(self, axes: Sequence[int]) -> tuple[float | None, ...]:
        return tuple(self._touch_probes.latched(axis) for axis in axes)

    def set_position_outputs(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        require_position_outputs(axes, outputs, self._count, self._position_outputs.in_force())
        self._position_outputs.replace(axes, outputs)
