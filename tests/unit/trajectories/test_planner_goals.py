"""Goals as planners compute them are accepted, and can be followed as near as is asked for."""

import numpy as np
import pytest
from planner_goals import GOALS
from robot_goals import NAMES, RULES, goal, joints, start

from wmx_ros2_package.trajectories.goal_rules import check_goal
from wmx_ros2_package.trajectories.plan import check_plan, plan


@pytest.mark.parametrize("planner", GOALS)
def test_a_planners_goal_is_accepted(planner: str) -> None:
    times, positions, velocities, accelerations = GOALS[planner](len(NAMES))
    wanted = goal(
        times=times.tolist(),
        positions=positions.tolist(),
        velocities=velocities.tolist(),
        accelerations=accelerations.tolist(),
    )
    assert check_goal(wanted, joints(), start(), RULES) == []
    planned = plan(wanted, joints(), start())
    assert check_plan(planned, joints(), RULES) == []
    assert planned.target == pytest.approx(positions[-1], abs=1e-9)
    velocity = planned.curve.at(np.array([0.0, planned.duration]), 1)
    assert np.abs(velocity).max() < 1e-9
