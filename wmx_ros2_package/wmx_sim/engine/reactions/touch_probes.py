"""Inputs that latch where axes are in the cycle in which they change."""

from collections.abc import Callable
from dataclasses import dataclass

from wmx_core.io_range import bit_of
from wmx_core.reactions import TouchProbe, no_touch_probe
from wmx_core.values import IO_BYTES


@dataclass
class _Armed:
    probe: TouchProbe
    position: float | None = None
    """Where the motor was, u; None until the input has changed."""


class TouchProbes:
    """Touch probes by their numbers; each latches once."""

    def __init__(self, position: Callable[[int], float]) -> None:
        """`position` gives where the motor of an axis is now, u."""
        self._position = position
        self._image = bytes(IO_BYTES)
        self._probes: dict[int, _Armed] = {}

    def __bool__(self) -> bool:
        return bool(self._probes)

    def has(self, number: int) -> bool:
        """Return whether there is a probe of this number."""
        return number in self._probes

    def put(self, number: int, probe: TouchProbe) -> None:
        """Have a probe, which latches from now on."""
        self._probes[number] = _Armed(probe)

    def remove(self, number: int) -> None:
        """Have no probe of this number."""
        self._probes.pop(number, None)

    def latched(self, number: int) -> float | None:
        """Return where the motor was, u, or None; refused where there is no probe."""
        if number not in self._probes:
            raise no_touch_probe(number)
        return self._probes[number].position

    def follow(self, image: bytes) -> None:
        """The input image is `image` now."""
        before, self._image = self._image, image
        for armed in self._probes.values():
            probe = armed.probe
            changed = _level(probe, before) is not _level(probe, image)
            if armed.position is None and changed and _level(probe, image) is probe.value:
                armed.position = self._position(probe.axis)


def _level(probe: TouchProbe, image: bytes) -> bool:
    return bit_of(image, probe.address, probe.bit)
