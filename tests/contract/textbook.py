"""Constant-acceleration motion as textbooks have it, and whether an axis follows it.

A `Plan` says the phases of a motion from the position and velocity it begins with. When it began
is known to the cycle where the clock is held; where it runs, within the cycles that passed while
the order was given. So a motion `follows` a plan if it does for one of these beginnings, which
has to explain everything that was seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import copysign, inf, sqrt

from wmx_ros2_package.drivers.values import MotionStatus

Phase = tuple[float, float]
"""Duration (s) and acceleration (u/s^2)."""
Plan = Callable[[float, float], list[Phase]]
"""The phases of a motion that begins at a position (u) with a velocity (u/s)."""
Quantity = Callable[[MotionStatus], tuple[float, float]]
"""A position and its velocity, as a status shows them."""


def to_rest(dec: float) -> Plan:
    """Slow down to rest."""
    return to_velocity(0.0, acc=dec, dec=dec)


def to_velocity(target: float, *, acc: float, dec: float) -> Plan:
    """Change to the velocity `target` and keep it; a change of direction goes through rest."""

    def phases(_position: float, velocity: float) -> list[Phase]:
        if velocity * target < 0.0:
            return [*phases_to(velocity, 0.0), *phases_to(0.0, target)]
        return phases_to(velocity, target)

    def phases_to(start: float, end: float) -> list[Phase]:
        rate = acc if abs(end) > abs(start) else dec
        return [(abs(end - start) / rate, copysign(rate, end - start))]

    return phases


def to_position(target: float, *, velocity: float, acc: float, dec: float) -> Plan:
    """Move to `target` and rest: speed up, cruise, slow down; turn round first if need be."""

    def phases(start: float, start_velocity: float) -> list[Phase]:
        way = target - start
        sign = copysign(1.0, way)
        speed = start_velocity * sign
        if speed < 0.0 or speed**2 / (2 * dec) > abs(way):
            time, rate = abs(start_velocity) / dec, copysign(dec, -start_velocity)
            turn = start + start_velocity * time / 2
            return [(time, rate), *phases(turn, 0.0)]
        highest = sqrt((2 * abs(way) + speed**2 / acc) / (1 / acc + 1 / dec))
        top = velocity if speed > velocity else min(velocity, highest)
        rate = acc if top >= speed else -dec
        first, last = (top - speed) / rate, top / dec
        cruise = abs(way) - (speed + top) / 2 * first - top / 2 * last
        cruising = cruise / top if top > 0.0 else 0.0
        return [(first, sign * rate), (cruising, 0.0), (last, -sign * dec)]

    return phases


def duration(plan: Plan, position: float = 0.0, velocity: float = 0.0) -> float:
    """How long the phases last, s."""
    return sum(time for time, _ in plan(position, velocity))


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
        phases = plan(position, velocity)
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
