"""Where a base is: arcs against integration in small steps, and what an engine that ends does."""

from math import cos, inf, isfinite, nan, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.bases.differential import (
    JUMP,
    NEIGHBOURS,
    Base,
    Odometry,
    Pose,
    Twist,
    Wheels,
    after_arc,
)

BASE = Base(wheel_radius=0.095, wheel_distance=0.55)
speeds = st.floats(-50.0, 50.0)
twists = st.builds(Twist, st.floats(-3.0, 3.0), st.floats(-6.0, 6.0))
poses = st.builds(Pose, st.floats(-100, 100), st.floats(-100, 100), st.floats(-100, 100))


def test_wheel_speeds_are_those_of_the_textbook() -> None:
    left, right = BASE.wheels(Twist(0.5, 0.8))
    assert left == pytest.approx((2 * 0.5 - 0.8 * 0.55) / (2 * 0.095))
    assert right == pytest.approx((2 * 0.5 + 0.8 * 0.55) / (2 * 0.095))


@given(twists)
def test_wheels_and_twist_are_inverse(twist: Twist) -> None:
    assert BASE.twist(BASE.wheels(twist)) == pytest.approx(twist, abs=1e-12)


def stepped(pose: Pose, way: Twist, steps: int = 2000) -> Pose:
    """The arc by the midpoint rule, whose error falls with the square of the steps."""
    x, y, yaw = pose
    for _ in range(steps):
        heading = yaw + way.angular / steps / 2.0
        x += way.linear / steps * cos(heading)
        y += way.linear / steps * sin(heading)
        yaw += way.angular / steps
    return Pose(x, y, yaw)


@given(poses, twists)
def test_an_arc_is_what_small_steps_come_to(pose: Pose, way: Twist) -> None:
    assert after_arc(pose, way) == pytest.approx(stepped(pose, way), abs=1e-5)


@given(st.floats(0.1, 10.0), st.sampled_from([1.0, -1.0]))
def test_a_full_circle_ends_where_it_began(radius: float, sense: float) -> None:
    x, y, yaw = after_arc(Pose(1.0, 2.0, 0.3), Twist(2.0 * pi * radius, sense * 2.0 * pi))
    assert (x, y, yaw) == pytest.approx((1.0, 2.0, 0.3 + sense * 2.0 * pi), abs=1e-9)


def test_a_straight_way_is_the_limit_of_an_arc() -> None:
    for turn in (0.0, 1e-12, 1e-9, 1e-8, 1.1e-8, 1e-7):
        assert after_arc(Pose(0.0, 0.0, 0.0), Twist(2.0, turn)) == pytest.approx(
            (2.0, turn, turn), rel=1e-7, abs=1e-12
        )


def driven(
    odometry: Odometry, twist: Twist, seconds: float, step: float, start: tuple[float, Wheels]
) -> tuple[float, Wheels]:
    """Drive steadily; the time and the wheels' angles in the end."""
    time, angles = start
    wheels = BASE.wheels(twist)
    for _ in range(round(seconds / step)):
        time += step
        angles = Wheels(*(a + speed * step for a, speed in zip(angles, wheels, strict=True)))
        odometry.update(time, angles, wheels)
    return time, angles


@given(twists, st.sampled_from([0.001, 0.01, 0.05, 1.0]), speeds, speeds)
def test_how_often_the_wheels_are_looked_at_changes_nothing(
    twist: Twist, step: float, left: float, right: float
) -> None:
    start = 5.0, Wheels(left, right)
    odometry = Odometry(BASE)
    odometry.update(*start, BASE.wheels(twist))
    driven(odometry, twist, 2.0, step, start)
    expected = after_arc(Pose(0.0, 0.0, 0.0), Twist(2.0 * twist.linear, 2.0 * twist.angular))
    assert odometry.pose == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("seconds", "before", "after", "resumed", "turned"),
    [
        pytest.param(0.05, 1.0, 11.0, True, 10.0, id="what moved while the engine was away counts"),
        pytest.param(8.0, 10.0, 0.0, True, 0.0, id="encoders that begin anew take nothing back"),
        pytest.param(1.0, 10.0, 0.0, False, -10.0, id="wheels may really turn back to zero"),
        pytest.param(0.01, 0.0, 0.9 * JUMP, False, 0.9 * JUMP, id="a jerky wheel is believed"),
    ],
)
def test_how_far_wheels_have_turned_from_one_sample_to_the_next(
    seconds: float, before: float, after: float, *, resumed: bool, turned: float
) -> None:
    odometry, still = Odometry(BASE), Wheels(0.0, 0.0)
    odometry.update(0.0, Wheels(before, before), still)
    if resumed:
        odometry.resume()
    odometry.update(seconds, Wheels(after, after), still)
    assert odometry.pose == pytest.approx((turned * 0.095, 0.0, 0.0))
    odometry.update(seconds + 1.0, Wheels(after + 1.0, after + 1.0), still)
    assert odometry.pose.x == pytest.approx((turned + 1.0) * 0.095)


@pytest.mark.parametrize("jump", [1.01 * JUMP, -3.0, 1e6])
def test_a_wheel_that_is_numbered_anew_has_turned_as_its_speed_tells(jump: float) -> None:
    odometry = Odometry(BASE)
    wheels = Wheels(2.0, 2.0)
    odometry.update(0.0, Wheels(1.0, 1.0), wheels)
    odometry.update(0.01, Wheels(1.02, 1.02 + jump), wheels)
    assert odometry.pose == pytest.approx((0.02 * 0.095, 0.0, 0.0), abs=1e-9)
    odometry.update(0.02, Wheels(1.04, 1.04 + jump), wheels)
    assert odometry.pose == pytest.approx((0.04 * 0.095, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("begin", [0.0, 0.03, 0.09])
def test_a_wheel_that_stops_hard_between_two_samples_has_turned_as_it_shows(
    begin: float, sense: float
) -> None:
    odometry = Odometry(BASE)
    fast, still = sense * 20.0, begin * sense * 20.0
    odometry.update(0.0, Wheels(0.0, 0.0), Wheels(fast, fast))
    odometry.update(NEIGHBOURS, Wheels(still, still), Wheels(0.0, 0.0))
    assert odometry.pose.x == pytest.approx(still * 0.095)


numbers = st.floats(-1e15, 1e15) | st.sampled_from([nan, inf, -inf])


@given(st.lists(st.tuples(numbers, numbers, numbers, numbers), max_size=5))
def test_no_sample_makes_nonsense_of_the_pose(
    samples: list[tuple[float, float, float, float]],
) -> None:
    odometry = Odometry(BASE)
    for i, (left, right, left_speed, right_speed) in enumerate(samples):
        before = odometry.pose
        pose = odometry.update(float(i), Wheels(left, right), Wheels(left_speed, right_speed))
        assert all(map(isfinite, pose))
        if not all(map(isfinite, samples[i])):
            assert pose == before
