"""Piecewise polynomials of time, one for each joint: what a goal asks for, and what an engine does.

From one of the times to the next, a joint follows a polynomial of the time s since the former:

    position(s) = c[0] + c[1] s + c[2] s^2 + ...

Which one depends on what is known at both ends of the stretch, h long: positions and velocities
make a cubic, with accelerations a quintic, as in joint_trajectory_controller. Positions alone make
the cubics of the engine's own spline, whose velocities at the ends are given and whose
accelerations are continuous (`wmx_core.clamped_spline`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wmx_core.clamped_spline import knot_velocities
from wmx_core.values import Floats

STOPPING_POINTS = 41
"""Of the cubics along which joints come to rest: 6 ms apart where that takes 0.25 s."""
SHORTEST = 1e-9
"""A stretch that is shorter than this, s, is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Polynomials of all joints between `times` (points,), which increase.

    `coefficients` has the shape (powers, points - 1, joints).
    """

    times: Floats
    coefficients: Floats

    def at(self, times: Floats, derivative: int = 0) -> Floats:
        """The position or a derivative of it, (times, joints); outside it is that of the end."""
        inside = np.clip(times, self.times[0], self.times[-1])
        stretch = np.clip(
            np.searchsorted(self.times, inside, side="right") - 1, 0, len(self.times) - 2
        )
        s = (inside - self.times[stretch])[:, np.newaxis]
        value: Floats = np.zeros((len(inside), self.coefficients.shape[2]))
        for coefficients in reversed(_derived(self.coefficients, derivative)):
            value = value * s + coefficients[stretch]
        return value

    def within(self, begin: float, end: float) -> "Curve":
        """The part between two of the times, with its own time counted from 0."""
        first, last = np.searchsorted(self.times, (begin, end))
        return Curve(
            times=self.times[first : last + 1] - begin,
            coefficients=self.coefficients[:, first:last],
        )

    def range(self) -> tuple[Floats, Floats]:
        """The least and the greatest position of each joint, of cubics."""
        _, c1, c2, c3 = self.coefficients
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(c2 * c2 - 3.0 * c1 * c3)
            # Where the velocity is zero; the second form holds without a cubic term as well.
            turns = [
                turn
                for signed in (root, -root)
                for turn in ((-c2 - signed) / (3.0 * c3), c1 / (-c2 - signed))
            ]
        return _extremes(self.times, self.coefficients, turns)

    def top_speed(self) -> Floats:
        """The greatest magnitude of the velocity of each joint, of cubics."""
        velocities = np.stack(_derived(self.coefficients, 1))
        _, c1, c2 = velocities
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = [-c1 / (2.0 * c2)]
        least, greatest = _extremes(self.times, velocities, turns)
        return np.maximum(-least, greatest)

    def top_acceleration(self) -> Floats:
        """The greatest magnitude of the acceleration of each joint, of cubics."""
        greatest: Floats = np.abs(self._accelerations()).max(axis=(0, 1))
        return greatest

    def path_acceleration(self) -> float:
        """The greatest magnitude of the acceleration of all joints together, of cubics."""
        return float(np.linalg.norm(self._accelerations(), axis=-1).max())

    def _accelerations(self) -> Floats:
        """Those at both ends of each stretch of cubics, (2, points - 1, joints)."""
        begin = 2.0 * self.coefficients[2]
        end = begin + 6.0 * self.coefficients[3] * np.diff(self.times)[:, np.newaxis]
        return np.stack([begin, end])


def cubic(times: Floats, positions: Floats, velocities: Floats) -> Curve:
    """The cubics that have these positions and velocities at `times`."""
    h = np.diff(times)[:, np.newaxis]
    mean = np.diff(positions, axis=0) / h
    before, after = velocities[:-1], velocities[1:]
    coefficients = np.stack(
        [
            positions[:-1],
            before,
            (3.0 * mean - 2.0 * before - after) / h,
            (before + after - 2.0 * mean) / h**2,
        ]
    )
    return Curve(times=times, coefficients=coefficients)


def quintic(times: Floats, positions: Floats, velocities: Floats, accelerations: Floats) -> Curve:
    """The quintics that have these positions, velocities and accelerations at `times`."""
    h = np.diff(times)[:, np.newaxis]
    before, after = velocities[:-1], velocities[1:]
    a, b = accelerations[:-1], accelerations[1:]
    # What the first three terms leave of position, velocity and acceleration at the end.
    p = (np.diff(positions, axis=0) - before * h - a * h**2 / 2.0) / h**3
    v = (after - before - a * h) / h**2
    w = (b - a) / h
    coefficients = np.stack(
        [
            positions[:-1],
            before,
            a / 2.0,
            10.0 * p - 4.0 * v + w / 2.0,
            (-15.0 * p + 7.0 * v - w) / h,
            (6.0 * p - 3.0 * v + w / 2.0) / h**2,
        ]
    )
    return Curve(times=times, coefficients=coefficients)


def spline(times: Floats, positions: Floats, velocities: Floats) -> Curve:
    """The cubics that the engine leads through `positions`: from `velocities` to rest."""
    return cubic(times, positions, knot_velocities(times, positions, velocities))


def to_rest(curve: Curve, stopping_time: float, followed: float) -> Curve:
    """`curve`, which ends in motion, so that the joints come to rest.

    For the last `stopping_time` D the time on the path passes slower and slower,
    T(s) = T0 + s - s^2 / (2 D). So half of D is path: the joints rest at the end of `curve`, and
    arrive D / 2 later. The first `followed` s are followed as they are; where the rest of the path
    is too short to stop on, it goes straight on.
    """
    end = float(curve.times[-1])
    begin = max(end - stopping_time / 2.0, min(end, followed))
    curve = _straight_on(curve, begin + stopping_time / 2.0)
    slowing = np.linspace(0.0, stopping_time, STOPPING_POINTS)
    on_path = begin + slowing - slowing**2 / (2.0 * stopping_time)
    rate = (1.0 - slowing / stopping_time)[:, np.newaxis]
    stop = cubic(begin + slowing, curve.at(on_path), curve.at(on_path, 1) * rate)
    before = int(np.searchsorted(curve.times, begin - SHORTEST))
    return Curve(
        times=np.concatenate([curve.times[:before], stop.times]),
        coefficients=joined(curve.coefficients[:, :before], stop.coefficients),
    )


def _straight_on(curve: Curve, until: float) -> Curve:
    """`curve`, and from its end on a straight line at the velocity there."""
    end = curve.times[-1:]
    if until <= end[0] + SHORTEST:
        return curve
    line = np.concatenate([curve.at(end), curve.at(end, 1)])[:, np.newaxis]
    return Curve(times=np.append(curve.times, until), coefficients=joined(curve.coefficients, line))


def joined(one: Floats, other: Floats) -> Floats:
    """The coefficients of stretches that follow each other, whatever their powers."""
    powers = max(len(one), len(other))
    padded = [np.pad(c, ((0, powers - len(c)), (0, 0), (0, 0))) for c in (one, other)]
    return np.concatenate(padded, axis=1)


def _derived(coefficients: Floats, derivative: int) -> Sequence[Floats]:
    """The coefficients of a derivative, by power."""
    derived = list(coefficients)
    for _ in range(derivative):
        derived = [power * c for power, c in enumerate(derived)][1:]
    return derived


def _extremes(
    times: Floats, coefficients: Floats, turns: Sequence[Floats]
) -> tuple[Floats, Floats]:
    """The least and the greatest value at the ends of the stretches and at `turns` inside them.

    `turns` are times since the start of their stretch, (points - 1, joints), or NaN.
    """
    h = np.broadcast_to(np.diff(times)[:, np.newaxis], coefficients.shape[1:])
    least, greatest = coefficients[0].min(axis=0), coefficients[0].max(axis=0)
    for turn in (h, *turns):
        s = np.where((turn > 0.0) & (turn <= h), turn, 0.0)
        value: Floats = np.zeros_like(s)
        for c in coefficients[::-1]:
            value = value * s + c
        least = np.minimum(least, value.min(axis=0))
        greatest = np.maximum(greatest, value.max(axis=0))
    return least, greatest
