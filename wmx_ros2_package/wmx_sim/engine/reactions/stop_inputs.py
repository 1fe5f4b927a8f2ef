"""Inputs that stop axes in the cycle in which they come on."""

from collections.abc import Sequence
from contextlib import suppress

from wmx_core.errors import CommandRefused
from wmx_core.io_range import bit_of
from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import IO_BYTES, EmergencyStop

from ..motion.axes import Axes


class StopInputs:
    """The stop inputs of an engine; each acts once whenever it comes on."""

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self._image = bytes(IO_BYTES)
        self._off: list[StopInput] = []
        self._on: list[StopInput] = []

    def replace(self, inputs: Sequence[StopInput]) -> None:
        """Have `inputs` and no others; what is on acts at once."""
        self._off, self._on = [*inputs], []
        self.follow(self._image)

    def follow(self, image: bytes) -> None:
        """The input image is `image` now."""
        self._image = image
        self._off += [each for each in self._on if not is_on(each, image)]
        self._on = [each for each in self._on if is_on(each, image)]
        come_on = [each for each in self._off if is_on(each, image)]
        for each in come_on:
            self._off.remove(each)
            self._on.append(each)
        self._act(come_on)

    def _act(self, inputs: Sequence[StopInput]) -> None:
        kinds = {each.kind for each in inputs}
        if StopKind.EMERGENCY_STOP in kinds:
            with suppress(CommandRefused):  # a harder one is in force
                self._axes.emergency_stop(EmergencyStop.LEVEL1)
        if StopKind.QUICK_STOP in kinds:
            self._axes.quick_stop(
                [each.axis for each in inputs if each.kind is StopKind.QUICK_STOP]
            )
        if StopKind.STOP in kinds:
            self._axes.stop([each.axis for each in inputs if each.kind is StopKind.STOP])


def is_on(stop_input: StopInput, image: bytes) -> bool:
    """Whether `stop_input` has the level that stops in `image`."""
    return bit_of(image, stop_input.address, stop_input.bit) is stop_input.value
