"""Outputs that axes switch by where they are commanded to be, in the cycle in which they pass."""

from collections.abc import Callable, Iterable, Sequence
from math import inf

from wmx_core.reactions import PositionOutput

from ..clock import CYCLES_PER_SECOND, ROUNDING
from ..event_queue import EventQueue
from ..motion.axes import Axes

SetOutput = Callable[[int, int, bool], object]


class PositionOutputs:
    """The position outputs of an engine, one of an axis.

    Between its events an axis is a known function of time, so that the cycle in which it passes its
    position is computed ahead; where an event of the axis comes before that, it is looked again.
    """

    def __init__(self, axes: Axes, events: EventQueue, set_output: SetOutput) -> None:
        """`set_output` sets an output bit: its address, bit and value."""
        self._axes = axes
        self._events = events
        self._set_output = set_output
        self._outputs: dict[int, PositionOutput] = {}
        self._beyond: dict[int, bool] = {}
        """Whether each axis was beyond its position when it was looked last."""
        self._next_look = inf
        """The cycle in which it is looked again."""

    def in_force(self) -> list[PositionOutput]:
        """Return the outputs that axes switch."""
        return [*self._outputs.values()]

    def replace(self, axes: Iterable[int], outputs: Sequence[PositionOutput]) -> None:
        """Have `outputs` in the place of those that their axes and `axes` switch."""
        for axis in (*axes, *(each.axis for each in outputs)):
            self._outputs.pop(axis, None)
            self._beyond.pop(axis, None)
        self._outputs |= {each.axis: each for each in outputs}

    def clear(self) -> None:
        """Have no axis switch an output."""
        self.replace(self._outputs, ())

    def look(self) -> None:
        """Set what has changed, and have it looked again when more may change."""
        if self._events.cycle >= self._next_look:
            self._next_look = inf
        next_look = inf
        for axis, output in self._outputs.items():
            position, passes = self._axes.passes(axis, output.position)
            beyond = position > output.position
            if self._beyond.get(axis) is not beyond:
                self._beyond[axis] = beyond
                value = output.value if beyond else not output.value
                self._set_output(output.address, output.bit, value)
            next_look = min(next_look, passes)
        cycle = self._cycle(next_look)
        if cycle < self._next_look:
            self._next_look = cycle
            self._events.add(int(cycle) - self._events.cycle, self.look)

    def _cycle(self, seconds: float) -> float:
        """Return the first cycle so many seconds from now or later, the next one at the soonest."""
        if seconds == inf:
            return inf
        later = int(seconds * CYCLES_PER_SECOND - ROUNDING) + 1
        return self._events.cycle + max(1, later)
