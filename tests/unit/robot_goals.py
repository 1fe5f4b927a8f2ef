"""Goals for tests: one that is right, and hypothesis strategies for others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from wmx_ros2_package.trajectories.goal import Goal, Joints, Rules, Start

NAMES = ("joint1", "joint2", "joint3")
RULES = Rules()


def joints(lower: float = -np.inf, upper: float = np.inf, top_speed: float = np.inf) -> Joints:
    """Three joints on axes 4, 5 and 6."""
    return Joints(
        names=NAMES,
        axes=(4, 5, 6),
        lower=np.full(3, lower),
        upper=np.full(3, upper),
        top_speed=np.full(3, top_speed),
    )


def start(position: Sequence[float] = (0.0, 0.0, 0.0), velocity: float = 0.0) -> Start:
    """Joints that are where they are commanded to be."""
    there = np.array(position, dtype=np.float64)
    return Start(
        actual=there,
        position=there,
        velocity=np.full(3, velocity),
        acceleration=np.zeros(3),
    )


def goal(**changes: Any) -> Goal:
    """Three points half a second apart, positions only, with `changes`."""
    fields: dict[str, Any] = {
        "joint_names": NAMES,
        "times": (0.0, 0.5, 1.0),
        "positions": ((0.0, 0.0, 0.0), (0.1, 0.2, 0.3), (0.0, 0.4, 0.5)),
        "velocities": ((), (), ()),
        "accelerations": ((), (), ()),
    }
    return Goal(**(fields | changes))


_values = st.floats(-2.0, 2.0).map(lambda value: round(value, 3))


@st.composite
def right_goals(draw: st.DrawFn) -> Goal:
    """Goals with 2 to 30 points, from rest at zero to rest, that a generous server accepts."""
    count = draw(st.integers(1, 29))
    gaps = draw(st.lists(st.floats(0.02, 0.5), min_size=count, max_size=count))
    row = st.tuples(_values, _values, _values)
    still = (0.0, 0.0, 0.0)
    kind = draw(st.sampled_from(("spline", "cubic", "quintic")))
    between = st.lists(row, min_size=count - 1, max_size=count - 1)
    nothing = [()] * (count + 1)
    return goal(
        times=(0.0, *np.cumsum(gaps).tolist()),
        positions=[still, *draw(st.lists(row, min_size=count, max_size=count))],
        velocities=nothing if kind == "spline" else [still, *draw(between), still],
        accelerations=[still, *draw(between), still] if kind == "quintic" else nothing,
    )
