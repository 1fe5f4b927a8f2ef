"""Endless moves that end by themselves: the SDK's timed commands.

A timed command speeds up in a given time, runs for another and slows down in a third (API
reference, StartJog for a TimedJogCommand). Ours has rates, and its run time begins with the move:
the times follow from the velocity at which the axis is now. So whoever ordered the move may be
gone by its end: the engine keeps the time.
"""

from dataclasses import dataclass
from math import copysign

from ..values import VelocityMove


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What a timed command is made of, in u/s and milliseconds.

    Whole ones to run for, which are taken be the field an integer or not; one at least to change
    the velocity in, for whether it may change in no time is not documented.
    """

    velocity: float
    speeding_up: float
    running: int
    slowing_down: float


def times_of(move: VelocityMove, now: float) -> Times:
    """For an axis at velocity `now`; one that is not reached by the end of the run time is less."""
    turning = abs(now) / move.dec if now * move.velocity < 0.0 else 0.0
    start = 0.0 if turning else now
    rate = move.acc if abs(move.velocity) > abs(start) else move.dec
    change = turning + abs(move.velocity - start) / rate
    velocity = move.velocity
    if change > move.run_time:
        if move.run_time < turning:
            velocity = now * (1.0 - move.run_time / turning)
        else:
            velocity = start + copysign(rate, velocity - start) * (move.run_time - turning)
        change = move.run_time
    speeding_up = max(1.0, 1000.0 * change)
    return Times(
        velocity=velocity,
        speeding_up=speeding_up,
        running=max(0, round(1000.0 * move.run_time - speeding_up)),
        slowing_down=max(1.0, 1000.0 * abs(velocity) / move.dec),
    )
