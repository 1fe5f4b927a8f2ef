"""What the server of trajectories will do with one, by the server's own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from wmx_core.values import Floats

from ..trajectories.goal import Goal, Joints, Rules, Start
from ..trajectories.goal_rules import check_goal
from ..trajectories.plan import check_plan, plan
from ..trajectories.point_files import Trajectory

SAMPLES = 1000
"""Of a path that is shown."""
RULES = Rules()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Foreseen:
    """What will come of a trajectory that begins at its first point, where the joints rest."""

    path: Trajectory
    """What the joints follow, which may go beyond the points: a curve, in samples. The points where
    no curve can be made."""
    reasons: tuple[str, ...]
    """Why the server would refuse it."""


def foresee(trajectory: Trajectory, server: Mapping[str, Any]) -> Foreseen:
    """Plan a trajectory as the `server` of these parameters does."""
    known = tuple(server["joint_name"])
    if sorted(trajectory.joints) != sorted(known):
        wrong = f"its joints are {', '.join(trajectory.joints)}: the robot has {', '.join(known)}"
        return Foreseen(path=trajectory, reasons=(wrong,))
    joints = Joints(
        names=known,
        axes=tuple(range(len(known))),
        lower=_limits(server["position_lower"], -inf),
        upper=_limits(server["position_upper"], inf),
        top_speed=_limits([limit or None for limit in server["velocity_limit"]], inf),
        top_acceleration=_limits([limit or None for limit in server["acceleration_limit"]], inf),
    )
    nothing: list[tuple[float, ...]] = [()] * len(trajectory.times)
    goal = Goal(
        joint_names=trajectory.joints,
        times=trajectory.times.tolist(),
        positions=trajectory.positions.tolist(),
        velocities=nothing,
        accelerations=nothing,
    )
    first = trajectory.positions[0, [trajectory.joints.index(name) for name in known]]
    still = np.zeros_like(first)
    start = Start(actual=first, position=first, velocity=still, acceleration=still)
    if reasons := check_goal(goal, joints, start, RULES):
        return Foreseen(path=trajectory, reasons=tuple(reasons))
    made = plan(goal, joints, start, RULES)
    times = np.linspace(0.0, made.duration, SAMPLES)
    path = Trajectory(joints=tuple(made.names), times=times, positions=made.curve.at(times))
    return Foreseen(path=path, reasons=tuple(check_plan(made, joints, RULES)))


def _limits(limits: Sequence[float | None], otherwise: float) -> Floats:
    return np.array([otherwise if limit is None else limit for limit in limits])
