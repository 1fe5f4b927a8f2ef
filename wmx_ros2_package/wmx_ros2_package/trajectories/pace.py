"""The pace of a trajectory: how fast time on its path passes while it is carried out.

A plan is made for full pace. At another one the joints go the same way, slower: the path is not
left, and velocities are those of the plan times the rate, accelerations times its square. While the
rate changes, evenly over some time, there is what that adds: so each change is judged by the limits
of the joints, and takes longer where they need that. At a rate of 0 the joints stand on the path.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, comb, inf, sqrt

import numpy as np

from ..validation import BadRequest
from .curves import SHORTEST, Curve, cubic, joined
from .goal import Joints, Rules
from .plan import Plan, check_plan
from .segments import MOST_POINTS, segments

SPACING = 0.006
"""Between two of the cubics along which the pace changes, s, as where a path is stopped."""
MOST_SPACES = 400
SHORTEST_CHANGE = 0.04
"""How long a small change of the pace takes, s."""
LONGER = 1.0, 2.0, 4.0, 8.0, 16.0
"""How many times as long a change may take where joints would change their speed too hard."""
SHORT_WAY = 16.0, 64.0
"""How many times as long it may take as well where the way is too short for the engine's points."""
HARDLY = 1e-4
"""How far joints may go, u, before they rest after such a time."""

ROOM = 1.05
"""By how much a path that was judged may seem faster and harder, led through by other points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Time on the path, by the time since a plan of this pace began, s."""

    begin: float = 0.0
    """Where on the path it begins, s."""
    rate: float = 1.0
    """How fast time on the path passes at first."""
    then: float = 1.0
    """The rate after `ramp` seconds, in which it changes evenly."""
    ramp: float = 0.0

    def path_time(self, time: float) -> float:
        """Where on the path the joints are at `time`, s."""
        if time <= self.ramp:
            change = (self.then - self.rate) / (2.0 * self.ramp) if self.ramp else 0.0
            return self.begin + self.rate * time + change * time * time
        return self.changed_at + self.then * (time - self.ramp)

    @property
    def changed_at(self) -> float:
        """Where on the path the rate is `then`, s."""
        return self.begin + (self.rate + self.then) / 2.0 * self.ramp

    def rate_at(self, time: float) -> float:
        """How fast time on the path passes at `time`."""
        if time >= self.ramp or not self.ramp:
            return self.then
        return self.rate + (self.then - self.rate) * max(0.0, time) / self.ramp

    def change_at(self, time: float) -> float:
        """By how much the rate increases in each s at `time`; below 0 it decreases."""
        return (self.then - self.rate) / self.ramp if 0.0 <= time < self.ramp else 0.0

    def time_at(self, path_time: float) -> float:
        """When the joints are at `path_time`, s; inf where they come to rest before."""
        ahead = path_time - self.begin
        if path_time > self.changed_at:
            return self.ramp + (path_time - self.changed_at) / self.then if self.then else inf
        if self.then == self.rate or not self.ramp:
            return ahead / self.rate if self.rate else 0.0
        change = (self.then - self.rate) / (2.0 * self.ramp)
        # The smaller root of: change t^2 + rate t = ahead, in the form that bears change near 0.
        root = sqrt(max(0.0, self.rate**2 + 4.0 * change * ahead))
        return 2.0 * ahead / (self.rate + root) if self.rate + root else 0.0

    def later(self, time: float) -> "Pace":
        """The same pace, as it goes on `time` later at the beginning of another path."""
        return Pace(rate=self.rate_at(time), then=self.then, ramp=max(0.0, self.ramp - time))

    def changing(self, time: float, then: float, ramp: float, longer: float = 1.0) -> "Pace":
        """The pace that goes on from this one at `time`, and is `then` some time later.

        That is `ramp` s for a change by 1, and so much `longer`.
        """
        rate = self.rate_at(time)
        longest = max(SHORTEST_CHANGE, ramp * abs(then - rate)) * longer
        return Pace(begin=self.path_time(time), rate=rate, then=then, ramp=longest)


FULL = Pace()


class TooShort(BadRequest):
    """The way on which the pace would change is too short: joints move hardly, or arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PacedPlan:
    """What is `asked`, which is of full pace, as a `plan` of another one."""

    asked: Plan
    pace: Pace
    plan: Plan


def paced(asked: Plan, pace: Pace = FULL) -> PacedPlan:
    """What is asked, from where `pace` begins, at that pace."""
    made = asked
    if pace != FULL:
        curve = _paced(asked, pace)
        made = replace(asked, curve=curve, segments=tuple(segments(curve)))
    return PacedPlan(asked=asked, pace=pace, plan=made)


def judged(
    asked: Plan,
    joints: Joints,
    rules: Rules,
    pace_in: Callable[[float], Pace],
    *,
    standing: bool = False,
) -> PacedPlan:
    """What is asked, which was judged already, at a pace that changes as quickly as may be.

    `pace_in` gets how many times as long the change is to take. BadRequest where joints cannot be
    led so; TooShort where they move so little that no spline can lead them, unless they are
    `standing`.
    """
    roomy = replace(
        joints,
        top_speed=joints.top_speed * ROOM,
        top_acceleration=joints.top_acceleration * ROOM,
    )
    for longer in LONGER:
        made = paced(asked, pace_in(longer))
        if not (reasons := check_plan(made.plan, roomy, rules) or _off_path(made, rules)):
            break
    else:
        raise BadRequest(reasons)
    for longer in (0.0, *SHORT_WAY):
        if longer:
            made = paced(asked, pace_in(longer))
        opening = made.plan.opening
        if standing or opening is None:
            return made
        if longer and made.pace.then == 0.0 and np.ptp(opening.positions, axis=0).max() > HARDLY:
            break  # they move soon, and rest sooner if they are slowed down then
        if not opening.is_too_short and not (longer and _off_path(made, rules)):
            return made
    raise TooShort(["the joints move too little to change their speed"])


def _off_path(made: PacedPlan, rules: Rules) -> list[str]:
    """Why joints would leave their path while the rate changes; empty where they do not."""
    off = 0.0
    for segment in made.plan.segments:
        times = segment.times
        looks = np.concatenate([times, (times[:-1] + times[1:]) / 2.0])
        looks = looks[segment.begin + looks < made.pace.ramp]
        path_times = [made.pace.path_time(t) for t in (segment.begin + looks).tolist()]
        away = segment.curve.at(looks) - made.asked.curve.at(np.array(path_times))
        off = max(off, float(np.abs(away).max(initial=0.0)))
    if off <= rules.spline_tolerance:
        return []
    return [
        f"joints would be {off:.3g} off their path as their speed changes: must be within "
        f"{rules.spline_tolerance:g} (spline_tolerance)"
    ]


def _paced(asked: Plan, pace: Pace) -> Curve:
    path = asked.curve
    end = float(path.times[-1])
    parts = []
    if pace.ramp > SHORTEST:
        parts.append(_changing(asked, pace, min(pace.time_at(end), pace.ramp)))
    changed = pace.changed_at if pace.ramp > SHORTEST else pace.begin
    if pace.then > 0.0 and changed < end - SHORTEST:
        parts.append(_even(path, changed, pace.then, pace.ramp))
    if not parts:  # it is at the end of the path, where joints rest
        there = np.repeat(path.at(np.array([end])), 2, axis=0)
        parts.append(cubic(np.array([0.0, SHORTEST_CHANGE]), there, np.zeros_like(there)))
    if len(parts) == 1:
        return parts[0]
    before, after = parts
    return Curve(
        times=np.concatenate([before.times[:-1], after.times]),
        coefficients=joined(before.coefficients, after.coefficients),
    )


def _changing(asked: Plan, pace: Pace, lasts: float) -> Curve:
    """The cubics along which the rate changes, with the points of the path among theirs."""
    path, reached = asked.curve, pace.path_time(lasts)
    between = [pace.time_at(t) for t in path.times.tolist() if pace.begin < t < reached]
    # The engine takes no more points in one spline; after a stand another one begins.
    segment, later = asked.segment_at(reached) if pace.then else None, 0
    if segment is not None:
        after = (path.times >= reached) & (path.times <= segment.end + SHORTEST)
        later = int(np.count_nonzero(after))
    room = MOST_POINTS - 1 - len(between) - later
    spaces = max(1, min(MOST_SPACES, max(2, ceil(lasts / SPACING)), room))
    times = np.linspace(0.0, lasts, spaces + 1)
    times = np.unique(np.concatenate([times, np.array(between)]))
    times = times[np.concatenate([[True], np.diff(times) > SHORTEST])]
    times[-1] = lasts
    on_path = np.array([pace.path_time(t) for t in times.tolist()])
    rates = np.array([pace.rate_at(t) for t in times.tolist()])[:, np.newaxis]
    return cubic(times, path.at(on_path), path.at(on_path, 1) * rates)


def _even(path: Curve, begin: float, rate: float, at: float) -> Curve:
    """The path from `begin` on at one rate, its times counted on from `at`."""
    first = int(np.searchsorted(path.times, begin + SHORTEST, side="right")) - 1
    knots = np.concatenate([[begin], path.times[first + 1 :]])
    coefficients = path.coefficients[:, first:].copy()
    before, powers = coefficients[:, 0].copy(), range(len(coefficients))
    gone = begin - float(path.times[first])
    for power in powers:
        coefficients[power, 0] = sum(
            comb(higher, power) * before[higher] * gone ** (higher - power)
            for higher in powers[power:]
        )
        coefficients[power] *= rate**power
    return Curve(times=at + (knots - begin) / rate, coefficients=coefficients)
