"""The one form everything that moves has here: a cubic of time plus a decaying exponential.

    value(s) = p + v s + a s^2 / 2 + j s^3 / 6 + d exp(-rate s)

The decay is over after `FADED` time constants, so what has come to rest shows one number for ever.
Commands are cubics (`profile`); a servo answers a cubic with a cubic and a decay (`servo`). So
what an axis will do is known in closed form, and when it passes a limit is a root of this.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import copysign, exp, inf
from typing import NamedTuple

HORIZON = 1e9
"""What lies further ahead than these seconds, 30 years, never happens."""
FADED = 50.0
"""Time constants after which a decay is zero. By then it is 2e-22 of what it was: 2e-12
encoder counts of an error of a thousand revolutions at 23 bits."""


class Curve(NamedTuple):
    """A cubic plus a decay of the time s since its start, any unit; `rate` in 1/s."""

    p: float
    v: float = 0.0
    a: float = 0.0
    j: float = 0.0
    d: float = 0.0
    rate: float = 1.0

    def at(self, s: float) -> float:
        """Return the value at `s` >= 0."""
        p, v, a, j, d, _ = self
        return p + s * (v + s * (a / 2 + s * j / 6)) + (self._decay(s) if d else 0.0)

    def slope(self) -> "Curve":
        """Return the first derivative."""
        return Curve(self.v, self.a, self.j, 0.0, -self.rate * self.d, self.rate)

    def after(self, s: float) -> "Curve":
        """Return the same curve with its start moved on to `s`."""
        p, v, a, j, d, rate = self
        return Curve(
            p + s * (v + s * (a / 2 + s * j / 6)),
            v + s * (a + s * j / 2),
            a + s * j,
            j,
            self._decay(s) if d else 0.0,
            rate,
        )

    def moved(self, s: float) -> "tuple[Curve, float, float]":
        """Return the curve `after` s, with its value and its slope there."""
        p, v, a, j, d, rate = self
        left = 0.0
        if d and (faded := rate * s) < FADED:
            left = exp(-faded)
        position = p + s * (v + s * (a / 2 + s * j / 6))
        slope = v + s * (a + s * j / 2)
        curve = Curve(position, slope, a + s * j, j, d * left, rate)
        return curve, position + d * left, slope + -rate * d * left

    def times(self, factor: float) -> "Curve":
        """Return this curve times `factor`."""
        p, v, a, j, d, rate = self
        return Curve(factor * p, factor * v, factor * a, factor * j, factor * d, rate)

    def plus(self, other: "Curve") -> "Curve":
        """Return the sum of two curves of which at most one decays, or both at the same rate."""
        p, v, a, j, d, rate = self
        q, w, b, k, e, other_rate = other
        return Curve(p + q, v + w, a + b, j + k, d + e, rate if d else other_rate)

    def minus(self, other: "Curve") -> "Curve":
        """Return the difference, see `plus`."""
        p, v, a, j, d, rate = self
        q, w, b, k, e, other_rate = other
        return Curve(p - q, v - w, a - b, j - k, d - e, rate if d else other_rate)

    def first_above(self, level: float, duration: float = inf) -> float:
        """Return the first s from 0 to `duration` at which the value is above `level`, or inf."""
        p, v, a, j, d, rate = self
        over = Curve(p - level, v, a, j, d, rate)
        if over.p + d > 0.0:
            return 0.0
        if not over.can_be_positive(duration):
            return inf
        for root in over.sign_changes(min(duration, HORIZON)):
            return root  # from not above to above: the first change of sign is the one
        return inf

    def first_below(self, level: float, duration: float = inf) -> float:
        """Return the first s from 0 to `duration` at which the value is below `level`, or inf."""
        return self.times(-1.0).first_above(-level, duration)

    def first_within(self, width: float) -> float:
        """Return the first s >= 0 at which the value is within -`width` and `width`, or inf."""
        if abs(self.at(0.0)) <= width:
            return 0.0
        return self.first_below(width) if self.at(0.0) > 0.0 else self.first_above(-width)

    def stays_within(self, width: float, duration: float) -> bool:
        """Return whether the sum of all terms is within `width`: a cheap yes spares a search."""
        p, v, a, j, d, _ = self
        t = min(duration, HORIZON)
        most = abs(p) + abs(d) + abs(v) * t + abs(a) / 2 * t**2 + abs(j) / 6 * t**3
        return most <= width

    def can_be_positive(self, duration: float) -> bool:
        """Return whether a sum of the largest terms is positive: a cheap no spares the search."""
        p, v, a, j, d, _ = self
        largest = p + d if d > 0.0 else p
        longest = min(duration, HORIZON)
        if v > 0.0:
            largest += v * longest
        if a > 0.0:
            largest += a / 2 * longest**2
        if j > 0.0:
            largest += j / 6 * longest**3
        return largest > 0.0

    def sign_changes(self, duration: float) -> Iterator[float]:
        """Return where the sign changes in (0, duration], in order.

        Between two neighbouring sign changes of the slope the value is monotonic, so it has at
        most one of its own there; a pure decay or constant, where this ends, has none.
        """
        if not (self.v or self.a or self.j) and not (self.p and self.d):
            return
        for left, right in pairwise((0.0, *self.slope().sign_changes(duration), duration)):
            start, end = self.at(left), self.at(right)
            if (start <= 0.0) is not (end <= 0.0):
                yield self._bisected(left, right, copysign(1.0, end if end else -start))

    def _decay(self, s: float) -> float:
        faded = self.rate * s
        return self.d * exp(-faded) if faded < FADED else 0.0

    def _bisected(self, left: float, right: float, sign: float) -> float:
        """Return the first number after which the value has the sign it has at `right`."""
        while left < (middle := (left + right) / 2) < right:
            if self.at(middle) * sign > 0.0:
                right = middle
            else:
                left = middle
        return right
