"""How far joints may be from where they should be, with the special numbers of control_msgs.

In a goal, 0 leaves the default of the server, -1 allows any difference, and any other number below
0 is refused. In parameters of the server 0 allows any difference, as in
joint_trajectory_controller.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wmx_core.values import Floats

from .goal import Goal, JointTolerance

NONE = -1.0
"""Stands for a tolerance that allows any difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """What each joint of a goal may be off, in u and u/s, (joints,); infinite where anything."""

    names: Sequence[str]
    position: Floats
    velocity: Floats

    def violation(self, position_error: Floats, velocity_error: Floats, where: str) -> str:
        """In words, the first joint that is off by more; nothing if none is."""
        for quantity, errors, tolerances in (
            ("position", position_error, self.position),
            ("velocity", velocity_error, self.velocity),
        ):
            beyond = np.flatnonzero(~(np.abs(errors) <= tolerances))
            if beyond.size:
                i = beyond[0]
                return (
                    f"{quantity} of {self.names[i]} is {abs(errors[i]):.6g} off {where}: "
                    f"must be within {tolerances[i]:.6g}"
                )
        return ""


ANYTHING = Tolerances(names=(), position=np.array(np.inf), velocity=np.array(np.inf))
"""Allows any difference of any joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalTolerances:
    """How well a trajectory has to be followed; by default not at all."""

    path: Tolerances = ANYTHING
    goal: Tolerances = ANYTHING
    settling: float = math.inf
    """How late the axes may settle, s."""


def check_tolerances(goal: Goal, names: Sequence[str]) -> Iterator[str]:
    """What is wrong with the tolerances of `goal`, whose joints have these `names`."""
    for field, given in (
        ("path_tolerance", goal.path_tolerance),
        ("goal_tolerance", goal.goal_tolerance),
    ):
        seen: set[str] = set()
        for tolerance in given:
            name = tolerance.name
            if name not in names:
                yield f"{field} names {name!r}: must be a joint of the trajectory"
            elif name in seen:
                yield f"{field} names {name!r} more than once: must name each joint once"
            seen.add(name)
            for quantity in ("position", "velocity", "acceleration"):
                value = getattr(tolerance, quantity)
                if not (math.isfinite(value) and (value >= 0.0 or value == NONE)):
                    yield f"{field} of {name!r} has {quantity} {value:g}: must be 0, -1 or above 0"
            if math.isfinite(tolerance.acceleration) and tolerance.acceleration > 0.0:
                yield (
                    f"{field} of {name!r} has acceleration {tolerance.acceleration:g}: must be 0 "
                    "or -1, accelerations are not measured"
                )


def tolerances(
    names: Sequence[str],
    given: Sequence[JointTolerance],
    position: Floats,
    velocity: Floats,
) -> Tolerances:
    """What is `given` for the joints `names`, over the server's defaults `position`, `velocity`."""
    positions, velocities = _or_infinite(position), _or_infinite(velocity)
    for tolerance in given:
        i = names.index(tolerance.name)
        positions[i] = _chosen(tolerance.position, positions[i])
        velocities[i] = _chosen(tolerance.velocity, velocities[i])
    return Tolerances(names=names, position=positions, velocity=velocities)


def time_tolerance(given: float, default: float, most: float) -> float:
    """How late the joints may settle, s: never without an end."""
    if given < 0.0:
        return most
    return min(given or default, most)


def _chosen(given: float, default: float) -> float:
    if given == 0.0:
        return default
    return math.inf if given == NONE else given


def _or_infinite(defaults: Floats) -> Floats:
    return np.where(defaults > 0.0, defaults, np.inf)
