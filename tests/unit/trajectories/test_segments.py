"""The engine's splines follow a curve as near as they say, with points that the engine keeps."""

import numpy as np
import pytest
from cases import cases
from hypothesis import given, settings
from robot_goals import goal, joints, right_goals, start

from wmx_ros2_package.trajectories.curves import cubic
from wmx_ros2_package.trajectories.goal import Goal
from wmx_ros2_package.trajectories.plan import Plan, plan
from wmx_ros2_package.trajectories.segments import LEAST_INTERVAL, MOST_POINTS, SAME_POINT, segments

interpolate = pytest.importorskip("scipy.interpolate")


def commanded(planned: Plan, times: np.ndarray) -> np.ndarray:
    """What scipy makes of the points that the engine gets, standing between two segments."""
    position = np.tile(planned.curve.at(np.zeros(1)), (len(times), 1))
    for segment in planned.segments:
        follow = interpolate.CubicSpline(segment.times, segment.positions, bc_type="clamped")
        during = times >= segment.begin
        position[during] = follow(np.minimum(times[during], segment.end) - segment.begin)
    return position


@settings(max_examples=cases(30))
@given(right_goals())
def test_splines_are_as_near_as_they_say(wanted: Goal) -> None:
    planned = plan(wanted, joints(), start())
    at = np.linspace(0.0, planned.duration, 3000)
    off = np.abs(commanded(planned, at) - planned.curve.at(at)).max()
    # Looked at in other places than the plan does, so it may be a little more.
    assert off <= 1.3 * planned.error + 2.0 * SAME_POINT
    assert np.abs(planned.target - np.array(wanted.positions[-1])).max() < 2.0 * SAME_POINT


@settings(max_examples=cases(30))
@given(right_goals())
def test_the_engine_keeps_the_points_of_segments_which_follow_each_other(wanted: Goal) -> None:
    planned = plan(wanted, joints(), start())
    for segment in planned.segments:
        assert 2 <= len(segment.times) <= MOST_POINTS
        assert segment.times[0] == 0.0
        assert np.diff(segment.times).min() >= LEAST_INTERVAL * (1.0 - 1e-6)
        moved = np.abs(np.diff(segment.positions, axis=0)).max(axis=1)
        assert moved.min() > 1e-6
    ends = [0.0, *(segment.end for segment in planned.segments)]
    assert all(
        segment.begin >= end - 1e-9 for segment, end in zip(planned.segments, ends, strict=False)
    )
    assert ends[-1] <= planned.duration + 1e-9


def test_positions_alone_are_the_points_of_the_spline() -> None:
    planned = plan(goal(), joints(), start())
    [segment] = planned.segments
    assert segment.times.tolist() == [0.0, 0.5, 1.0]
    np.testing.assert_allclose(segment.positions, goal().positions, atol=1e-12)
    assert segment.error < 1e-12


def test_a_dwell_splits_the_spline() -> None:
    still = (0.1, 0.2, 0.3)
    planned = plan(
        goal(
            times=(0.0, 1.0, 2.0, 3.0, 4.0),
            positions=((0.0, 0.0, 0.0), still, still, still, (0.0, 0.0, 0.0)),
            velocities=((),) * 5,
            accelerations=((),) * 5,
        ),
        joints(),
        start(),
    )
    assert [(segment.begin, segment.end) for segment in planned.segments] == [
        (0.0, 1.0),
        (3.0, 4.0),
    ]
    np.testing.assert_allclose(planned.curve.at(np.array([1.5, 2.9])), [still] * 2, atol=1e-12)
    assert planned.error < 1e-12


def test_a_joint_that_waits_for_another_does_not_split() -> None:
    planned = plan(
        goal(positions=((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.2, 0.0, 0.3))), joints(), start()
    )
    assert len(planned.segments) == 1


def test_nothing_to_do_is_no_segment() -> None:
    planned = plan(goal(positions=((0.0, 0.0, 0.0),) * 3), joints(), start())
    assert planned.segments == ()
    assert planned.duration == 1.0


def test_a_way_out_and_back_between_equal_points_is_no_dwell() -> None:
    times = np.array([0.0, 1.0, 2.0, 3.0])
    curve = cubic(times, np.zeros((4, 1)), np.array([[0.0], [1.0], [-1.0], [0.0]]))
    [segment] = segments(curve)
    assert segment.error < 1e-6


@pytest.mark.parametrize(
    "velocities", [(0, 1, 0), (0, 1, 1, 0), (0, 0, 1, 0, 0), (0, *(1, -1) * 8, 1, 0)]
)
def test_joints_that_swing_through_one_point_at_each_time_are_led(
    velocities: tuple[float, ...],
) -> None:
    swing = np.array(velocities, dtype=float)[:, np.newaxis]
    [segment] = segments(cubic(np.arange(len(swing)) / 3.0, 0.0 * swing, swing))
    assert np.ptp(segment.positions) > 0.06
    assert segment.error < 3e-6


def test_a_jagged_way_is_led_by_middles_that_are_near_to_their_ends() -> None:
    """Points where it is farthest away leave stretches that can be divided no further."""
    rng = np.random.default_rng(1129)
    way = rng.normal(size=(10, 1)).cumsum(axis=0) * 1e-5
    velocities = rng.normal(size=(10, 1)) * 2.4e-3
    velocities[[0, -1]] = 0.0
    [segment] = segments(cubic(np.arange(10) / 80.0, way, velocities))
    assert segment.error < SAME_POINT


def test_joints_that_creep_through_short_stretches_do_not_stand() -> None:
    way = 1e-6 * np.arange(101.0)[:, np.newaxis]
    velocities = np.full((101, 1), 1e-4)
    velocities[[0, -1]] = 0.0
    [segment] = segments(cubic(np.arange(101) / 100.0, way, velocities))
    assert segment.error < SAME_POINT


def test_a_swing_that_has_no_room_for_a_point_is_no_stand() -> None:
    times, swing = np.array([0.0, 1.0, 1.001, 1.002]), np.array([[0.0], [0.0], [1.0], [0.0]])
    [segment] = segments(cubic(times, 0.0 * swing, swing))
    assert segment.error > 1e-4, "so that it is refused"


def test_points_nearer_than_a_cycle_are_left_out_and_the_last_one_stays() -> None:
    times = np.array([0.0, 0.0004, 0.001, 0.0012, 0.0021, 0.0025])
    [segment] = segments(cubic(times, times[:, np.newaxis], np.zeros((6, 1))))
    assert segment.times.tolist() == [0.0, 0.001, 0.0025]


@pytest.mark.parametrize(("lasts", "error"), [(10.0, 1e-5), (29.5, 5e-4)])
def test_jumps_of_the_acceleration_are_met_as_near_as_points_allow(
    lasts: float, error: float
) -> None:
    """The worst are met first, where there are not points for all."""
    # Cubics between points half a second apart: the acceleration jumps by up to 100 at each.
    rng = np.random.default_rng(7)
    times = np.arange(0.0, lasts + 0.1, 0.5)
    velocities = rng.uniform(-1.0, 1.0, (len(times), 6))
    velocities[[0, -1]] = 0.0
    [segment] = segments(cubic(times, rng.uniform(-1.0, 1.0, (len(times), 6)), velocities))
    assert segment.error < error
    assert len(segment.times) <= MOST_POINTS
