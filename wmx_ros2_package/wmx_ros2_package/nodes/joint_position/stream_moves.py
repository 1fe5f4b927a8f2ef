"""Turns a stream of positions into moves that are smooth, and that end by themselves.

Each message becomes one move of each joint that heads for where the stream will be a little later,
goes on at that velocity, and slows down to rest. The next message takes over from it; where none
comes the engine carries out the rest of it by itself: so a late message is bridged, and a
stream that breaks off stops along its path.

    aim = x + u (ahead - left)      velocity = (aim - p) / ahead

with the position x that is asked for in `left` seconds, the velocity u of the stream, and the
commanded position p. In a steady motion the velocity is u, whenever the message comes. So joints
are where messages ask them to be, when they ask for it, and not later.

The stream has a velocity when two intervals in a row show it: else x is approached, and the move
ends there. So a single message, a step, and a stream that holds still end at their positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from wmx_core.move_rules import RATE_RANGE
from wmx_core.values import Floats, PositionMove

PERIODS_AHEAD = 3.0
"""Moves go so many periods of the stream ahead: what one message is off evens out in as many."""
LEAST_AHEAD = 0.03
"""s; of quicker streams, whose messages come unevenly."""
LOOK_BACK = 0.02
"""The velocity of a stream is that of its messages of the last so many seconds, or the last three.
"""
RHYTHM_GAIN = 0.05
"""How much it counts that a message was sent late: what is left over evens out within some twenty.
"""
SOON = 2.0 / 3.0
"""A message that comes within this share of a period is one of those that waited in a stall: it
takes the place of the last one, else the stream would seem as quick as they come."""
MAKING_UP = SOON / (1.0 - SOON)
"""After so many times as long a stall is made up for: else the stream has a quicker rhythm."""
CYCLE = 1e-3
"""Phases of a move last whole communication cycles, s: else the engine lowers their velocity."""
LEAST_SHARE = 0.1
"""No acceleration is less than this share of that with which the joint stops: never next to none.
"""
STILL = 1e-9
"""A joint that is so near, u, does not move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRules:
    """How a stream is followed."""

    default_velocity: float
    """u/s, of the joint with the longest way, where a message has no arrival time."""
    accel_ratio: float
    """The share of the time of a move in which it reaches its velocity."""
    min_step: float
    """A message that asks joints at rest to move by less than this (u) is left alone."""
    top_speed: Floats
    """Of each joint, u/s; infinite where there is none."""
    unlimited_speed: float = np.inf
    """The greatest speed of a joint without a top speed, u/s."""
    bridge_time: float = 0.03
    """How long joints go on at their velocity when a message is late, s."""
    stop_time: float = 0.1
    """How long they then take to come to rest, s; and at least from rest to their top speed."""

    top_acceleration: Floats | float = np.inf
    """Of each joint, u/s^2; infinite where there is none."""
    start_tolerance: float = np.inf
    """How much further than it may go in its time a joint may be asked to go, u."""
    approach_speed: float = 0.0
    """How fast the joint with the longest way goes where one is asked to go further, u/s; 0 where
    such a message is refused."""

    @property
    def top(self) -> Floats:
        """The greatest speed of each joint, u/s."""
        return np.where(np.isinf(self.top_speed), self.unlimited_speed, self.top_speed)

    @property
    def hardest(self) -> Floats:
        """The greatest acceleration of each joint, u/s^2."""
        in_stop_time = np.minimum(self.top_speed, self.unlimited_speed) / self.stop_time
        return np.minimum(in_stop_time, self.top_acceleration)


@dataclass(frozen=True, slots=True)
class StreamHistory:
    """The newest messages of a stream; after `timeout` (s) without one it is another stream."""

    timeout: float
    messages: tuple[tuple[float, Floats], ...] = ()
    """The last ones: when each should have been sent by the rhythm of the stream (s), and its
    positions (joints,). A source that sends late has meant the same positions for earlier."""
    period: float = 0.0
    """Between two messages, s; 0 until there were two."""
    sent: float = -np.inf
    """When the last one was sent, s."""
    count: int = 0
    """How many messages have shown the rhythm."""
    made_up: float = -np.inf
    """When the last stalls are made up for, s."""

    def extended(self, sent: float, positions: Floats) -> "StreamHistory":
        """Return the history with one more message, without those that are too old.

        The times of its messages increase, whenever they were sent.
        """
        if not self.messages:
            return replace(self, messages=((sent, positions),), sent=sent, count=1)
        gap = sent - self.sent
        made_up = max(self.made_up, sent + MAKING_UP * min(gap, self.timeout))
        if gap > self.timeout:
            return replace(self, messages=((sent, positions),), sent=sent, count=1, made_up=made_up)
        last, earlier = self.messages[-1][0], self.messages
        if gap <= 0.0:
            return replace(self, messages=(*earlier[:-1], (last, positions)))
        if sent - last < SOON * self.period:
            if sent > self.made_up:  # another rhythm
                return StreamHistory(self.timeout).extended(sent, positions)
            return replace(self, messages=(*earlier[:-1], (max(last, sent), positions)), sent=sent)
        steps = max(1, round(gap / self.period)) if self.period else 1  # some may be lost
        gain = max(RHYTHM_GAIN, 1.0 / self.count)
        period = self.period + gain * (gap / steps - self.period)
        due, count = last + steps * period, self.count + 1
        if abs(sent - due) > period:  # another rhythm
            due, count = sent, 1
        due += gain * (sent - due)
        old = sum(message[0] <= due - LOOK_BACK for message in earlier)
        kept = earlier[max(0, min(old - 1, len(earlier) - 2)) :]
        return StreamHistory(self.timeout, (*kept, (due, positions)), period, sent, count, made_up)

    @property
    def target(self) -> Floats:
        """The positions of the last message."""
        return self.messages[-1][1]

    def velocity(self) -> Floats:
        """The velocity of each joint, u/s: the lesser of an earlier and a later one, 0 if none."""
        first, last = self.messages[0], self.messages[-1]
        middle = self.messages[(len(self.messages) - 1) // 2]
        if len(self.messages) < 3:
            return np.zeros_like(last[1])
        earlier = (middle[1] - first[1]) / (middle[0] - first[0])
        later = (last[1] - middle[1]) / (last[0] - middle[0])
        lesser = np.where(np.abs(earlier) < np.abs(later), earlier, later)
        return np.where(earlier * later > 0.0, lesser, 0.0)


@dataclass(frozen=True, slots=True)
class Now:
    """The commanded positions (u) and velocities (u/s) of the joints at `time` (s), (joints,)."""

    time: float
    position: Floats
    velocity: Floats

    @property
    def at_rest(self) -> bool:
        """Whether no joint is commanded to move."""
        return not self.velocity.any()


def worth_moving(target: Floats, now: Now, rules: StreamRules) -> bool:
    """Whether joints are to move: those in motion go on, also by less than `min_step`."""
    return not now.at_rest or bool((np.abs(target - now.position) >= rules.min_step).any())


def moves(
    axes: tuple[int, ...],
    history: StreamHistory,
    wanted: float,
    now: Now,
    rules: StreamRules,
    speed: float = 0.0,
) -> list[PositionMove]:
    """Return moves by `history`, whose last message asks to be there `wanted` s after it was sent.

    With a `speed` the longest way is gone at that, and without an arrival time, with 0, at the
    default velocity. All are slower in the same measure where a joint would be too fast.
    """
    sent, target = history.messages[-1]
    begin = now.time + CYCLE  # a command is in force in the next cycle
    here = now.position + now.velocity * CYCLE
    way = target - here
    left, on = max(0.0, sent + wanted - begin), history.velocity()
    if not wanted or speed:
        left = float(np.abs(way).max()) / (speed or rules.default_velocity)
        on = np.zeros_like(way)
    ahead = max(left, PERIODS_AHEAD * history.period, LEAST_AHEAD)
    velocity = (way + on * (ahead - left)) / ahead
    with np.errstate(invalid="ignore", divide="ignore"):
        velocity *= min(1.0, float(np.nanmin(rules.top_speed / np.abs(velocity))))
    change = np.abs(velocity - now.velocity)
    lasts = max(history.period, rules.accel_ratio * ahead, float((change / rules.hardest).max()))
    until = sent + max(wanted, history.period) + rules.bridge_time - begin
    joints = zip(axes, target, here, now.velocity, velocity, on, rules.hardest, strict=True)
    return [
        _going_on(axis, p, v, to, lasts, until, rules, hardest)
        if u
        else _arriving(axis, x, v, to, lasts, hardest)
        for axis, x, p, v, to, u, hardest in joints
        if abs(x - p) > STILL or v or u
    ]


def _arriving(
    axis: int, target: float, velocity: float, to: float, lasts: float, hardest: float
) -> PositionMove:
    """A move at the velocity `to` that ends at `target`; its ramps last `lasts` s or more."""
    speed = max(abs(velocity), abs(to), STILL)
    rate = float(min(max(speed / lasts, RATE_RANGE[0]), hardest))
    return PositionMove(
        axis=axis, target=float(target), velocity=max(abs(float(to)), STILL), acc=rate, dec=rate
    )


def _going_on(
    axis: int,
    position: float,
    velocity: float,
    to: float,
    lasts: float,
    until: float,
    rules: StreamRules,
    hardest: float,
) -> PositionMove:
    """A move that changes its velocity to `to` in `lasts` s, keeps it `until` then, and stops."""
    speed = max(abs(velocity), abs(to), STILL)
    least = max(LEAST_SHARE * speed / rules.stop_time, RATE_RANGE[0])
    acc = max(abs(to - velocity) / (CYCLE * cycles(lasts)), least)
    dec = max(acc, min(speed / rules.stop_time, hardest))
    change = cycles(abs(to - velocity) / (acc if abs(to) > abs(velocity) else dec))
    steady = max(0, cycles(until) - change)
    way = (velocity + to) / 2.0 * change + to * steady + to / 2.0 * cycles(abs(to) / dec)
    return PositionMove(
        axis=axis,
        target=float(position + way * CYCLE),
        velocity=max(abs(float(to)), STILL),
        acc=float(acc),
        dec=float(dec),
    )


def cycles(time: float) -> int:
    """Return how many whole cycles `time` (s) takes up, one at least."""
    return max(1, ceil(time / CYCLE - 1e-6))


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
