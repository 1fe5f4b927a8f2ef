"""What the engine does by itself in the cycle in which an input changes."""

from collections.abc import Sequence

from wmx_ros2_package.drivers.reactions import (
    StopInput,
    TouchProbe,
    require_stop_inputs,
    require_touch_probes,
)

from ..motion.axes import Axes
from .stop_inputs import StopInputs
from .touch_probes import TouchProbes


class Reactions:
    """Carries out `reactions.Reactions`."""

    def __init__(self, axes: Axes) -> None:
        self._count = len(axes)
        self._stop_inputs = StopInputs(axes)
        self._touch_probes = TouchProbes(lambda axis: float(axes.status().actual_pos[axis]))

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
