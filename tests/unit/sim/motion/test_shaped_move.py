"""Moves of the vendor's profile types: where the real engine was, and what holds for all."""

from dataclasses import replace
from itertools import pairwise
from math import ceil, inf
from typing import Any

import pytest
from engine_figures import LOGGED
from hypothesis import example, given
from hypothesis import strategies as st
from profile_shapes import shaped

from wmx_core.profile_types import WITH_TARGET, MoveProfile, ProfileType
from wmx_sim.engine.motion.profile import Profile, at, duration, extremes
from wmx_sim.engine.motion.shaped_move import shaped_change, shaped_move

T = ProfileType


def of(way: tuple[float, float], rates: tuple[float, float, float], shape: MoveProfile) -> Profile:
    start, target = way
    velocity, acc, dec = rates
    return shaped_move(start, 0.0, target, max_velocity=velocity, acc=acc, dec=dec, shape=shape)


@pytest.mark.parametrize(
    ("program", "kind", "way", "rates", "rest", "logged"),
    LOGGED,
    ids=[f"{kind.name.lower()}, {program}, to {way[1]:g}" for program, kind, way, *_ in LOGGED],
)
def test_a_move_is_where_the_real_engine_was(
    program: str,
    kind: ProfileType,
    way: tuple[float, float],
    rates: tuple[float, float, float],
    rest: dict[str, Any],
    logged: dict[int, float],
) -> None:
    profile = of(way, rates, MoveProfile(type=kind, **rest))
    for cycles, position in logged.items():
        assert at(profile, cycles / 1000)[0] == pytest.approx(position, rel=0.0, abs=6e-4)


shapes = st.builds(
    MoveProfile,
    type=st.sampled_from(T),
    jerk_acc=st.floats(1.0, 1e6),
    jerk_dec=st.floats(1.0, 1e6),
    jerk_acc_ratio=st.floats(0.0, 1.0),
    jerk_dec_ratio=st.floats(0.0, 1.0),
    acc_time=st.floats(0.001, 2.0),
    dec_time=st.floats(0.001, 2.0),
    second_velocity=st.floats(0.1, 100.0),
    moving_average_time=st.floats(0.0, 0.5),
)
positive = st.floats(0.1, 1e3)


@given(shapes, st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), positive, positive, positive)
@example(
    MoveProfile(type=T.PARABOLIC_VELOCITY, jerk_dec_ratio=1e-308, acc_time=1.0, dec_time=1.0),
    0.0,
    3.0,
    1.0,
    1.0,
    1.0,
)
def test_a_move_from_rest_is_smooth_and_ends_at_its_target(
    shape: MoveProfile, start: float, target: float, velocity: float, acc: float, dec: float
) -> None:
    if shape.type is T.CONSTANT_DEC:
        return  # it begins with a velocity
    profile = of((start, target), (velocity, acc, dec), shape)
    assert profile[-1].position == target
    assert profile[-1].velocity == 0.0
    assert profile[-1].duration == inf
    assert round(duration(profile) * 1000, 6) == round(duration(profile) * 1000)
    far, fast = abs(start) + abs(target), max(abs(s.velocity) for s in profile)
    for one, other in pairwise(profile):
        position, speed = one.at(one.duration)
        assert other.position == pytest.approx(position, rel=0.0, abs=1e-9 * far)
        assert other.velocity == pytest.approx(speed, rel=0.0, abs=1e-9 * fast)
    direction = 1.0 if target > start else -1.0
    assert all(s.velocity * direction >= -1e-9 * fast for s in profile), "it never turns back"


PEAKS = {T.JERK_RATIO: 40.0 / 3.0, T.S_CURVE: 20.0, T.PARABOLIC: 10.0, T.SIN: 10.0}
PEAKS |= {T.ADVANCED_S: 40.0 / 3.0, T.JERK_LIMITED: 10.0, T.JERK_LIMITED_ADVANCED_S: 10.0}


@pytest.mark.parametrize("kind", PEAKS, ids=lambda kind: kind.name.lower())
def test_the_acceleration_rises_to_its_peak_without_a_jump(kind: ProfileType) -> None:
    """Some types take the 10 u/s^2 for the mean acceleration, others for the greatest."""
    profile = of((0.0, 100.0), (20.0, 10.0, 5.0), shaped(kind))
    assert max(abs(s.acceleration) for s in profile) == pytest.approx(PEAKS[kind], rel=2e-4)
    for one, other in pairwise(profile):
        end = one.acceleration + one.jerk * one.duration
        assert other.acceleration == pytest.approx(end, rel=0.0, abs=0.01)


@given(shapes, st.floats(-1e3, 1e3), positive, positive)
def test_no_move_is_faster_than_its_velocity(
    shape: MoveProfile, target: float, velocity: float, acc: float
) -> None:
    if shape.type in (T.CONSTANT_DEC, T.PARABOLIC_VELOCITY):
        return  # which follows from the way and the times
    profile = of((0.0, target), (velocity, acc, acc), shape)
    most = velocity
    if shape.type.name.startswith("TWO_VELOCITY"):
        most = max(velocity, shape.second_velocity)
    assert max(abs(s.velocity) for s in profile) <= most * (1 + 1e-9)


@given(shapes, st.floats(-100.0, 100.0), st.floats(-100.0, 100.0), positive, positive)
@example(MoveProfile(type=T.TIME_ACC_PARABOLIC, acc_time=1.0, dec_time=1.0), 1.0, 2e-199, 1.0, 1.0)
def test_a_change_of_velocity_gets_to_what_was_asked_for(
    shape: MoveProfile, velocity: float, target: float, acc: float, dec: float
) -> None:
    if shape.type in WITH_TARGET:
        return
    profile = shaped_change(0.0, velocity, target, acc=acc, dec=dec, shape=shape)
    assert profile[-1].velocity == target
    low, high = sorted((velocity, target))
    margin = 1e-9 * (abs(low) + abs(high))
    assert all(min(low, 0.0) - margin <= s.velocity <= max(high, 0.0) + margin for s in profile)


@pytest.mark.parametrize("fast", ["starting_velocity", "end_velocity"])
@pytest.mark.parametrize("kind", T, ids=lambda kind: kind.name.lower())
def test_a_move_may_begin_or_end_with_its_velocity(kind: ProfileType, fast: str) -> None:
    shape = replace(shaped(kind, 1.0), **{fast: 1.0})  # type: ignore[arg-type]
    for start, velocity in ((0.0, 0.0), (1.0, 0.5), (-1.0, -2.0)):
        profile = shaped_move(
            start, velocity, 5.0, max_velocity=1.0, acc=10.0, dec=10.0, shape=shape
        )
        assert (profile[-1].position, profile[-1].velocity) == (5.0, 0.0)
        for one, other in pairwise(profile):
            assert one.at(one.duration)[0] == pytest.approx(other.position, abs=1e-9)


@given(st.floats(1.0, 10.0), st.floats(1.0, 1.01), st.floats(0.0, 2.0))
@example(speed=10.0, more=1.0, end=0.1)
def test_a_move_that_has_just_the_way_to_slow_down_does_not_jump(
    speed: float, more: float, end: float
) -> None:
    stopping = speed * ceil(speed / 10.0 * 1000.0) / 1000.0 / 2.0
    shape = MoveProfile(end_velocity=end)
    rates = {"max_velocity": 2.0, "acc": 10.0, "dec": 10.0}
    profile = shaped_move(0.0, speed, stopping * more, **rates, shape=shape)
    for one, other in pairwise(profile):
        assert one.at(one.duration)[0] == pytest.approx(other.position, abs=1e-9)
    assert -profile[0].acceleration <= 10.0 * (1.0 + 1e-9)
    assert profile[-1].position == stopping * more


@pytest.mark.parametrize("kind", T, ids=lambda kind: kind.name.lower())
def test_a_move_that_is_too_short_to_slow_down_to_its_end_velocity(kind: ProfileType) -> None:
    shape = replace(shaped(kind), end_velocity=1.9, acc_time=0.1, dec_time=1.0)
    profile = of((0.0, 0.2), (2.0, 30.0, 0.2), shape)
    assert profile[-1].position == 0.2
    assert min(segment.velocity for segment in profile) >= 0.0


def test_a_velocity_that_is_lowered_below_the_one_at_the_end() -> None:
    shape = replace(shaped(T.JERK_LIMITED), end_velocity=2.0)
    profile = of((0.0, 5.0), (1.0, 10.0, 10.0), shape)
    assert max(segment.velocity for segment in profile) == pytest.approx(1.0)
    assert profile[-1].position == 5.0


@pytest.mark.parametrize("kind", set(T) - {T.CONSTANT_DEC}, ids=lambda kind: kind.name.lower())
def test_the_least_and_the_slowest_move_end_at_their_targets(kind: ProfileType) -> None:
    for target, velocity in ((5e-324, 1.0), (1e6, 1e-9)):
        profile = of((0.0, target), (velocity, 0.1, 0.1), shaped(kind))
        assert profile[-1].position == target


@pytest.mark.parametrize("kind", T, ids=lambda kind: kind.name.lower())
def test_no_move_is_too_short_for_its_starting_velocity(kind: ProfileType) -> None:
    """From 20 u/s an axis slows down on 2 u at least."""
    shape = replace(shaped(kind), starting_velocity=20.0)
    for target in (0.0, 0.1, -0.1, 1.9):
        profile = of((0.0, target), (20.0, 100.0, 100.0), shape)
        margin = 1e-9 * abs(target)
        low, high = sorted((0.0, target))
        assert all(low - margin <= place <= high + margin for place in extremes(profile))
        assert profile[-1].position == target


def test_a_move_may_begin_with_the_least_velocity() -> None:
    profile = of((0.0, 1.0), (1.0, 10.0, 10.0), MoveProfile(starting_velocity=5e-324))
    assert profile[-1].position == 1.0


def test_a_move_too_short_for_its_end_velocity_keeps_the_one_it_has() -> None:
    """DeepSeek-R1-M3/80: from 1875 u/s over 130.375 u towards 3000 u/s, in 54 cycles."""
    profile = shaped_move(
        202.625,
        1875.0,
        333.0,
        max_velocity=3000.0,
        acc=10000.0,
        dec=10000.0,
        shape=MoveProfile(end_velocity=3000.0),
    )
    assert duration(profile) == pytest.approx(0.054)
    for cycles, position in {0: 202.625, 1: 204.51, 2: 206.415, 8: 218.264}.items():
        assert at(profile, cycles / 1000)[0] == pytest.approx(position, rel=0.0, abs=2e-3)
    assert profile[0].velocity == 1875.0
    assert profile[-1].position == 333.0


@pytest.mark.parametrize("velocity", [0.7, -0.7])
def test_an_average_takes_over_from_a_motion_without_a_jump(velocity: float) -> None:
    profile = shaped_move(
        1.0,
        velocity,
        3.0,
        max_velocity=1.0,
        acc=4.0,
        dec=4.0,
        shape=MoveProfile(type=T.TRAPEZOIDAL_MAT, moving_average_time=0.05),
    )
    assert (profile[0].position, profile[0].velocity) == (pytest.approx(1.0), velocity)
    for one, other in pairwise(profile):
        assert one.at(one.duration) == pytest.approx((other.position, other.velocity), abs=1e-9)
    assert profile[-1].position == 3.0
