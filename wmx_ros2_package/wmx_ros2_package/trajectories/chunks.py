"""Streams of chunks: some points into the future, planned anew before the last one is reached.

A policy that was learnt, or a local planner, sends them: say 15 points at 15 Hz, anew after every
eighth. Each point is due at a time. So a chunk that comes late is not carried out later than it was
meant: what was due already is left out, and the joints join it at its next points. Where they would
speed up harder than they may, they join it later, or go through it slower.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from wmx_core.values import Floats

from ..validation import MOST_REASONS, BadRequest
from .goal import Goal, Joints, Rules, Start
from .goal_rules import check_goal, named
from .plan import Plan, check_plan, is_within_limits, plan
from .reach import too_far
from .segments import MOST_POINTS

JOINED = 0.02
"""The first point that joints go to is due so much later at least than they begin to, s."""
SKIPS = 0, 1, 2, 3
"""How many points more joints may leave out where they would speed up too hard."""
STRETCHES = 1.25, 1.5, 2.0, 3.0, 4.0
"""How many times as long they may take where that is not enough."""
KEPT = 2.0
"""How long points are kept that were due, s: the lag is found among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Where a stream of chunks asks joints to be; times are s of the steady clock."""

    names: tuple[str, ...] = ()
    times: Floats
    positions: Floats
    """Shape (points, joints), u."""

    @classmethod
    def empty(cls) -> "Timeline":
        """The timeline before the first chunk."""
        return cls(times=np.zeros(0), positions=np.zeros((0, 0)))

    def extended(self, chunk: Goal, asked_at: float, now: float, *, append: bool) -> "Timeline":
        """The timeline with `chunk`, which `check_goal` has nothing against.

        Its times count from `asked_at`, and what was asked for after its first point goes. With
        `append` they count from the last point before it, if that is not due yet. BadRequest where
        too many points wait.
        """
        names = tuple(chunk.joint_names)
        times, positions = np.array(chunk.times), np.array(chunk.positions, dtype=np.float64)
        if names != self.names:
            return Timeline(names=names, times=asked_at + times, positions=positions)
        if append and self.times[-1] > now:
            later = times > 0.0
            times, positions = self.times[-1] + times[later], positions[later]
        else:
            times = asked_at + times
        kept = (self.times < times[0]) & (self.times > now - KEPT)
        if (count := int(kept.sum()) + len(times)) > MOST_POINTS:
            raise BadRequest(
                [f"{count} points with those that wait: must be {MOST_POINTS} or fewer"]
            )
        return Timeline(
            names=names,
            times=np.concatenate([self.times[kept], times]),
            positions=np.concatenate([self.positions[kept], positions]),
        )

    def goal_from(
        self, time: float, stopping_time: float, skip: int = 0, stretch: float = 1.0
    ) -> Goal:
        """What joints are to do from `time` on, without `skip` points, `stretch` times as slow.

        Where nothing follows they slow down in the last half of `stopping_time`, and rest at the
        last point. BadRequest where all points were due before.
        """
        due = np.flatnonzero(self.times >= time + JOINED)
        if not due.size:
            late = time - float(self.times[-1]) + JOINED
            raise BadRequest([f"its last point was due {late:.3f} s ago: must be due later"])
        chosen = due[min(skip, len(due) - 1) :]
        times = _to_rest((self.times[chosen] - time) * stretch, stopping_time)
        nothing: list[tuple[float, ...]] = [()] * len(chosen)
        return Goal(
            joint_names=self.names,
            times=times.tolist(),
            positions=self.positions[chosen].tolist(),
            velocities=nothing,
            accelerations=nothing,
        )

    def lag(self, time: float, actual: Floats) -> float | None:
        """How long joints that are at `actual` are behind what is asked for at `time`, s.

        Less than 0 where they are ahead; None where nothing moves, or nothing is asked for then.
        """
        if len(self.times) < 2 or not self.times[0] < time < self.times[-1]:
            return None
        i = int(np.searchsorted(self.times, time, side="right"))
        before, after = self.positions[i - 1], self.positions[i]
        velocity = (after - before) / (self.times[i] - self.times[i - 1])
        speed = float(velocity @ velocity)
        if speed < SLOWEST**2:
            return None
        asked = before + velocity * (time - self.times[i - 1])
        return float((asked - actual) @ velocity) / speed


SLOWEST = 0.02
"""A stream that asks for less, u/s of all joints together, has no lag that could be told."""


def judged_chunk(chunk: Goal, joints: Joints, start: Start, rules: Rules) -> Goal:
    """`chunk` with the names of its joints; BadRequest with what is wrong with it by itself."""
    # Its first point may be where it was planned from, which joints have left since.
    wide = replace(rules, start_tolerance=np.inf, still_velocity=np.inf)
    if reasons := check_goal(chunk, joints, start, wide):
        raise BadRequest(reasons)
    return replace(chunk, joint_names=tuple(named(chunk, joints)))


def chunk_plan(timeline: Timeline, joints: Joints, start: Start, time: float, rules: Rules) -> Plan:
    """What joints do from `time` on, when they are as in `start`; BadRequest with the reasons."""
    first = timeline.goal_from(time, rules.stopping_time)
    columns = list(joints.columns(first.joint_names))
    here, target = start.position[columns], np.array(first.positions[0])
    top = np.where(np.isinf(joints.top_speed), rules.unlimited_speed, joints.top_speed)[columns]
    names = first.joint_names
    if far := too_far(names, target, here, first.times[0], rules.start_tolerance, top):
        raise BadRequest(far[:MOST_REASONS])
    for goal in _choices(timeline, time, rules.stopping_time):
        made = plan(goal, joints, start, rules)
        if is_within_limits(made, joints, rules):
            break
    if reasons := check_plan(made, joints, rules):
        raise BadRequest(reasons)
    return made


def _choices(timeline: Timeline, time: float, stopping_time: float) -> Iterator[Goal]:
    """What joints may be asked to do instead of each other, the best first."""
    for skip in SKIPS:
        yield timeline.goal_from(time, stopping_time, skip)
    for stretch in STRETCHES:
        yield timeline.goal_from(time, stopping_time, SKIPS[-1], stretch)


def _to_rest(times: Floats, stopping_time: float) -> Floats:
    """`times` of which the last are later, so that joints come to rest at the last one.

    The time on the path passes slower and slower, as in `curves.to_rest`.
    """
    span = min(stopping_time, 2.0 * float(times[-1] - times[0]))
    if span <= 0.0:
        return times
    begin = times[-1] - span / 2.0
    passed = np.clip((times - begin) / span, 0.0, 0.5)
    slowed: Floats = np.where(
        times > begin, begin + span * (1.0 - np.sqrt(1.0 - 2.0 * passed)), times
    )
    return slowed
