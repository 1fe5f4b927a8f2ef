"""Judges a goal before it is accepted: its numbers, not yet whether it can be followed.

`check_goal` names what is wrong, each with the value and its rule; nothing wrong is an empty list.
What the curve does on the way is judged by `plan`.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise

from ..validation import MOST_REASONS, told_once
from .goal import Goal, Joints, Rows, Rules, Start
from .segments import LEAST_INTERVAL, MOST_AXES, MOST_POINTS
from .tolerances import check_tolerances

PLANNING_TIME = 0.1
"""So old may be a planner's state of joints that move, s: streams come at 10 Hz and more."""
AT_REST = 1e-6
"""A joint that is commanded to be slower than this, u/s, stands."""


def check_goal(goal: Goal, joints: Joints, start: Start, rules: Rules) -> list[str]:
    """Why `goal` cannot be accepted, with the joints at `start`; empty if it can."""
    steps: tuple[Callable[[], Iterator[str]], ...] = (
        lambda: _joints(goal, joints, rules),
        lambda: _sizes(goal, named(goal, joints)),
        lambda: _numbers(goal, named(goal, joints)),
        lambda: _times(goal),
        lambda: _start_time(goal, rules),
        lambda: check_tolerances(goal, named(goal, joints)),
        lambda: _start(goal, joints, start, rules),
    )
    for step in steps:  # each relies on what the ones before it found
        if reasons := list(islice(step(), MOST_REASONS)):
            return reasons
    return []


def named(goal: Goal, joints: Joints) -> Sequence[str]:
    """The names of the goal's columns."""
    return goal.joint_names or joints.names


def _joints(goal: Goal, joints: Joints, rules: Rules) -> Iterator[str]:
    """Why the joints of `goal` are not those of the server."""
    if goal.several_degrees:
        yield "multi_dof_trajectory or component tolerances are given: must be empty"
    names = goal.joint_names
    if not names:
        if not rules.allow_unnamed:
            yield "joint_names is empty: must name the joints (or set allow_unnamed_joints)"
        return
    for i, name in enumerate(names):
        if name not in joints.names:
            yield f"joint_names[{i}] is {name!r}: must be one of {', '.join(joints.names)}"
        elif name in names[:i]:
            yield f"joint_names names {name!r} more than once: must name each joint once"
    missing = [name for name in joints.names if name not in names]
    if missing and not rules.allow_partial:
        yield (
            f"joint_names lacks {', '.join(missing)}: must name every joint "
            "(or set allow_partial_joints_goal)"
        )
    if len(names) > MOST_AXES:
        yield f"{len(names)} joints: the engine leads at most {MOST_AXES} along one spline"


def _sizes(goal: Goal, names: Sequence[str]) -> Iterator[str]:
    if not 1 <= len(goal.times) <= MOST_POINTS:
        yield f"{len(goal.times)} points: must be 1 to {MOST_POINTS}"
        return
    for i, row in enumerate(goal.positions):
        if len(row) != len(names):
            yield f"positions of point {i} has {len(row)} elements: must have {len(names)}"
    for field, rows in ("velocities", goal.velocities), ("accelerations", goal.accelerations):
        given = any(len(row) for row in rows)
        for i, row in enumerate(rows):
            if given and len(row) != len(names):
                yield (
                    f"{field} of point {i} has {len(row)} elements: must have {len(names)}, or "
                    "every point none"
                )
    if any(map(len, goal.accelerations)) and not any(map(len, goal.velocities)):
        yield "accelerations are given without velocities: must have both, or velocities alone"


def _numbers(goal: Goal, names: Sequence[str]) -> Iterator[str]:
    rule = "must be finite and within 1e15"
    rows: tuple[tuple[str, Rows], ...] = (
        ("positions", goal.positions),
        ("velocities", goal.velocities),
        ("accelerations", goal.accelerations),
    )
    for field, of_points in rows:
        for i, row in enumerate(of_points):
            yield from told_once(
                (f"{field} of point {i} has {value} for {{name}}: {rule}", name)
                for value, name in zip(row, names, strict=False)
                if not abs(value) <= 1e15
            )


def _times(goal: Goal) -> Iterator[str]:
    times = goal.times
    if times[0] < 0.0:
        yield f"time_from_start of point 0 is {times[0]:g} s: must be 0 or later"
    for i, (before, after) in enumerate(pairwise(times), start=1):
        if not after > before:
            yield (
                f"time_from_start of point {i} is {after:g} s: must be later than {before:g} s, "
                f"that of point {i - 1}"
            )
    if times[-1] < LEAST_INTERVAL:
        yield f"time_from_start of the last point is {times[-1]:g} s: must be 0.001 s or later"
    if not times[-1] <= 1e6:
        yield f"time_from_start of the last point is {times[-1]:g} s: must be 1e6 s or earlier"


def _start_time(goal: Goal, rules: Rules) -> Iterator[str]:
    if goal.starts_in < -rules.late_start:
        yield (
            f"header.stamp is {-goal.starts_in:.3f} s in the past: must be {rules.late_start:g} s "
            "or less"
        )
    if goal.starts_in > rules.early_goal:
        yield (
            f"header.stamp is {goal.starts_in:.3f} s in the future: must be {rules.early_goal:g} s "
            "or less"
        )


def starts_at_point(goal: Goal) -> bool:
    """Whether the first point is where the joints have to be at the start."""
    return goal.times[0] < LEAST_INTERVAL


def _start(goal: Goal, joints: Joints, start: Start, rules: Rules) -> Iterator[str]:
    """Why `goal` cannot start with the joints at `start`, and why it does not end at rest."""
    names = named(goal, joints)
    at = start.of(joints.columns(names))
    if starts_at_point(goal):
        stand = (abs(at.velocity) <= AT_REST).all()
        within = rules.start_tolerance + abs(at.velocity) * PLANNING_TIME
        for name, first, actual, allowed in zip(
            names, goal.positions[0], at.actual.tolist(), within.tolist(), strict=True
        ):
            if not abs(first - actual) <= allowed:
                yield (
                    f"{name} is at {actual:.6g}, {abs(first - actual):.6g} from the first point "
                    f"{first:.6g}: must be within {allowed:g} (start_tolerance)"
                )
        for name, velocity in zip(names, goal.velocities[0], strict=False):
            if stand and not abs(velocity) <= rules.still_velocity:
                yield (
                    f"{name} stands, and the first point has velocity {velocity:g}: "
                    f"must be 0, within {rules.still_velocity:g}"
                )
    if rules.allow_end_in_motion:
        return
    for name, velocity in zip(names, goal.velocities[-1], strict=False):
        if not abs(velocity) <= rules.still_velocity:
            yield (
                f"{name} has velocity {velocity:g} at the last point: must be 0, within "
                f"{rules.still_velocity:g} (or set allow_nonzero_velocity_at_trajectory_end)"
            )


def ends_in_motion(goal: Goal, rules: Rules) -> bool:
    """Whether the last point has a velocity that does not count as none."""
    return any(abs(velocity) > rules.still_velocity for velocity in goal.velocities[-1])
