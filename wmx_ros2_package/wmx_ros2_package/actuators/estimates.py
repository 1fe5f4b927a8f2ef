"""Where axes are that nothing measures: from the begin and the end of their motions alone."""

from dataclasses import dataclass

from ..control.request import Begin, End


@dataclass(slots=True)
class _Way:
    begin: float
    end: float
    initial: float
    target: float


class Estimates:
    """Positions by axis: from where a motion begins to its target, evenly until it arrives."""

    def __init__(self) -> None:
        self._ways: dict[int, _Way] = {}

    def see(self, event: Begin | End) -> None:
        """A motion has begun or ended; one without end leaves the axis where it began."""
        if isinstance(event, End):
            for axis, final in zip(event.axes, event.final, strict=False):
                self._ways[axis] = _Way(event.time, event.time, final, final)
            return
        for axis, initial, target in zip(event.axes, event.initial, event.targets, strict=True):
            arrival = event.arrival
            if arrival is None or target != target:
                arrival, target = event.time, initial
            self._ways[axis] = _Way(event.time, arrival, initial, target)

    def at(self, axis: int, time: float) -> tuple[float, float]:
        """Position (u) and velocity (u/s) at `time` of the steady clock; 0 before any motion."""
        way = self._ways.get(axis)
        if way is None:
            return 0.0, 0.0
        if time >= way.end:
            return way.target, 0.0
        velocity = (way.target - way.initial) / (way.end - way.begin)
        return way.initial + velocity * max(0.0, time - way.begin), velocity
