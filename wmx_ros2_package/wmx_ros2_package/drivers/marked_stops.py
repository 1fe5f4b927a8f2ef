"""The driver's motion, whose every stop leaves a mark for all processes (see `axis_locks`).

A stop of an axis that rests leaves no trace in the engine. But whoever has a command waiting for
its start, or keeps a motion up, has to know of it: what was stopped does not begin by itself.
"""

from collections.abc import Sequence

from .interface import Motion
from .ownership import EMERGENCY_STOPPED, Owners
from .values import MAX_AXES, EmergencyStop
from .wrapped_motion import WrappedMotion


class MarkedStops(WrappedMotion):
    """`motion`; the mark comes before the stop, so that who sees no mark is stopped after it."""

    def __init__(self, motion: Motion, owners: Owners) -> None:
        super().__init__(motion)
        self._owners = owners

    def set_servo(self, axis: int, *, on: bool) -> None:
        """See `Motion`."""
        if not on:
            self._owners.mark_stop([axis])
        self._motion.set_servo(axis, on=on)

    def stop(self, axes: Sequence[int]) -> None:
        """See `Motion`."""
        self._owners.mark_stop(axes)
        self._motion.stop(axes)

    def quick_stop(self, axes: Sequence[int]) -> None:
        """See `Motion`."""
        self._owners.mark_stop(axes)
        self._motion.quick_stop(axes)

    def emergency_stop(self, level: EmergencyStop) -> None:
        """See `Motion`."""
        self._owners.mark_stop(range(MAX_AXES), EMERGENCY_STOPPED)
        self._motion.emergency_stop(level)
