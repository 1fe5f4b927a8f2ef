"""Turns a stream of positions into moves that are smooth however unevenly the stream arrives.

A message says where the joints are to be a little later. If each move ended there, the axes would
stop between two messages; if each went at the distance over the time since the last message, every
delay of a message would be a jolt. So a message is taken to have come when it should have, by the
rhythm of those before it (`Rhythm`), and its move ends three periods after that. At a steady motion
all moves then have the same velocity, for the way and the time that are left shrink together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...drivers.values import Floats, PositionMove

PERIODS_AHEAD = 3.0
"""A move is to arrive so many periods of the stream after its message: the next message comes
before the axes slow down, even if it is late by a period."""
RHYTHM_GAIN = 0.05
"""How much of a message's delay counts: what is left over evens out within some twenty messages."""
LEAST_PERIOD = 1e-3
STILL = 1e-9
"""A joint that is so near, u, does not move."""


@dataclass(slots=True)
class Rhythm:
    """When the messages of a stream should have come; `timeout` (s) without one ends the stream."""

    timeout: float
    period: float = 0.0
    """Between two messages, s; 0 until there were two."""
    _expected: float = field(default=-np.inf)
    _last: float = field(default=-np.inf)
    _count: int = 0

    def arrive(self, now: float) -> float:
        """When the message that comes `now` (s) should have come."""
        gap = now - self._last
        self._last = now
        if gap > self.timeout:
            self._count, self.period, self._expected = 1, 0.0, now
            return now
        self._count += 1
        # The mean of the gaps first; later a gap counts for little.
        gain = max(RHYTHM_GAIN, 1.0 / (self._count - 1))
        self.period += gain * (gap - self.period)
        off = now - (self._expected + self.period)
        if abs(off) > self.period * PERIODS_AHEAD:  # another rhythm, or a hole in this one
            self._expected = now
        else:
            self._expected += self.period + gain * off
        return self._expected

    def arrival(self, came: float, wanted: float) -> float:
        """When a message that should have `came` and gives `wanted` seconds has its move arrive."""
        return came + max(wanted, PERIODS_AHEAD * self.period)

    def over(self, now: float) -> bool:
        """Whether the stream has stopped."""
        return now - self._last > self.timeout


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRules:
    """How a stream is followed."""

    default_velocity: float
    """u/s, of the joint with the longest way, where a message does not say by when."""
    accel_ratio: float
    """The share of a move's time in which it reaches its velocity."""
    min_step: float
    """A message that moves no joint by more than this (u) is left alone."""
    top_speed: Floats
    """Of each joint, u/s; infinite where there is none."""
    unlimited_speed: float = np.inf
    """What a joint without a top speed must not be asked for, u/s."""


def worth_moving(target: Floats, before: Floats | None, rules: StreamRules) -> bool:
    """Whether `target` is other than what was asked for `before`."""
    return before is None or bool((np.abs(target - before) >= rules.min_step).any())


def moves(
    axes: tuple[int, ...],
    target: Floats,
    position: Floats,
    remaining: float,
    rules: StreamRules,
) -> list[PositionMove]:
    """Moves from `position` to `target` that arrive together, in `remaining` s or so.

    All of them are slower in the same measure where a joint would be too fast.
    """
    way = np.abs(target - position)
    if remaining <= 0.0:
        remaining = float(way.max()) / rules.default_velocity
    with np.errstate(invalid="ignore"):
        remaining = max(remaining, float(np.nanmax(way / rules.top_speed)), LEAST_PERIOD)
    velocity = way / remaining
    acceleration = velocity / (rules.accel_ratio * remaining)
    return [
        PositionMove(axis=axis, target=to, velocity=v, acc=a, dec=a)
        for axis, to, v, a, distance in zip(
            axes,
            target.tolist(),
            velocity.tolist(),
            acceleration.tolist(),
            way.tolist(),
            strict=True,
        )
        if distance > STILL
    ]


def too_fast(
    names: Sequence[str], ordered: Sequence[PositionMove], axes: tuple[int, ...], rules: StreamRules
) -> list[str]:
    """Which joints `ordered` moves faster than a joint without a top speed may go, and the rule."""
    joints = {axis: (names[i], rules.top_speed[i]) for i, axis in enumerate(axes)}
    return [
        f"{name} would go at {move.velocity:.6g} u/s: must be {rules.unlimited_speed:g} or slower "
        "(unlimited_velocity, or give a velocity_limit)"
        for move in ordered
        for name, top in [joints[move.axis]]
        if np.isinf(top) and move.velocity > rules.unlimited_speed
    ]
