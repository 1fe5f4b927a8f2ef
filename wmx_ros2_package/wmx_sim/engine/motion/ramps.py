"""Changes of velocity in whole cycles, of every shape that the vendor's profiles have.

A ramp takes a velocity from v to v + d in the time T = d / rate, taken up to whole cycles, with the
same shape forwards and backwards, so that it covers (v + d / 2) T. Its shape is that of the
acceleration, which rises during T r / 2, is steady, and falls during T r / 2 (r is the ratio):

    EVEN        r = 0, or rising and falling evenly: constant jerk
    SMOOTH      rising and falling as an S: the jerk rises and falls evenly
    PARABOLA, SINE    half a parabola, half a sine over all of T; r has no meaning

The engine makes the parts of a ramp whole cycles, too: up(T r / 2), of SMOOTH twice up(T r / 4),
and what then is left of T.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import pairwise
from math import ceil, cos, pi, sin

from ..clock import CYCLE, CYCLES_PER_SECOND
from .profile import Segment, cubic

ROUNDING = 1e-9
"""Cycles by which a phase may be too short: what divides evenly does not come out exact."""
PIECES = 64
"""A curve that is no cubic is made of so many that are, each with its position and velocity at
both ends: in between they are 1e-8 of the way off at most."""


State = Callable[[float], tuple[float, float]]
"""Position and velocity at a part 0 to 1 of a time."""


class Shape(Enum):
    """The acceleration over time, see above."""

    EVEN = auto()
    SMOOTH = auto()
    PARABOLA = auto()
    SINE = auto()


OF_MOST = {Shape.PARABOLA: 2.0 / 3.0, Shape.SINE: 2.0 / pi}
"""The mean of these shapes, of their most."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Whole cycles of a ramp: those of rising, which falling takes too, and steady ones."""

    rising: int
    steady: int

    @property
    def cycles(self) -> int:
        """All of them."""
        return 2 * self.rising + self.steady

    @property
    def time(self) -> float:
        """All of them, s."""
        return self.cycles / CYCLES_PER_SECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Ramp:
    """How velocity changes: at `rate` (u/s^2, mean) in a shape of which `ratio` is not steady."""

    rate: float
    shape: Shape = Shape.EVEN
    ratio: float = 0.0
    full: tuple[float, Parts] | None = None
    """A change of velocity (u/s) whose parts are these, whatever else."""
    one_more: bool = False
    """Whether rising takes a cycle more where it would be whole: of ratios that are computed."""

    def cycles(self, change: float) -> Parts:
        """Return the whole cycles in which the velocity changes by `change` (u/s, positive)."""
        if change <= 0.0:
            return Parts(0, 0)
        if self.full and change == self.full[0]:
            return self.full[1]
        ideal = change / self.rate * CYCLES_PER_SECOND
        if self.shape is Shape.PARABOLA:
            # Of a time that is whole already, the engine makes one more.
            return Parts(0, max(1, ceil(ideal + ROUNDING)))
        if self.shape is Shape.SINE or not self.ratio:
            return Parts(0, max(1, _up(ideal)))
        halves = 2 if self.shape is Shape.SMOOTH else 1
        rising = halves * max(1, _up(ideal * self.ratio / 2 / halves))
        if self.one_more:
            rising = halves * (int(_up(ideal) * self.ratio / 2 / halves) + 1)
        return Parts(rising, max(0, _up(ideal - 2 * rising)))

    def at_most(self, acceleration: float) -> "Ramp":
        """Return this ramp, or one of its shape that is nowhere steeper than `acceleration`."""
        most = acceleration * OF_MOST.get(self.shape, 1.0 - self.ratio / 2.0)
        rate = self.rate
        if self.full:
            change, parts = self.full
            rate = max(rate, change / (parts.time or CYCLE))
        return self if rate <= most else replace(self, rate=min(self.rate, most), full=None)

    def segments(
        self, position: float, velocity: float, target: float, parts: Parts
    ) -> list[Segment]:
        """Return the way from `position` and `velocity` to the velocity `target` in `parts`."""
        change, time = target - velocity, parts.time
        if not parts.cycles:
            return []
        if self.shape in (Shape.PARABOLA, Shape.SINE):
            unit = _parabola if self.shape is Shape.PARABOLA else _sine

            def state(u: float) -> tuple[float, float]:
                way, speed = unit(u)
                return position + time * (velocity * u + change * way), velocity + change * speed

            return curve(state, time)
        rising, steady = parts.rising / CYCLES_PER_SECOND, parts.steady / CYCLES_PER_SECOND
        acceleration = change / (rising + steady)
        segments: list[Segment] = []
        for length, start, end in (
            (rising, 0.0, acceleration),
            (steady, acceleration, acceleration),
            (rising, acceleration, 0.0),
        ):
            if not length:
                continue
            if self.shape is Shape.SMOOTH and start != end:
                segments += _s_shaped(length, position, velocity, start, end)
            else:
                segments.append(Segment(length, position, velocity, start, (end - start) / length))
            last = segments[-1]
            position, velocity = last.at(last.duration)
        return segments


def whole_cycles(seconds: float) -> float:
    """Return the least number of whole cycles that last `seconds`, as seconds, at least one."""
    return max(1, _up(seconds * CYCLES_PER_SECOND)) / CYCLES_PER_SECOND


def _up(cycles: float) -> int:
    return ceil(cycles - ROUNDING)


def _s_shaped(
    length: float, position: float, velocity: float, start: float, end: float
) -> list[Segment]:
    """Return the acceleration goes from `start` to `end` with evenly rising, then falling jerk."""
    change = end - start

    def state(u: float) -> tuple[float, float]:
        if u <= 0.5:
            speed, way = 2.0 * u**3 / 3.0, u**4 / 6.0
        else:
            rest = 1.0 - u
            speed = u - 0.5 + 2.0 * rest**3 / 3.0
            way = u * u / 2.0 - u / 2.0 + 7.0 / 48.0 - rest**4 / 6.0
        s = u * length
        return (
            position + velocity * s + start * s * s / 2.0 + change * length**2 * way,
            velocity + start * s + change * length * speed,
        )

    return curve(state, length)


def curve(state: State, time: float, pieces: int = PIECES) -> list[Segment]:
    """Return cubics with position and velocity of `state` at even parts u (0 to 1) of `time`."""
    states = (state(i / pieces) for i in range(pieces + 1))
    return [cubic(time / pieces, begin, end) for begin, end in pairwise(states)]


def _parabola(u: float) -> tuple[float, float]:
    return u**3 - u**4 / 2.0, u * u * (3.0 - 2.0 * u)


def _sine(u: float) -> tuple[float, float]:
    return u / 2.0 - sin(pi * u) / (2.0 * pi), (1.0 - cos(pi * u)) / 2.0
