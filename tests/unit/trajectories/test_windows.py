"""Windows of a stream end in motion; one that is not replaced rests at the end of its path."""

import numpy as np
import pytest
from hypothesis import given
from robot_goals import goal, joints, right_goals, start

from wmx_ros2_package.trajectories.goal import Goal, Rules
from wmx_ros2_package.trajectories.goal_rules import check_goal
from wmx_ros2_package.trajectories.plan import check_plan, plan

STREAM = Rules(allow_end_in_motion=True, stopping_time=0.4)
STILL, FAST = (0.0,) * 3, (0.5, -0.2, 0.0)


def window(span: float = 1.0, **changes: object) -> Goal:
    """From rest to a motion at `FAST`."""
    end = tuple(velocity * span / 2.0 for velocity in FAST)
    nothing = ((), ())
    fields = {
        "times": (0.0, span),
        "positions": (STILL, end),
        "velocities": (STILL, FAST),
        "accelerations": nothing,
    }
    return goal(**(fields | changes))


def test_only_a_stream_may_end_in_motion() -> None:
    assert (
        "allow_nonzero_velocity_at_trajectory_end"
        in check_goal(window(), joints(), start(), Rules())[0]
    )
    assert check_goal(window(), joints(), start(), STREAM) == []


@pytest.mark.parametrize(
    ("span", "beyond"),
    [
        pytest.param(1.0, 0.0, id="long: on its path"),
        pytest.param(0.4, 0.0, id="just long enough"),
        pytest.param(0.3, 0.1, id="half of the stop goes straight on"),
        pytest.param(0.1, 0.2, id="all of it does"),
    ],
)
@pytest.mark.parametrize("accelerations", [(), (STILL, STILL)])
def test_a_window_that_is_not_replaced_comes_to_rest(
    span: float, beyond: float, accelerations: tuple[tuple[float, ...], ...]
) -> None:
    wanted = window(span, accelerations=accelerations or ((), ()))
    planned = plan(wanted, joints(), start(), STREAM)
    last, velocity = np.array(wanted.positions[-1]), np.array(FAST)
    assert planned.target == pytest.approx(last + velocity * beyond)
    at = np.linspace(0.0, planned.duration, 500)
    position, speed = planned.curve.at(at), planned.curve.at(at, 1)
    assert speed[-1] == pytest.approx([0.0] * 3, abs=1e-6)
    # On the line: joint 2 goes -0.4 times as far as joint 1, everywhere.
    assert position[:, 1] == pytest.approx(-0.4 * position[:, 0], abs=1e-6)
    assert check_plan(planned, joints(), STREAM) == []


def test_a_window_that_cannot_stop_within_the_limits_is_refused() -> None:
    short = window(0.1)
    near = joints(upper=short.positions[-1][0] + 0.05)
    [reason] = check_plan(plan(short, near, start(), STREAM), near, STREAM)
    assert "must stay within" in reason


def test_until_it_slows_down_a_window_is_as_it_was_asked_for() -> None:
    planned = plan(window(), joints(), start(), STREAM)
    # The cubic from rest to twice its mean velocity is a parabola.
    at = np.linspace(0.0, 0.8, 50)
    assert planned.curve.at(at)[:, 0] == pytest.approx(0.25 * at**2, abs=1e-9)


@pytest.mark.long
@given(right_goals())
def test_what_ends_at_rest_is_planned_as_ever(wanted: Goal) -> None:
    asked, stream = plan(wanted, joints(), start()), plan(wanted, joints(), start(), STREAM)
    assert (asked.curve.coefficients == stream.curve.coefficients).all()


def test_joints_that_move_may_be_further_from_the_first_point() -> None:
    """A planner knows where they were some time ago."""
    behind = window(positions=((-0.05, 0.0, 0.0), (0.5, -0.1, 0.0)))
    assert "joint1 is at 0" in check_goal(behind, joints(), start(), STREAM)[0]
    assert check_goal(behind, joints(), start(velocity=0.5), STREAM) == []
