"""Profiles: what holds for every one of them, and those that can be reckoned by hand."""

from math import inf, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wmx_ros2_package.drivers.fake.motion.profile import (
    Profile,
    Segment,
    at,
    duration,
    hold,
    superposed,
    to_position,
    to_rest,
    to_velocity,
)

# From a nanometre to the way to the sun and back; the square of the smallest is still a number.
signed = st.one_of(st.floats(-1e3, 1e3), st.floats(-1e-9, 1e-9), st.floats(-1e9, 1e9)).map(
    lambda number: number if abs(number) > 1e-100 else 0.0
)
positive = st.one_of(st.floats(1e-3, 1e3), st.floats(1e-9, 1e-6), st.floats(1e6, 1e9))
POSITION, VELOCITY = 0, 1


def ends(profile: Profile) -> list[tuple[float, float]]:
    """Position and velocity at the end of every segment but the last."""
    return [segment.at(segment.duration) for segment in profile[:-1]]


def largest(profile: Profile, what: int) -> float:
    """The largest magnitude of position or velocity at the bounds of the segments."""
    starts = [segment.at(0.0) for segment in profile]
    return max(abs(state[what]) for state in [*starts, *ends(profile)])


def check_shape(profile: Profile, position: float, velocity: float, *rates: float) -> None:
    """It begins where the axis is, lasts for ever, and jumps neither in position nor velocity."""
    speed = largest(profile, VELOCITY)
    # A rounded velocity shifts in time what follows: felt as so much of the way to stop.
    rounding = 1e-15 * (largest(profile, POSITION) + speed * speed / min(rates))
    begin = profile[0].at(0.0)
    assert begin[POSITION] == pytest.approx(position, rel=0.0, abs=rounding)
    assert begin[VELOCITY] == pytest.approx(velocity, rel=0.0, abs=1e-15 * speed)
    assert all(0.0 < segment.duration < inf for segment in profile[:-1])
    assert profile[-1].duration == inf
    assert profile[-1].acceleration == profile[-1].jerk == 0.0
    for end, following in zip(ends(profile), profile[1:], strict=True):
        assert following.position == pytest.approx(end[POSITION], rel=0.0, abs=rounding)
        assert following.velocity == pytest.approx(end[VELOCITY], rel=0.0, abs=1e-15 * speed)


def check_rates(profile: Profile, acc: float, dec: float) -> None:
    """Every change of speed is at `acc` when it grows and at `dec` when it shrinks."""
    for segment in profile:
        if segment.acceleration != 0.0:
            from_rest = segment.velocity == 0.0
            grows = from_rest or (segment.acceleration > 0.0) is (segment.velocity > 0.0)
            assert abs(segment.acceleration) == (acc if grows else dec)
        assert segment.jerk == 0.0


@given(signed, signed, signed, positive, positive, positive)
@example(0.0, 2.0, 2.0, 5.0, 1.0, 1.0)  # stops at the target to the last bit
@example(0.0, 2.0, nextafter(2.0, 0.0), 5.0, 1.0, 1.0)  # just too fast for it
@example(5.0, 0.0, 5.0, 1.0, 1.0, 1.0)  # is there already
@example(5.0, 1.0, 5.0, 1.0, 1.0, 1.0)  # passes it now
@example(-902055883.0, 134217655.0, 0.0, 134217655.0, 1.0, 9985179.0)  # ill to reckon with
def test_a_move_to_a_position(
    position: float, velocity: float, target: float, max_velocity: float, acc: float, dec: float
) -> None:
    profile = to_position(position, velocity, target, max_velocity=max_velocity, acc=acc, dec=dec)
    check_shape(profile, position, velocity, acc, dec)
    check_rates(profile, acc, dec)
    assert profile[-1] == Segment(inf, target, 0.0), "it ends exactly at the target"
    assert at(profile, 2.0 * duration(profile)) == at(profile, 1e300) == (target, 0.0)
    fastest = max(max_velocity, abs(velocity))
    assert largest(profile, VELOCITY) <= fastest * (1 + 1e-14)
    assert len(profile) <= 5, "stop, speed up, cruise, slow down, rest"


@given(signed, signed, signed, positive, positive)
@example(0.0, 2.0, -3.0, 2.0, 1.0)
def test_a_change_of_velocity(
    position: float, velocity: float, target: float, acc: float, dec: float
) -> None:
    profile = to_velocity(position, velocity, target, acc=acc, dec=dec)
    check_shape(profile, position, velocity, acc, dec)
    check_rates(profile, acc, dec)
    assert profile[-1].velocity == target
    between = [end[VELOCITY] for end in ends(profile)]
    low, high = sorted((velocity, target))
    margin = 1e-14 * (abs(low) + abs(high))
    assert all(low - margin <= each <= high + margin for each in between), "no detour"


@given(signed, signed, positive)
def test_a_stop(position: float, velocity: float, dec: float) -> None:
    profile = to_rest(position, velocity, dec)
    check_shape(profile, position, velocity, dec)
    assert duration(profile) == abs(velocity) / dec
    rest = position + velocity * abs(velocity) / (2 * dec)
    tolerance = 1e-14 * (abs(position) + abs(rest))
    assert profile[-1].position == pytest.approx(rest, rel=0.0, abs=tolerance)
    assert profile[-1].velocity == 0.0


def corners(profile: Profile) -> list[tuple[float, float, float]]:
    """Duration, start velocity and acceleration of each segment longer than a rounding."""
    return [(s.duration, s.velocity, s.acceleration) for s in profile if s.duration > 1e-12]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("velocity", "target", "expected"),
    [
        # max velocity 2, acc 4, dec 1
        (0.0, 6.0, [(0.5, 0.0, 4.0), (1.75, 2.0, 0.0), (2.0, 2.0, -1.0)]),
        (0.0, 0.625, [(0.25, 0.0, 4.0), (1.0, 1.0, -1.0)]),  # too short to reach 2
        (2.0, 6.0, [(2.0, 2.0, 0.0), (2.0, 2.0, -1.0)]),  # at full speed already
        (2.0, 2.0, [(2.0, 2.0, -1.0)]),  # has to slow down at once
        (4.0, 10.0, [(2.0, 4.0, -1.0), (1.0, 2.0, 0.0), (2.0, 2.0, -1.0)]),  # faster than 2
        (1.0, 0.0, [(1.0, 1.0, -1.0), (0.2236, 0.0, -4.0), (0.8944, -0.8944, 1.0)]),
        (-1.0, 0.125, [(1.0, -1.0, 1.0), (0.25, 0.0, 4.0), (1.0, 1.0, -1.0)]),  # moves away
    ],
)
def test_moves_reckoned_by_hand(
    velocity: float, target: float, expected: list[tuple[float, float, float]], sign: float
) -> None:
    profile = to_position(
        7.0, sign * velocity, 7.0 + sign * target, max_velocity=2.0, acc=4.0, dec=1.0
    )
    expected = [(length, sign * v, sign * a) for length, v, a in expected]
    assert corners(profile[:-1]) == [pytest.approx(corner, abs=5e-5) for corner in expected]


def test_a_change_of_direction_slows_down_and_then_speeds_up() -> None:
    profile = to_velocity(1.0, 2.0, -3.0, acc=6.0, dec=1.0)
    assert profile == (
        Segment(2.0, 1.0, 2.0, -1.0),
        Segment(0.5, 3.0, 0.0, -6.0),
        Segment(inf, 2.25, -3.0),
    )


@pytest.mark.parametrize("velocity", [0.0, 2.5])
def test_a_velocity_that_is_there_already_is_kept(velocity: float) -> None:
    assert to_velocity(1.0, velocity, velocity, acc=1.0, dec=1.0) == (Segment(inf, 1.0, velocity),)


def test_a_move_that_is_there_already_takes_no_time() -> None:
    assert to_position(1.0, 0.0, 1.0, max_velocity=1.0, acc=1.0, dec=1.0) == hold(1.0)
    assert duration(hold(1.0)) == 0.0


def test_a_segment_is_the_polynomial_of_its_docstring() -> None:
    segment = Segment(9.0, 1.0, 2.0, 6.0, 12.0)
    assert segment.at(0.0) == (1.0, 2.0)
    assert segment.at(3.0) == (1.0 + 6.0 + 27.0 + 54.0, 2.0 + 18.0 + 54.0)
    assert segment.after(3.0) == Segment(6.0, 88.0, 74.0, 42.0, 12.0)


def test_a_profile_is_read_segment_by_segment() -> None:
    profile = (Segment(1.0, 0.0, 1.0), Segment(2.0, 10.0, 0.0), Segment(inf, 20.0, 3.0))
    read = [at(profile, time) for time in (0.5, 1.0, 2.5, 3.0, 5.0)]
    assert read == [(0.5, 1.0), (10.0, 0.0), (10.0, 0.0), (20.0, 3.0), (26.0, 3.0)]
    assert duration(profile) == 3.0
    with pytest.raises(ValueError, match="endless"):
        at(profile[:1], 1.0)


def test_superposed_profiles_add_up() -> None:
    one = (Segment(1.0, 0.0, 2.0, -2.0), Segment(3.0, 1.0, 0.0, 0.0, 6.0), *hold(28.0))
    other = (Segment(3.0, 10.0, 1.0), *hold(13.0))
    assert superposed(one, other) == (
        Segment(1.0, 10.0, 3.0, -2.0),
        Segment(2.0, 12.0, 1.0, 0.0, 6.0),
        Segment(1.0, 22.0, 12.0, 12.0, 6.0),
        *hold(41.0),
    )
    assert superposed(other, one) == superposed(one, other)


def test_superposed_on_rest_a_profile_is_moved() -> None:
    profile = (Segment(1.0, 0.0, 2.0, -2.0), Segment(inf, 1.0, 0.0))
    assert superposed(hold(3.0), profile) == (Segment(1.0, 3.0, 2.0, -2.0), Segment(inf, 4.0, 0.0))
