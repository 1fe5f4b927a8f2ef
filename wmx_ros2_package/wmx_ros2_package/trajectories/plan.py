"""Turns a goal into what the engine does: the curve it asks for, and the splines that follow it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from wmx_core.values import Flags, Floats

from ..validation import MOST_REASONS, BadRequest
from .curves import Curve, cubic, quintic, spline, to_rest
from .goal import Goal, Joints, Rows, Rules, Start
from .goal_rules import check_goal, ends_in_motion, named, starts_at_point
from .segments import LEAST_INTERVAL, MOST_POINTS, SAME_POINT, Segment, segments

ROUNDING = 1e-6
"""As a part of a limit, by which a spline may exceed it."""
ARRIVING = 0.05
"""Joints stand that are a point's distance from the end of a segment, and so soon there, s: what
began there would have two points at one place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A goal that can be followed, from where the joints were when it was planned."""

    names: tuple[str, ...]
    axes: tuple[int, ...]
    columns: tuple[int, ...]
    """The places of the joints among those of the server."""
    curve: Curve
    """What the goal asks for, time counted from its start."""
    segments: tuple[Segment, ...]
    point_times: Floats
    """Those of the goal's points."""

    @property
    def duration(self) -> float:
        """Until the axes are commanded to rest, s."""
        return float(self.curve.times[-1])

    @property
    def target(self) -> Floats:
        """Where the joints arrive, (joints,)."""
        end: Floats = self.curve.at(self.curve.times[-1:])[0]
        return end

    @property
    def error(self) -> float:
        """How far from the goal's curve the engine's splines are at most, u."""
        return max((segment.error for segment in self.segments), default=0.0)

    @property
    def opening(self) -> Segment | None:
        """The segment with which the plan begins; None where the joints stand at first, or stay."""
        first = next(iter(self.segments), None)
        return first if first is not None and first.begin == 0.0 else None

    def segment_at(self, time: float) -> Segment | None:
        """The segment that the joints follow at `time`; None where they stand."""
        return next((each for each in self.segments if each.begin <= time < each.end), None)

    def start_at(self, time: float) -> Start:
        """Where the joints are commanded to be at `time`, for a plan that begins then."""
        when = np.array([time])
        position = self.curve.at(when)[0]
        segment = self.segment_at(time)
        if segment is not None and segment.end - time < ARRIVING:
            end = self.curve.at(np.array([segment.end]))[0]
            if (np.abs(end - position) < SAME_POINT).all():
                segment, position = None, end
        if segment is None:
            still = np.zeros_like(position)
            return Start(actual=position, position=position, velocity=still, acceleration=still)
        return Start(
            actual=position,
            position=position,
            velocity=self.curve.at(when, 1)[0],
            acceleration=self.curve.at(when, 2)[0],
        )

    def point_at(self, time: float) -> int:
        """The point of the goal that the joints go to at `time`."""
        return min(int(np.searchsorted(self.point_times, time)), len(self.point_times) - 1)


DEFAULT_RULES = Rules()
FOLLOWED = 0.2
"""So long a window of a stream is followed before the joints slow down, s: MoveIt's local planners
send one every 0.1 s, each as short as that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A goal that was judged and planned."""

    goal: Goal
    joints: Joints
    rules: Rules
    plan: Plan
    planned_from: "Callable[[Start, float], Plan] | None" = None
    """Plans it from a start at a time of the steady clock, s, where its points are due at times;
    others are the same whenever they start. BadRequest with the reasons."""


def plan(goal: Goal, joints: Joints, start: Start, rules: Rules = DEFAULT_RULES) -> Plan:
    """What the engine does for a `goal` that `check_goal` has nothing against."""
    names = tuple(named(goal, joints))
    columns = joints.columns(names)
    in_motion = ends_in_motion(goal, rules)
    curve = _curve(goal, start.of(columns), in_motion=in_motion)
    if in_motion:
        curve = to_rest(curve, rules.stopping_time, FOLLOWED)
    return Plan(
        names=names,
        axes=tuple(joints.axes[column] for column in columns),
        columns=columns,
        curve=curve,
        segments=tuple(segments(curve)),
        point_times=np.array(goal.times),
    )


def require_plan(goal: Goal, joints: Joints, start: Start, rules: Rules) -> Plan:
    """The plan of `goal` for joints that are as `start`; BadRequest with what is wrong with it."""
    if reasons := check_goal(goal, joints, start, rules):
        raise BadRequest(reasons)
    made = plan(goal, joints, start, rules)
    if reasons := check_plan(made, joints, rules):
        raise BadRequest(reasons)
    return made


def check_plan(plan: Plan, joints: Joints, rules: Rules) -> list[str]:
    """Why the engine cannot follow `plan`, or must not; empty if it can."""
    return list(islice(_reasons(plan, joints, rules), MOST_REASONS))


def _reasons(plan: Plan, joints: Joints, rules: Rules) -> Iterator[str]:
    if any(len(segment.times) > MOST_POINTS for segment in plan.segments):
        yield f"{len(plan.curve.times)} points with the start: must be {MOST_POINTS} or fewer"
    if not plan.error <= rules.spline_tolerance:
        yield (
            f"the engine's spline would be {plan.error:.3g} off: must be within "
            f"{rules.spline_tolerance:g} (spline_tolerance); the trajectory changes too abruptly"
        )
    columns = list(plan.columns)
    # A joint that is outside already may come back.
    begin = plan.curve.coefficients[0, 0]
    lower = np.minimum(joints.lower[columns], begin)
    upper = np.maximum(joints.upper[columns], begin)
    for segment in plan.segments:
        least, greatest = segment.curve.range()
        for i, name in enumerate(plan.names):
            beyond = [
                f"{edge:.6g}"
                for edge, is_within in (
                    (least[i], least[i] >= lower[i] - SAME_POINT),
                    (greatest[i], greatest[i] <= upper[i] + SAME_POINT),
                )
                if not is_within
            ]
            if beyond:
                yield (
                    f"{name} would reach {' and '.join(beyond)}: must stay within "
                    f"{lower[i]:g} to {upper[i]:g}"
                )
    yield from _too_fast(plan, joints, rules)


def is_within_limits(plan: Plan, joints: Joints, rules: Rules) -> bool:
    """Whether no joint is too fast in `plan`, or speeds up or slows down too hard."""
    return next(_too_fast(plan, joints, rules), "") == ""


def _too_fast(plan: Plan, joints: Joints, rules: Rules) -> Iterator[str]:
    columns = list(plan.columns)
    top = joints.top_speed[columns]
    top = np.where(np.isinf(top), rules.unlimited_speed, top)
    hardest = np.broadcast_to(joints.top_acceleration, joints.top_speed.shape)[columns]
    for segment in plan.segments:
        speed, acceleration = segment.curve.top_speed(), segment.curve.top_acceleration()
        for i, name in enumerate(plan.names):
            if not speed[i] <= top[i] * (1.0 + ROUNDING):
                yield f"{name} would go at {speed[i]:.6g}: must be {top[i]:g} or slower"
            if not acceleration[i] <= hardest[i] * (1.0 + ROUNDING):
                yield (
                    f"{name} would speed up or slow down by {acceleration[i]:.6g}: must be "
                    f"{hardest[i]:g} or gentler (acceleration_limit)"
                )


def _curve(goal: Goal, start: Start, *, in_motion: bool) -> Curve:
    """The polynomials that `goal` asks for, from `start` on.

    Where the joints are commanded to be takes the place of a first point at time 0.
    """
    times = np.array(goal.times, dtype=np.float64)
    rows = [_rows(goal.positions), _rows(goal.velocities), _rows(goal.accelerations)]
    if rows[1].size and not in_motion:
        rows[1][-1] = 0.0  # what is left there is rounding, see `Rules.still_velocity`
    begin = [start.position, start.velocity, start.acceleration]
    if starts_at_point(goal):
        times = times[1:]
        rows = [row[1:] for row in rows]
    if len(times) > 1 and times[-1] - times[-2] < LEAST_INTERVAL:
        # Where the joints arrive counts; so the point before it goes.
        times = np.delete(times, -2)
        rows = [np.delete(row, -2, axis=0) if row.size else row for row in rows]
    times = np.concatenate([[0.0], times])
    given = [np.vstack([first, row]) for first, row in zip(begin, rows, strict=True) if row.size]
    if len(given) == 1:
        return _through(times, given[0], start.velocity)
    if len(given) == 2:
        return cubic(times, *given)
    return quintic(times, *given)


def _through(times: Floats, positions: Floats, velocity: Floats) -> Curve:
    """The engine's splines through `positions`; where a point repeats, the joints stand."""
    same: Flags = np.abs(np.diff(positions, axis=0)).max(axis=1) < SAME_POINT
    if (np.abs(velocity) >= SAME_POINT).any():
        same[0] = False
    # Each stand, and each run of other stretches, is a curve of its own.
    ends = np.flatnonzero(np.diff(same)) + 1
    bounds = [0, *ends.tolist(), len(times) - 1]
    parts = []
    for first, last in pairwise(bounds):
        here = slice(first, last + 1)
        stands = bool(same[first])
        velocities = velocity if first == 0 else np.zeros_like(velocity)
        parts.append(
            cubic(times[here], positions[here], np.zeros_like(positions[here]))
            if stands
            else spline(times[here], positions[here], velocities)
        )
    return Curve(times=times, coefficients=np.concatenate([p.coefficients for p in parts], axis=1))


def _rows(rows: Rows) -> Floats:
    return np.array([row for row in rows if len(row)], dtype=np.float64)
