"""Goals are judged before they are accepted, and every reason names the value and its rule."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planner_goals import GOALS
from robot_goals import NAMES, RULES, goal, joints, right_goals, start

from wmx_ros2_package.trajectories.goal import Goal, Joints, JointTolerance, Rules, Start
from wmx_ros2_package.trajectories.goal_rules import check_goal
from wmx_ros2_package.trajectories.plan import check_plan, plan
from wmx_ros2_package.trajectories.segments import MOST_POINTS

NAN, INF = float("nan"), float("inf")
ROW = (0.0, 0.0, 0.0)
TWICE = ("joint1", "joint1", "joint2")


def reasons(wanted: Goal, rules: Rules = RULES, at: Start | None = None) -> str:
    return "; ".join(check_goal(wanted, joints(), at or start(), rules))


def tolerance(**fields: Any) -> dict[str, Any]:
    return {"path_tolerance": (JointTolerance(**{"name": "joint1", **fields}),)}


@given(right_goals())
def test_right_goals_are_accepted(wanted: Goal) -> None:
    assert check_goal(wanted, joints(), start(), RULES) == []


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"joint_names": ()}, "joint_names is empty"),
        ({"joint_names": ("joint1", "joint2", "elbow")}, "joint_names[2] is 'elbow': must be one"),
        ({"joint_names": TWICE}, "joint_names names 'joint1' more than once"),
        ({"joint_names": NAMES[:2]}, "joint_names lacks joint3"),
        ({"several_degrees": True}, "multi_dof_trajectory"),
        ({"times": (), "positions": ()}, "0 points: must be 1 to 1000"),
        (
            {"times": range(MOST_POINTS + 1), "positions": (ROW,) * (MOST_POINTS + 1)},
            "1001 points: must be 1 to 1000",
        ),
        ({"positions": (ROW, ROW, ROW[:2])}, "positions of point 2 has 2 elements: must have 3"),
        ({"velocities": (ROW, (), ROW)}, "velocities of point 1 has 0 elements: must have 3"),
        ({"velocities": ((), (), (0.0,))}, "velocities of point 0 has 0 elements"),
        ({"accelerations": (ROW,) * 3}, "accelerations are given without velocities"),
        (
            {"velocities": (ROW,) * 3, "accelerations": (ROW, ROW, (1.0,))},
            "accelerations of point 2 has 1 elements",
        ),
        ({"positions": (ROW, (0.0, NAN, 0.0), ROW)}, "point 1 has nan for joint2: must be finite"),
        ({"positions": ((NAN,) * 3, ROW, ROW)}, f"point 0 has nan for {', '.join(NAMES)}: must"),
        ({"velocities": (ROW, (INF, 0.0, 0.0), ROW)}, "point 1 has inf for joint1: must be finite"),
        ({"times": (-0.1, 0.5, 1.0)}, "time_from_start of point 0 is -0.1 s: must be 0 or later"),
        ({"times": (0.0, 0.5, 0.5)}, "point 2 is 0.5 s: must be later than 0.5 s"),
        ({"times": (0.0, 0.5, 0.4)}, "point 2 is 0.4 s: must be later than 0.5 s"),
        ({"times": (0.0,), "positions": (ROW,)}, "last point is 0 s: must be 0.001 s or later"),
        ({"times": (0.0, 0.5, 2e6)}, "must be 1e6 s or earlier"),
        ({"starts_in": -1.5}, "header.stamp is 1.500 s in the past: must be 1 s"),
        ({"starts_in": 61.0}, "header.stamp is 61.000 s in the future: must be 60 s"),
        (tolerance(name="elbow"), "path_tolerance names 'elbow': must be a joint"),
        (tolerance(position=-2.0), "position -2: must be 0, -1 or above 0"),
        (tolerance(velocity=NAN), "velocity nan: must be"),
        (tolerance(acceleration=1.0), "accelerations are not measured"),
        ({"goal_tolerance": (JointTolerance(name="joint1"),) * 2}, "'joint1' more than once"),
        (
            {"positions": ((0.0, 0.02, 0.0), ROW, ROW)},
            "joint2 is at 0, 0.02 from the first point 0.02: must be within 0.01",
        ),
        ({"velocities": ((0.1, 0.0, 0.0), ROW, ROW)}, "joint1 stands, and the first point has"),
        ({"velocities": (ROW, ROW, (0.0, 0.0, 0.5))}, "joint3 has velocity 0.5 at the last point"),
        ({"velocities": (ROW, ROW, (0.0, 0.011, 0.0))}, "joint2 has velocity 0.011 at the last"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, Any], text: str) -> None:
    fields = dict(changes)
    if "times" in fields and "positions" in fields:
        fields["velocities"] = fields["accelerations"] = ((),) * len(fields["times"])
    assert text in reasons(goal(**fields))


@pytest.mark.parametrize("still", [5.2e-5, 1e-4, -0.01])
@pytest.mark.parametrize("effort", [False, True])
def test_what_planners_leave_at_rest_is_accepted_and_planned_to_rest(
    still: float, effort: bool
) -> None:
    """MoveIt Servo and its task constructor leave a little velocity, and fill in efforts."""
    velocities = ((still,) * 3, (0.1, 0.1, 0.1), (still,) * 3)
    wanted = goal(velocities=velocities, effort=effort)
    assert reasons(wanted) == ""
    planned = plan(wanted, joints(), start())
    ends = planned.curve.at(np.array([0.0, planned.duration - 1e-9]), 1)
    assert np.abs(ends).max() < 1e-6


def test_names_decide_in_any_order() -> None:
    order = ("joint3", "joint1", "joint2")
    wanted = goal(joint_names=order, positions=(ROW, (3.0, 1.0, 2.0), (0.3, 0.1, 0.2)))
    assert reasons(wanted) == ""
    planned = plan(wanted, joints(), start())
    assert (planned.axes, planned.columns) == ((6, 4, 5), (2, 0, 1))
    assert planned.target == pytest.approx([0.3, 0.1, 0.2])


def test_the_start_is_judged_by_name_too() -> None:
    wanted = goal(joint_names=("joint3", "joint1", "joint2"), positions=((3.0, 1.0, 2.0),) * 3)
    assert reasons(wanted, at=start((1.0, 2.0, 3.0))) == ""
    assert "joint3 is at 1" in reasons(wanted, at=start((3.0, 2.0, 1.0)))


def test_a_part_and_no_names_by_parameter() -> None:
    part = goal(joint_names=("joint2",), positions=((0.0,), (1.0,), (2.0,)))
    assert reasons(part, Rules(allow_partial=True)) == ""
    assert plan(part, joints(), start()).axes == (5,)
    assert reasons(goal(joint_names=()), Rules(allow_unnamed=True)) == ""


def test_a_first_point_later_than_the_start_may_be_anywhere() -> None:
    assert reasons(goal(times=(0.1, 0.5, 1.0)), at=start((9.0, 9.0, 9.0))) == ""


def test_more_joints_than_a_spline_has_axes() -> None:
    names = tuple(f"joint{i}" for i in range(9))
    many = Joints(
        names=names,
        axes=tuple(range(9)),
        lower=np.full(9, -np.inf),
        upper=np.full(9, np.inf),
        top_speed=np.full(9, np.inf),
    )
    nowhere = np.zeros(9)
    at = Start(actual=nowhere, position=nowhere, velocity=nowhere, acceleration=nowhere)
    assert "at most 8" in check_goal(goal(joint_names=names), many, at, RULES)[0]


def test_not_more_reasons_than_help() -> None:
    assert len(check_goal(goal(positions=((NAN, INF, -INF),) * 3), joints(), start(), RULES)) == 5


def test_a_last_interval_below_a_cycle_is_dropped_and_the_end_kept() -> None:
    wanted = goal(times=(0.0, 1.0, 1.0005), positions=(ROW, (0.1, 0.1, 0.1), (0.2, 0.2, 0.2)))
    assert reasons(wanted) == ""
    planned = plan(wanted, joints(), start())
    assert planned.curve.times.tolist() == [0.0, 1.0005]
    assert planned.target == pytest.approx([0.2, 0.2, 0.2])


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"upper": 0.45}, "would reach 0.508927: must stay within -inf to 0.45"),
        ({"lower": -0.001}, "joint1 would reach -0.0118519: must stay"),
        ({"top_speed": 0.5}, "must be 0.5 or slower"),
    ],
)
def test_limits_hold_on_the_way(limits: dict[str, float], text: str) -> None:
    # On the way back joint1 swings a little below zero, which no point of the goal shows.
    positions = (ROW, (0.1, 0.2, 0.3), (0.0, 0.4, 0.5), (0.0, 0.4, 0.5001))
    nothing = ((),) * 4
    wanted = goal(
        times=(0.0, 0.5, 1.0, 1.5),
        positions=positions,
        velocities=nothing,
        accelerations=nothing,
    )
    limited = joints(**limits)
    assert check_plan(plan(wanted, joints(), start()), joints(), RULES) == []
    assert text in "; ".join(check_plan(plan(wanted, limited, start()), limited, RULES))


def test_what_the_spline_cannot_follow_is_refused_with_the_error() -> None:
    # 1 u/s one way and the other within 4 ms: more than knots a cycle apart can follow.
    wanted = goal(
        times=(0.0, 0.002, 0.004),
        positions=(ROW, (0.5, 0.0, 0.0), ROW),
        velocities=(ROW, (900.0, 0.0, 0.0), ROW),
    )
    planned = plan(wanted, joints(), start())
    [reason] = check_plan(planned, joints(), RULES)
    assert f"{planned.error:.3g} off: must be within 0.0001 (spline_tolerance)" in reason


@pytest.mark.parametrize("planner", GOALS)
def test_a_planners_goal_is_accepted_and_can_be_followed(planner: str) -> None:
    times, positions, velocities, accelerations = GOALS[planner](len(NAMES))
    wanted = goal(
        times=times.tolist(),
        positions=positions.tolist(),
        velocities=velocities.tolist(),
        accelerations=accelerations.tolist(),
    )
    assert reasons(wanted) == ""
    planned = plan(wanted, joints(), start())
    assert check_plan(planned, joints(), RULES) == []
    assert planned.target == pytest.approx(positions[-1], abs=1e-9)
    velocity = planned.curve.at(np.array([0.0, planned.duration]), 1)
    assert np.abs(velocity).max() < 1e-9


anything = st.floats(allow_nan=True, allow_infinity=True) | st.floats(-3.0, 3.0)
any_row = st.lists(anything, max_size=4)
some_names = st.lists(st.sampled_from((*NAMES, "elbow", "")), max_size=4)
any_tolerance = st.builds(
    JointTolerance,
    name=st.sampled_from((*NAMES, "elbow")),
    position=anything,
    velocity=anything,
    acceleration=anything,
)


@st.composite
def any_goals(draw: st.DrawFn) -> Goal:
    """Whatever a client may send; sometimes it is nearly right."""
    if draw(st.booleans()):
        right = draw(right_goals())
        fields = {f: getattr(right, f) for f in ("times", "positions", "velocities")}
        fields["accelerations"] = right.accelerations
        spoilt = draw(st.sampled_from(tuple(fields)))
        if spoilt == "times":
            fields["times"] = draw(st.permutations(right.times))
        else:
            rows = list(fields[spoilt])
            rows[draw(st.integers(0, len(rows) - 1))] = draw(any_row)
            fields[spoilt] = rows
    else:
        count = draw(st.integers(0, 5))
        rows = st.lists(any_row, min_size=count, max_size=count)
        fields = {
            "joint_names": draw(some_names),
            "times": draw(st.lists(st.floats(-1.0, 9.0), min_size=count, max_size=count)),
            "positions": draw(rows),
            "velocities": draw(rows),
            "accelerations": draw(rows),
            "path_tolerance": draw(st.lists(any_tolerance, max_size=2)),
            "goal_tolerance": draw(st.lists(any_tolerance, max_size=2)),
        }
    return goal(**fields)


@given(any_goals(), st.booleans(), st.booleans())
def test_whatever_is_sent_is_judged_and_what_is_accepted_can_be_planned(
    wanted: Goal, partial: bool, unnamed: bool
) -> None:
    rules = Rules(allow_partial=partial, allow_unnamed=unnamed)
    if check_goal(wanted, joints(), start(), rules):
        return
    planned = plan(wanted, joints(), start())
    check_plan(planned, joints(), rules)
    assert np.isfinite(planned.curve.coefficients).all()
    assert planned.duration == pytest.approx(wanted.times[-1])
