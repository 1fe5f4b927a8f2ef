"""Constant-acceleration motion in whole cycles, and whether an axis follows it.

A `Plan` says the phases of a motion from the position and velocity it begins with. When it began
is known to the cycle where the clock is held; where it runs, within the cycles that passed while
the order was given. So a motion `follows` a plan if it does for one of these beginnings, which
has to explain everything that was seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, copysign, floor, inf, sqrt

from wmx_core.values import MotionStatus

Phase = tuple[float, float]
"""Duration (s) and acceleration (u/s^2)."""
Plan = Callable[[float, float, float], list[Phase]]
"""The phases of a motion that begins at a position (u) with a velocity (u/s), in whole cycles
of a length (s)."""
Quantity = Callable[[MotionStatus], tuple[float, float]]
"""A position and its velocity, as a status shows them."""


def to_rest(dec: float) -> Plan:
    """Slow down to rest."""
    return to_velocity(0.0, acc=dec, dec=dec)


def to_velocity(target: float, *, acc: float, dec: float) -> Plan:
    """Change to the velocity `target` and keep it; a change of direction goes through rest."""

    def phases(_position: float, velocity: float, cycle: float) -> list[Phase]:
        if velocity * target < 0.0:
            return [phase_to(velocity, 0.0, cycle), phase_to(0.0, target, cycle)]
        return [phase_to(velocity, target, cycle)]

    def phase_to(start: float, end: float, cycle: float) -> Phase:
        time = whole(abs(end - start) / (acc if abs(end) > abs(start) else dec), cycle)
        return (time, (end - start) / time if time else 0.0)

    return phases


def to_position(target: float, *, velocity: float, acc: float, dec: float) -> Plan:
    """Move to `target` and rest: speed up, cruise, slow down; turn round first if need be.

    Each phase lasts whole cycles, and the velocity is as much lower as that takes. Where this
    makes it lower than that of the start by more than `dec` allows, the first phase is longer,
    or where there is no way left to cruise, the axis slows down evenly.
    """

    def phases(start: float, start_velocity: float, cycle: float) -> list[Phase]:
        way = target - start
        sign = copysign(1.0, way)
        way, speed = abs(way), start_velocity * sign
        stop = whole(abs(speed) / dec, cycle)
        if speed < 0.0 or speed * stop / 2 > way:
            turn = start + start_velocity * stop / 2
            return [(stop, -start_velocity / stop), *phases(turn, 0.0, cycle)]
        if way == 0.0:
            return []
        highest = sqrt((2 * way + speed**2 / acc) / (1 / acc + 1 / dec))
        asked = velocity if speed > velocity else min(velocity, highest)
        first = whole(abs(asked - speed) / (acc if asked > speed else dec), cycle)
        last = whole(asked / dec, cycle)
        while True:
            middle = whole(way / asked - (speed / asked + 1) * first / 2 - last / 2, cycle)
            top = (way - speed * first / 2) / (middle + (first + last) / 2)
            if speed - top <= dec * first:
                break
            if middle == 0.0:  # all that is left is to slow down, and a cycle for what is over
                first, last = floor(2 * way / speed / cycle) * cycle, cycle
                top = (2 * way - speed * first) / (first + last)
                break
            first = max(whole((speed - top) / dec, cycle), first + cycle)
        change = (top - speed) / first if first else 0.0
        return [(first, sign * change), (middle, 0.0), (last, -sign * top / last)]

    return phases


def whole(time: float, cycle: float) -> float:
    """`time` and what it lacks to whole cycles; 0 for what is not above 0."""
    return max(0, ceil(time / cycle - 1e-9)) * cycle


def duration(
    plan: Plan, position: float = 0.0, velocity: float = 0.0, cycle: float = 0.001
) -> float:
    """How long the phases last, s."""
    return sum(time for time, _ in plan(position, velocity, cycle))


def state_after(seconds: float, phases: Sequence[Phase], p: float, v: float) -> tuple[float, float]:
    """Position and velocity; after the last phase the velocity stays."""
    for length, a in [*phases, (inf, 0.0)]:
        s = min(seconds, length)
        p, v = p + v * s + a * s**2 / 2, v + a * s
        seconds -= s
        if seconds <= 0.0:
            break
    return p, v


@dataclass(frozen=True, slots=True)
class Order:
    """An order that was taken up in one of the cycles `starts`, and the status before them."""

    before: MotionStatus
    starts: range
    cycle_time: float

    def follows(
        self, plan: Plan, seen: Sequence[MotionStatus], of: Quantity, tolerance: float
    ) -> None:
        """Fail unless `of` everything `seen` is as `plan` says, begun in one of `starts`.

        Before the order, the axis is at rest or at a steady velocity.
        """
        deviations = {start: self.deviation(plan, start, seen, of) for start in self.starts}
        best = min(deviations, key=lambda start: deviations[start])
        assert deviations[best] <= tolerance, (
            f"{deviations[best]} off the plan when begun in cycle {best}, the best of "
            f"{self.starts}; seen {[of(status) for status in seen]}"
        )

    def deviation(
        self, plan: Plan, start: int, seen: Sequence[MotionStatus], of: Quantity
    ) -> float:
        """How far what was seen is from `plan` begun in cycle `start`, u or u/s."""
        position, velocity = of(self.before)
        position += velocity * (start - self.before.cycle) * self.cycle_time
        phases = plan(position, velocity, self.cycle_time)
        return max(
            abs(is_ - due)
            for status in seen
            for is_, due in zip(
                of(status),
                state_after(
                    max(0, status.cycle - start) * self.cycle_time, phases, position, velocity
                ),
                strict=True,
            )
        )


def axis(number: int) -> Quantity:
    """The commanded position and velocity of one axis."""
    return lambda status: (float(status.pos_cmd[number]), float(status.velocity_cmd[number]))
