"""The pace of a trajectory: the same path, slower, to a stand and on again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_goals import joints, right_goals, start

from wmx_core.values import Floats
from wmx_ros2_package.trajectories.goal import Goal, Joints, Rules
from wmx_ros2_package.trajectories.pace import FULL, ROOM, Pace, judged, paced
from wmx_ros2_package.trajectories.plan import Plan, plan
from wmx_ros2_package.trajectories.segments import MOST_POINTS
from wmx_ros2_package.validation import BadRequest

RATES = st.floats(0.01, 1.0)


def planned(goal: Goal) -> Plan:
    return plan(goal, joints(), start())


@given(st.floats(0.0, 5.0), RATES | st.just(0.0), RATES | st.just(0.0), st.floats(0.05, 1.0))
def test_time_on_the_path_passes_evenly_changing(
    begin: float, rate: float, then: float, ramp: float
) -> None:
    pace = Pace(begin=begin, rate=rate, then=then, ramp=ramp)
    times = np.linspace(0.0, 2.0 * ramp, 41)
    passed = np.array([pace.path_time(t) for t in times])
    rates = np.array([pace.rate_at(t) for t in times])
    assert passed[0] == begin
    assert np.diff(passed) == pytest.approx(
        (rates[1:] + rates[:-1]) / 2.0 * np.diff(times), abs=1e-9
    )
    assert (rates[0], rates[-1]) == (rate if ramp else then, then)
    assert (pace.rate_at(-ramp), pace.change_at(-ramp)) == (rate, 0.0), "before it begins"
    assert pace.rate_at(ramp / 2.0) == pytest.approx(rate + pace.change_at(0.0) * ramp / 2.0)
    for time, reached in zip(times[1:], passed[1:], strict=True):
        if pace.rate_at(time) > 0.01:
            assert pace.time_at(reached) == pytest.approx(time, abs=1e-6)


def test_full_pace_is_the_plan_itself() -> None:
    made = planned(_there_and_back())
    assert paced(made, FULL).plan is made


def _there_and_back() -> Goal:
    return Goal(
        joint_names=joints().names,
        times=[1.0, 2.0, 4.0],
        positions=[[0.5, 0.2, 0.1], [0.8, 0.0, 0.0], [0.2, 0.1, 0.0]],
        velocities=[[], [], []],
        accelerations=[[], [], []],
    )


@pytest.mark.long
@settings(deadline=None, max_examples=15)
@given(right_goals(), RATES, st.floats(0.0, 1.0))
def test_the_path_is_the_same_at_another_rate(goal: Goal, rate: float, share: float) -> None:
    made = planned(goal)
    slow = paced(made, Pace(rate=rate, then=rate)).plan
    assert slow.duration == pytest.approx(made.duration / rate)
    at = np.array([share * made.duration])
    assert slow.curve.at(at / rate) == pytest.approx(made.curve.at(at), abs=1e-9)
    assert slow.curve.at(at / rate, 1) == pytest.approx(rate * made.curve.at(at, 1), abs=1e-6)


def led(plan: Plan, times: Floats) -> Floats:
    """What the engine leads joints along at `times`."""
    values = np.empty((len(times), len(plan.names)))
    for i, time in enumerate(times):
        segment = plan.segment_at(time)
        if segment is None:
            values[i] = plan.curve.at(np.array([time]))[0]
        else:
            values[i] = segment.curve.at(np.array([time - segment.begin]))[0]
    return values


@pytest.mark.long
@settings(deadline=None, max_examples=15)
@given(right_goals(), st.floats(0.0, 0.9), RATES, RATES | st.just(0.0))
def test_a_change_stays_on_the_path_and_has_no_step_of_velocity(
    goal: Goal, share: float, rate: float, then: float
) -> None:
    made = planned(goal)
    before = Pace(rate=rate, then=rate)
    begin = share * made.duration / rate
    pace = before.changing(begin, then, 0.25)
    changed = paced(made, pace).plan
    times = np.linspace(0.0, changed.duration, 301)
    on_path = made.curve.at(np.array([pace.path_time(t) for t in times]))
    tolerance = 1e-5 + changed.error + made.error
    assert np.abs(changed.curve.at(times) - on_path).max() < 1e-5
    assert np.abs(led(changed, times) - on_path).max() < tolerance
    at_first = changed.curve.at(np.zeros(1), 1)[0]
    assert at_first == pytest.approx(rate * made.start_at(pace.begin).velocity, abs=1e-6)
    assert changed.curve.at(times[-1:], 1)[0] == pytest.approx(0.0, abs=1e-6)


def test_it_comes_to_rest_on_the_path_and_goes_on_to_the_same_end() -> None:
    made = planned(_there_and_back())
    pace = FULL.changing(1.2, 0.0, 0.25)
    pausing = paced(made, pace).plan
    assert pausing.duration == pytest.approx(0.25)
    there = pace.path_time(pausing.duration)
    assert there == pytest.approx(1.2 + 0.125)
    assert pausing.target == pytest.approx(made.start_at(there).position, abs=1e-9)
    again = pace.changing(pausing.duration, 0.5, 0.25)
    assert (again.begin, again.rate, again.then) == (pytest.approx(there), 0.0, 0.5)
    resumed = paced(made, again).plan
    assert resumed.start_at(0.0).position == pytest.approx(pausing.target, abs=1e-9)
    assert resumed.target == pytest.approx(made.target, abs=1e-12)


def test_near_the_end_it_comes_to_the_end() -> None:
    made = planned(_there_and_back())
    pausing = paced(made, FULL.changing(made.duration - 0.05, 0.0, 0.25)).plan
    assert pausing.target == pytest.approx(made.target, abs=1e-9)
    assert pausing.duration < 0.25


def limited(acceleration: float) -> Joints:
    return replace(joints(), top_acceleration=acceleration)


def test_a_change_takes_longer_where_joints_may_not_change_their_speed_so_hard() -> None:
    made = planned(_there_and_back())
    most = max(float(s.curve.top_acceleration().max()) for s in made.segments)

    def pace_in(longer: float) -> Pace:
        return FULL.changing(1.2, 0.0, 0.05 * longer)

    quick = judged(made, limited(100.0 * most), Rules(), pace_in)
    gentle = judged(made, limited(1.2 * most), Rules(), pace_in)
    assert quick.pace.ramp == pytest.approx(0.05)
    assert gentle.pace.ramp > quick.pace.ramp
    hardest = max(float(s.curve.top_acceleration().max()) for s in gentle.plan.segments)
    assert hardest <= 1.2 * most * ROOM * (1.0 + 1e-6)
    with pytest.raises(BadRequest, match="acceleration_limit"):
        judged(made, limited(0.01 * most), Rules(), pace_in)


def through(times: Floats, ways: Floats) -> Plan:
    """The plan of a goal through so many points, whose joints go so far."""
    nothing: list[list[float]] = [[]] * len(times)
    return planned(
        Goal(
            joint_names=joints().names,
            times=times.tolist(),
            positions=np.outer(ways, [1.0, 0.4, 0.2]).tolist(),
            velocities=nothing,
            accelerations=nothing,
        )
    )


def off_path(made: Plan, pace: Pace, then: float, ramp: float = 0.25) -> float:
    """How far from its path a change leads joints at most, u."""
    changed = judged(made, joints(), Rules(), lambda longer: pace.changing(0.0, then, ramp, longer))
    looks = np.linspace(0.0, ramp, 501)
    on_path = made.curve.at(np.array([changed.pace.path_time(t) for t in looks]))
    return float(np.abs(led(changed.plan, looks) - on_path).max())


CHANGES = pytest.mark.parametrize(("rate", "then"), [(1.0, 0.0), (0.0, 1.0), (1.0, 0.3)])


@CHANGES
@pytest.mark.parametrize(("points", "begin"), [(MOST_POINTS, 0.06), (MOST_POINTS - 1, 0.01)])
def test_a_goal_with_as_many_points_as_may_be_changes_its_pace_all_the_same(
    rate: float, then: float, points: int, begin: float
) -> None:
    times = np.linspace(0.0, 20.0, points)[1:]
    made = through(times, 5.0 * (1.0 - np.cos(times * np.pi / 20.0)))
    pace = Pace(begin=begin, rate=rate, then=rate)
    assert off_path(made, pace, then) < Rules().spline_tolerance / 10.0


def far_apart_at_first(stand: float = 0.0) -> Plan:
    """The plan of nearly as many points as may be, of which the first are far apart."""
    few = 0.5 * np.arange(1, 6)
    later = 0.02 * np.arange(1, MOST_POINTS - 12)
    swings = 1.0 - np.cos(2.0 * few)
    times, ways = few[-1] + later, swings[-1] + 2.0 * np.sin(2.0 * few[-1]) * np.sin(later)
    if stand:
        times = few[-1] + stand + np.concatenate([[0.0], later])
        ways = np.concatenate([swings[-1:], ways])
    return through(np.concatenate([few, times]), np.concatenate([swings, ways]))


@CHANGES
def test_the_points_after_a_stand_take_none_from_a_change_before_it(
    rate: float, then: float
) -> None:
    made = far_apart_at_first(stand=1.0)
    assert off_path(made, Pace(begin=0.2, rate=rate, then=rate), then) < 1e-6


@pytest.mark.parametrize("ramp", [1.0, 2.0, 4.0])
def test_a_change_for_which_too_few_points_are_left_does_not_leave_the_path(ramp: float) -> None:
    with pytest.raises(BadRequest, match="off their path as their speed changes"):
        off_path(far_apart_at_first(), Pace(begin=0.2), 0.3, ramp)
