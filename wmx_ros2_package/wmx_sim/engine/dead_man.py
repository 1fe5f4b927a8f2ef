"""Axes that the engine stops by itself when nothing feeds them any more."""

from collections.abc import Callable, Sequence
from math import inf

from .clock import CYCLES_PER_SECOND
from .event_queue import EventQueue


class DeadMan:
    """Until which cycle each axis was fed; an event of the queue looks at the first of them."""

    def __init__(self, events: EventQueue, stop: Callable[[Sequence[int]], object]) -> None:
        self._events = events
        self._stop = stop
        self._until: dict[int, int] = {}
        self._next = inf
        """The cycle of the next look."""

    def feed(self, axes: Sequence[int], timeout: float) -> None:
        """Stop `axes` unless they are fed again within `timeout` seconds; 0 lets them go."""
        for axis in axes:
            if timeout:
                self._until[axis] = self._events.cycle + round(timeout * CYCLES_PER_SECOND)
            else:
                self._until.pop(axis, None)
        self._schedule()

    def _schedule(self) -> None:
        if self._until and (first := min(self._until.values())) < self._next:
            self._next = first
            self._events.add(first - self._events.cycle, self._look)

    def _look(self) -> None:
        """Stop what was not fed in time; what was fed in time has a later cycle."""
        if self._next <= self._events.cycle:  # else an older look, and the next is still to come
            self._next = inf
        late = [axis for axis, until in self._until.items() if until <= self._events.cycle]
        for axis in late:
            del self._until[axis]
        self._schedule()
        if late:
            self._stop(late)
