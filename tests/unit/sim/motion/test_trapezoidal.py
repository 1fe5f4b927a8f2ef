"""Trapezoids in whole cycles: what holds for every one of them, and those reckoned by hand."""

from math import copysign, inf, nextafter, sqrt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trapezoids import to_position, to_rest, to_velocity

from wmx_sim.engine.motion.profile import Profile, Segment, at, duration, hold
from wmx_sim.engine.motion.ramps import whole_cycles

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
    rounding = 1e-14 * (largest(profile, POSITION) + speed * whole_cycles(speed / min(rates)))
    begin = profile[0].at(0.0)
    assert begin[POSITION] == pytest.approx(position, rel=0.0, abs=rounding)
    assert begin[VELOCITY] == pytest.approx(velocity, rel=0.0, abs=1e-14 * speed)
    assert all(0.0 < segment.duration < inf for segment in profile[:-1])
    assert profile[-1].duration == inf
    assert profile[-1].acceleration == profile[-1].jerk == 0.0
    for end, following in zip(ends(profile), profile[1:], strict=True):
        assert following.position == pytest.approx(end[POSITION], rel=0.0, abs=rounding)
        assert following.velocity == pytest.approx(end[VELOCITY], rel=0.0, abs=1e-14 * speed)


def check_cycles(profile: Profile) -> None:
    """Every phase lasts whole cycles of a millisecond, to the last bit of a double."""
    assert all(s.duration == round(s.duration * 1000) / 1000 for s in profile[:-1])


def check_rates(profile: Profile, acc: float, dec: float) -> None:
    """No change of speed is faster than at `acc` where it grows and at `dec` where it shrinks."""
    for segment in profile:
        _, end = segment.at(min(segment.duration, 1e300))
        limit = acc if abs(end) > abs(segment.velocity) else dec
        assert abs(segment.acceleration) <= limit * (1 + 2e-9)
        assert segment.jerk == 0.0


@given(signed, signed, signed, positive, positive, positive)
@example(0.0, 2.0, 2.0, 5.0, 1.0, 1.0)  # stops at the target to the last bit
@example(0.0, 2.0, nextafter(2.0, 0.0), 5.0, 1.0, 1.0)  # just too fast for it
@example(0.0, 2.0, 2.0005, 5.0, 1.0, 1.0)  # just slow enough, and half a cycle over
@example(0.0, 2.0, 9.0, 2.0, 1.0, 1.0)  # at its velocity already
@example(5.0, 0.0, 5.0, 1.0, 1.0, 1.0)  # is there already
@example(5.0, 1.0, 5.0, 1.0, 1.0, 1.0)  # passes it now
@example(-902055883.0, 134217655.0, 0.0, 134217655.0, 1.0, 9985179.0)  # ill to reckon with
def test_a_move_to_a_position(
    position: float, velocity: float, target: float, max_velocity: float, acc: float, dec: float
) -> None:
    profile = to_position(position, velocity, target, max_velocity=max_velocity, acc=acc, dec=dec)
    check_shape(profile, position, velocity, acc, dec)
    check_cycles(profile)
    check_rates(profile, acc, dec)
    assert profile[-1] == Segment(inf, target, 0.0), "it ends exactly at the target"
    assert at(profile, 2.0 * duration(profile)) == at(profile, 1e300) == (target, 0.0)
    fastest = max(max_velocity, abs(velocity))
    assert largest(profile, VELOCITY) <= fastest * (1 + 1e-9)
    assert len(profile) <= (5 if velocity else 4), "stop, speed up, cruise, slow down, rest"


def quickest(
    position: float, velocity: float, target: float, max_velocity: float, acc: float, dec: float
) -> float:
    """How long the quickest move takes whose phases need not last whole cycles, s.

    What slows down first does: it decides where the rest begins.
    """
    stop = to_rest(position, velocity, dec)
    way, speed = abs(target - position), velocity * copysign(1.0, target - position)
    if speed < 0.0 or speed * duration(stop) / 2 > way:
        rest = stop[-1].position
        return duration(stop) + quickest(rest, 0.0, target, max_velocity, acc, dec)
    if way == 0.0:
        return 0.0
    top = min(max_velocity, sqrt((2 * way + speed**2 / acc) / (1 / acc + 1 / dec)))
    change = whole_cycles((speed - top) / dec) if speed > top else (top - speed) / acc
    cruise = max(0.0, way - (speed + top) / 2 * change - top**2 / (2 * dec))
    return change + cruise / top + top / dec


rates = st.floats(0.01, 100.0)
velocities = st.one_of(st.just(0.0), st.floats(0.01, 100.0), st.floats(-100.0, -0.01))
ways = st.one_of(st.just(0.0), st.floats(0.001, 1000.0), st.floats(-1000.0, -0.001))


@given(st.sampled_from([0.0, 1e9]), velocities, ways, rates, rates, rates)
@example(0.0, 0.0, 10.0, 2.0, 4.0, 1.0)
@example(1.0, 2.0, 10.0, 2.0, 4.0, 1.0)  # elsewhere
@example(0.0, 2.0, 2.0, 2.0, 4.0, 1.0)  # stops at the target to the last bit
@example(0.0, 2.0, 1.9995, 2.0, 4.0, 1.0)  # just too fast to stop
@example(0.0, 2.0, 2.0005, 2.0, 4.0, 1.0)  # just not
@example(0.0, 9.0, 50.0, 2.0, 4.0, 1.0)  # faster than the velocity
@example(0.0, 9.0, 40.0, 2.0, 4.0, 1.0)  # that, and too fast to stop
@example(0.0, -100.0, -100.0, 1.625, 1.0, 50.0)  # that, and stops at the target
@example(0.0, -3.0, 20.0, 2.0, 4.0, 1.0)  # away from the target
def test_a_move_takes_hardly_longer_than_the_quickest(
    position: float, velocity: float, way: float, max_velocity: float, acc: float, dec: float
) -> None:
    """Each phase by less than a cycle."""
    target, limits = position + way, (max_velocity, acc, dec)
    profile = to_position(position, velocity, target, max_velocity=max_velocity, acc=acc, dec=dec)
    least = quickest(position, velocity, target, *limits)
    assert duration(profile) <= least * (1 + 1e-9) + 3 * 0.001 + 1e-9


@given(signed, signed, signed, positive, positive)
@example(0.0, 2.0, -3.0, 2.0, 1.0)
def test_a_change_of_velocity(
    position: float, velocity: float, target: float, acc: float, dec: float
) -> None:
    profile = to_velocity(position, velocity, target, acc=acc, dec=dec)
    check_shape(profile, position, velocity, acc, dec)
    check_cycles(profile)
    check_rates(profile, acc, dec)
    assert profile[-1].velocity == target
    between = [end[VELOCITY] for end in ends(profile)]
    low, high = sorted((velocity, target))
    margin = 1e-14 * (abs(low) + abs(high))
    assert all(low - margin <= each <= high + margin for each in between), "no detour"
    if velocity * target < 0.0:
        least, phases = abs(velocity) / dec + abs(target) / acc, 2
    else:
        least, phases = abs(target - velocity) / (acc if abs(target) > abs(velocity) else dec), 1
    latest = least + phases * 0.001
    assert duration(profile) <= latest * (1 + 3e-12) + 3e-12, "and no cycle too long"


@given(signed, signed, positive)
def test_a_stop(position: float, velocity: float, dec: float) -> None:
    profile = to_rest(position, velocity, dec)
    check_shape(profile, position, velocity, dec)
    check_cycles(profile)
    time = whole_cycles(abs(velocity) / dec) if velocity else 0.0
    assert duration(profile) == time
    ideal = abs(velocity) / dec
    assert ideal <= time * (1 + 1e-12) + 1e-12 <= (ideal + 0.001) * (1 + 3e-12) + 3e-12
    rest = position + velocity / 2 * time
    tolerance = 1e-14 * (abs(position) + abs(rest))
    assert profile[-1].position == pytest.approx(rest, rel=0.0, abs=tolerance)
    assert profile[-1].velocity == 0.0


def test_whole_cycles_are_counted_upwards_but_for_a_rounding() -> None:
    """0.1 s and 0.2 s make 0.30000000000000004 s: 300 cycles."""
    assert [whole_cycles(s) for s in (0.1 + 0.2, 0.3, 0.30001, 0.001, 1e-30)] == [
        0.3,
        0.3,
        0.301,
        0.001,
        0.001,
    ]


def corners(profile: Profile) -> list[tuple[float, float, float]]:
    """Cycles, start velocity and acceleration of each segment."""
    return [(s.duration * 1000, s.velocity, s.acceleration) for s in profile[:-1]]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("velocity", "target", "expected"),
    [
        # max velocity 2, acc 4, dec 1
        (0.0, 6.0, [(500, 0.0, 4.0), (1750, 2.0, 0.0), (2000, 2.0, -1.0)]),
        (0.0, 6.001, [(500, 0.0, 3.999333), (1751, 1.999667, 0.0), (2000, 1.999667, -0.999833)]),
        (0.0, 0.625, [(250, 0.0, 4.0), (1000, 1.0, -1.0)]),  # too short to reach 2
        (2.0, 6.0, [(2000, 2.0, 0.0), (2000, 2.0, -1.0)]),  # at full speed already
        (2.0, 2.0, [(2000, 2.0, -1.0)]),  # has to slow down at once
        (4.0, 10.0, [(2000, 4.0, -1.0), (1000, 2.0, 0.0), (2000, 2.0, -1.0)]),  # faster than 2
        (1.0, 0.0, [(1000, 1.0, -1.0), (224, 0.0, -3.989531), (895, -0.893655, 0.998497)]),
        (-1.0, 0.125, [(1000, -1.0, 1.0), (250, 0.0, 4.0), (1000, 1.0, -1.0)]),  # moves away
    ],
)
def test_moves_reckoned_by_hand(
    velocity: float, target: float, expected: list[tuple[float, float, float]], sign: float
) -> None:
    profile = to_position(
        7.0, sign * velocity, 7.0 + sign * target, max_velocity=2.0, acc=4.0, dec=1.0
    )
    expected = [(cycles, sign * v, sign * a) for cycles, v, a in expected]
    assert corners(profile) == [pytest.approx(corner, abs=5e-5) for corner in expected]


def test_a_jog_speeds_up_as_the_real_engine_did() -> None:
    """DeepSeek-V3-M1/11: 100 u/s with 1000 u/s^2 up and 3000 down, in 100 and 34 cycles."""
    up_to_speed = to_velocity(0.0, 0.0, 100.0, acc=1000.0, dec=3000.0)
    assert at(up_to_speed, 0.05)[POSITION] == pytest.approx(1.25)
    assert up_to_speed[-1] == Segment(inf, 5.0, 100.0)
    stop = to_rest(5.0, 100.0, 3000.0)
    assert (duration(stop), stop[-1].position) == (0.034, pytest.approx(6.7))


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
