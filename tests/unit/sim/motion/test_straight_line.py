"""Lines: those that can be reckoned by hand, and what holds for all."""

from itertools import pairwise
from math import ceil, hypot, inf
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wmx_core.values import LinearMove
from wmx_sim.engine.motion.profile import Profile, Segment, at, duration, hold
from wmx_sim.engine.motion.straight_line import line, plan_line, to_rest_together

SAMPLES = 200
Vector = tuple[float, ...]

coordinates = st.one_of(st.just(0.0), st.floats(-100.0, 100.0).filter(lambda x: abs(x) > 1e-3))
vectors = st.tuples(coordinates, coordinates, coordinates)
limits = st.floats(0.01, 100.0)


def states(profiles: tuple[Profile, ...], time: float) -> tuple[Vector, Vector]:
    """Positions and velocities of all axes."""
    positions, velocities = zip(*(at(profile, time) for profile in profiles), strict=True)
    return positions, velocities


def approximately(profile: Profile) -> list[Any]:
    return [pytest.approx(segment, rel=1e-14, abs=1e-14) for segment in profile]


def test_out_of_motion_what_is_left_fades_out() -> None:
    """2 u/s fade out in 2 s over 2 u; from (2, 0) on a line of 5 u that leads along (0.6, 0.8)."""
    one, other = line((0.0, 0.0), (2.0, 0.0), (5.0, 4.0), max_velocity=2.0, acc=10.0, dec=1.0)
    assert list(one) == approximately(
        (
            Segment(2.0, 0.0, 2.0, -0.4),
            Segment(0.5, 3.2, 1.2),
            Segment(2.0, 3.8, 1.2, -0.6),
            *hold(5.0),
        )
    )
    assert list(other) == approximately(
        (
            Segment(2.0, 0.0, 0.0, 0.8),
            Segment(0.5, 1.6, 1.6),
            Segment(2.0, 2.4, 1.6, -0.8),
            *hold(4.0),
        )
    )


def test_a_longer_line_in_the_same_direction_keeps_its_speed() -> None:
    profiles = line((0.0, 0.0), (1.2, 1.6), (6.0, 8.0), max_velocity=2.0, acc=9.0, dec=1.0)
    for time in (0.0, 0.7, 2.0, 3.9):
        (x, y), velocities = states(profiles, time)
        assert (x, y) == pytest.approx((1.2 * time, 1.6 * time))
        assert velocities == pytest.approx((1.2, 1.6))
    assert duration(profiles[0]) == pytest.approx(6.0), "8 u at 2 u/s, then 2 s to rest"


def test_a_line_without_length_is_no_motion() -> None:
    profiles = line((1.0, 2.0), (0.0, 0.0), (1.0, 2.0), max_velocity=1.0, acc=1.0, dec=1.0)
    assert profiles == (hold(1.0), hold(2.0))


def test_where_the_velocities_take_the_axes_they_just_fade_out() -> None:
    profiles = line((0.0, 0.0), (3.0, -4.0), (7.5, -10.0), max_velocity=1.0, acc=1.0, dec=1.0)
    assert profiles == to_rest_together((0.0, 0.0), (3.0, -4.0), 1.0)
    assert profiles == (
        (Segment(5.0, 0.0, 3.0, -0.6), *hold(7.5)),
        (Segment(5.0, 0.0, -4.0, 0.8), *hold(-10.0)),
    )


@given(vectors, vectors, limits, limits, limits)
@example((0.0, 0.0, 0.0), (1e-12, 0.0, 0.0), 1.0, 1.0, 1.0)
@example((1e6, -1e6, 1e6), (1e6 + 1.0, -1e6, 1e6 - 2.0), 1.0, 2.0, 3.0)
def test_from_rest_the_axes_are_on_the_line(
    start: Vector, target: Vector, max_velocity: float, acc: float, dec: float
) -> None:
    profiles = line(start, (0.0,) * 3, target, max_velocity=max_velocity, acc=acc, dec=dec)
    way = [b - a for a, b in zip(start, target, strict=True)]
    length = hypot(*way)
    end = duration(profiles[0])
    rounding = 1e-13 * (length + hypot(*start))
    for n in range(SAMPLES + 1):
        positions, velocities = states(profiles, n / SAMPLES * end)
        gone = [x - a for a, x in zip(start, positions, strict=True)]
        share = hypot(*gone) / length if length else 0.0
        assert gone == pytest.approx([share * each for each in way], abs=rounding)
        assert hypot(*velocities) <= max_velocity * (1 + 1e-12)


@given(vectors, vectors, vectors, limits, limits, limits)
@example((0.0, 0.0, 0.0), (5.0, 0.0, 0.0), (-5.0, 0.0, 0.0), 2.0, 1.0, 1.0)
@example((0.0, 0.0, 0.0), (50.0, 0.0, 0.0), (1.0, 1.0, 0.0), 2.0, 10.0, 1.0)
def test_every_line(
    start: Vector, velocity: Vector, target: Vector, max_velocity: float, acc: float, dec: float
) -> None:
    """Continuous, together, exact at the end, never faster than before or than ordered."""
    profiles = line(start, velocity, target, max_velocity=max_velocity, acc=acc, dec=dec)
    assert states(profiles, 0.0) == (start, velocity)
    (durations,) = {tuple(segment.duration for segment in profile) for profile in profiles}
    assert [profile[-1] for profile in profiles] == [Segment(inf, each, 0.0) for each in target]
    speed = max(max_velocity, hypot(*velocity))
    far = 100.0 + speed * sum(durations[:-1])
    for profile in profiles:
        for segment, following in pairwise(profile):
            position, final = segment.at(segment.duration)
            assert position == pytest.approx(following.position, rel=0.0, abs=1e-13 * far)
            assert final == pytest.approx(following.velocity, rel=0.0, abs=1e-11 * speed)
    for n in range(SAMPLES + 1):
        _, velocities = states(profiles, n / SAMPLES * sum(durations[:-1]))
        assert hypot(*velocities) <= speed * (1 + 1e-11)
    for accelerations in zip(*(tuple(s.acceleration for s in p) for p in profiles), strict=True):
        assert hypot(*accelerations) <= (dec + max(acc, dec)) * (1 + 1e-11)


@given(vectors, vectors, limits)
def test_to_rest_together(start: Vector, velocity: Vector, dec: float) -> None:
    """In the time of the slowing down along the path, whose direction stays the same."""
    profiles = to_rest_together(start, velocity, dec)
    time = duration(profiles[0])
    assert time == ceil(hypot(*velocity) / dec * 1000 - 1e-9) / 1000
    for profile in profiles:
        assert duration(profile) == time
        assert profile[-1].velocity == 0.0
    for n in range(10):
        positions, velocities = states(profiles, n / 10 * time)
        left = 1 - n / 10
        gone = (1 - left**2) / 2 * time
        assert velocities == pytest.approx([left * v for v in velocity], abs=1e-9)
        assert positions == pytest.approx(
            [p + gone * v for p, v in zip(start, velocity, strict=True)],
            abs=1e-12 * (100.0 + 200.0 * time),
        )


def test_axes_at_rest_rest_together() -> None:
    assert to_rest_together((1.0, 2.0), (0.0, 0.0), 1.0) == (hold(1.0), hold(2.0))


def test_a_velocity_too_small_to_last_does_no_harm() -> None:
    profiles = line((0.0,), (5e-324,), (1.0,), max_velocity=1.0, acc=1.0, dec=1e15)
    assert states(profiles, 10.0) == ((1.0,), (0.0,))


def test_a_plan_is_the_line_to_the_targets() -> None:
    move = LinearMove(axes=(4, 7), targets=(4.0, -2.0), velocity=2.0, acc=4.0, dec=1.0)
    expected = line((1.0, 2.0), (0.5, 0.0), (4.0, -2.0), max_velocity=2.0, acc=4.0, dec=1.0)
    assert plan_line(move, (1.0, 2.0), (0.5, 0.0)) == expected
