"""A speed changes as its limits allow, and gets where it is wanted."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.bases.speed import Speed, SpeedLimits

STEP = 0.01
targets = st.integers(-5000, 5000).map(lambda thousandths: thousandths / 1000.0)


def stepped(speed: Speed, seconds: float) -> list[float]:
    return [speed.velocity, *(speed.step(STEP) for _ in range(round(seconds / STEP)))]


@pytest.mark.parametrize("target", [0.3, -2.0])
def test_without_limits_a_change_takes_its_time_whatever_its_size(target: float) -> None:
    speed = Speed(SpeedLimits(), acc_time=1.0, dec_time=0.5)
    speed.set_target(target)
    velocities = stepped(speed, 1.0)
    assert velocities[50] == pytest.approx(target / 2.0)
    assert velocities[99] != target
    assert velocities[100] == pytest.approx(target)
    speed.set_target(target / 3.0)
    velocities = stepped(speed, 0.5)
    assert velocities[25] == pytest.approx(target * 2.0 / 3.0)
    assert velocities[-1] == pytest.approx(target / 3.0)


def test_the_same_command_again_begins_nothing_anew() -> None:
    speed = Speed(SpeedLimits(), acc_time=1.0, dec_time=1.0)
    for _ in range(102):
        speed.set_target(2.0)
        speed.step(STEP)
    assert speed.velocity == 2.0


def test_no_time_is_at_once() -> None:
    speed = Speed(SpeedLimits(), acc_time=0.0, dec_time=0.0)
    speed.set_target(2.0)
    assert speed.step(STEP) == 2.0
    speed.set_target(-1.0)
    assert speed.step(STEP) == -1.0


def test_deceleration_has_a_limit_of_its_own() -> None:
    speed = Speed(SpeedLimits(acceleration=1.0, deceleration=4.0), acc_time=9.0, dec_time=9.0)
    speed.set_target(1.0)
    assert stepped(speed, 0.5)[-1] == pytest.approx(0.5)
    stepped(speed, 0.51)
    speed.set_target(0.0)
    assert stepped(speed, 0.125)[-1] == pytest.approx(0.52)
    assert stepped(speed, 0.14)[-1] == 0.0
    same = Speed(SpeedLimits(acceleration=1.0), acc_time=9.0, dec_time=9.0)
    same.set_target(1.0)
    stepped(same, 1.01)
    same.set_target(0.0)
    assert stepped(same, 0.5)[-1] == pytest.approx(0.5)


def test_no_faster_than_allowed() -> None:
    speed = Speed(SpeedLimits(velocity=0.5, acceleration=1.0), acc_time=1.0, dec_time=1.0)
    speed.set_target(-9.0)
    assert speed.target == -0.5
    assert min(stepped(speed, 5.0)) == -0.5


@given(st.lists(st.tuples(targets, st.floats(0.01, 2.0)), min_size=1, max_size=6))
def test_acceleration_is_kept_and_the_target_is_reached(
    commands: list[tuple[float, float]],
) -> None:
    speed = Speed(SpeedLimits(acceleration=2.0, deceleration=3.0), acc_time=1.0, dec_time=1.0)
    velocities = [0.0]
    for target, seconds in commands:
        speed.set_target(target)
        velocities += stepped(speed, seconds)
    velocities += stepped(speed, 6.0)
    assert speed.velocity == commands[-1][0]
    for before, after in pairwise(velocities):
        limit = 3.0 if abs(after) < abs(before) or before * after < 0.0 else 2.0
        assert abs(after - before) <= limit * STEP * (1 + 1e-9)


@given(
    st.lists(st.tuples(targets, st.floats(0.01, 2.0)), min_size=1, max_size=6),
    st.sampled_from([3.0, 20.0, 500.0]),
)
def test_jerk_and_acceleration_are_kept_and_the_target_is_reached(
    commands: list[tuple[float, float]], jerk: float
) -> None:
    limits = SpeedLimits(acceleration=2.0, jerk=jerk)
    speed = Speed(limits, acc_time=1.0, dec_time=1.0)
    velocities = [0.0]
    for target, seconds in commands:
        speed.set_target(target)
        velocities += stepped(speed, seconds)[1:]
    velocities += stepped(speed, 15.0)[1:]
    assert speed.velocity == commands[-1][0]
    assert speed.acceleration == 0.0
    accelerations = [(after - before) / STEP for before, after in pairwise(velocities)]
    assert max(map(abs, accelerations)) <= 2.0 + 1e-9
    for before, after in pairwise(accelerations):
        assert abs(after - before) <= jerk * STEP + 1e-9


def test_with_jerk_a_speed_is_reached_from_rest_without_passing_it() -> None:
    speed = Speed(SpeedLimits(acceleration=2.0, jerk=10.0), acc_time=1.0, dec_time=1.0)
    speed.set_target(1.0)
    velocities = stepped(speed, 2.0)
    assert all(after >= before - 1e-12 for before, after in pairwise(velocities))
    assert max(velocities) <= 1.0 + 1e-12
    assert velocities[-1] == 1.0
    # 0.2 s of growing, 0.3 s of steady and 0.2 s of fading acceleration
    assert velocities.index(1.0) * STEP == pytest.approx(0.7, abs=0.05)


def test_a_speed_that_was_stopped_begins_at_rest() -> None:
    speed = Speed(SpeedLimits(acceleration=1.0, jerk=5.0), acc_time=1.0, dec_time=1.0)
    speed.set_target(1.0)
    stepped(speed, 0.5)
    speed.reset()
    assert stepped(speed, 1.0)[-1] == 0.0
    speed.set_target(1.0)
    assert stepped(speed, 3.0)[-1] == 1.0
