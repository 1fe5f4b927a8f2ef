"""Endless moves that end by themselves: the SDK's timed commands.

A timed command speeds up in a given time, runs for another and slows down in a third (API
reference, StartJog for a TimedJogCommand). Ours has rates, and its run time begins with the move:
the times follow from the velocity at which the axis is now. So the client of the move may be
gone by its end: the engine keeps the time.

The time to speed up counts from the velocity that the axis has now, as the reference describes
jogs, or it stands for a rate, as it describes velocities: that from rest. Which one is right is
tried by first contact. Until then the time is so long that no rate is above that of the move by
either, and the run time is exact, as the reference of the command has it.
"""

from dataclasses import dataclass
from math import copysign

from wmx_core.values import VelocityMove


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


def slows_all_along(move: VelocityMove, now: float) -> bool:
    """Whether an axis at velocity `now` (u/s) still slows down when the run time of `move` ends.

    To slow down to rest is the same until then, and needs no time.
    """
    lowest = abs(move.velocity) if now * move.velocity > 0.0 else 0.0
    return abs(now) - lowest > move.dec * move.run_time


def times_of(move: VelocityMove, now: float, *, from_rest: bool) -> Times:
    """The times for an axis at velocity `now` (u/s), which does not slow down all along.

    `from_rest` means that the time to speed up is documented as that from rest. A velocity that is
    not reached by the end of the run time is less.
    """
    speed, turning = abs(move.velocity), 0.0
    start = abs(now)
    if now * move.velocity < 0.0:
        start, turning = 0.0, abs(now) / move.dec
    rate = move.acc if speed >= start else move.dec
    reached = turning + abs(speed - start) / rate
    if reached > move.run_time:
        speed = start + rate * (move.run_time - turning)
        reached = move.run_time
    at_once = (abs(now) + speed) / min(move.acc, move.dec) if turning else 0.0
    speeding_up = max(1e-3, reached, speed / rate, at_once)
    running = move.run_time - (reached if from_rest else speeding_up)
    return Times(
        velocity=copysign(speed, move.velocity),
        speeding_up=1000.0 * speeding_up,
        running=max(0, round(1000.0 * running)),
        slowing_down=max(1.0, 1000.0 * speed / move.dec),
    )
