"""Times of trapezoidal moves, against profiles that are integrated step by step."""

from math import copysign

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.motions.trapezoid import duration, velocity_for

speeds = st.floats(0.01, 100.0)
distances = st.floats(-100.0, 100.0)


def integrated(distance: float, v0: float, velocity: float, acc: float, dec: float) -> float:
    """The same rule in small steps: speed up while there is room to stop, else brake."""
    step = 1e-4
    x, v, t = 0.0, v0, 0.0
    while True:
        left = distance - x
        way = copysign(1.0, left)
        towards = v * way
        if abs(left) < 2e-3 * max(1.0, abs(v)) and abs(v) <= 2.0 * dec * step:
            return t
        must_brake = towards < 0.0 or towards * towards / (2.0 * dec) >= abs(left)
        if must_brake or towards > velocity:
            v -= copysign(min(dec * step, abs(v)), v)
        else:
            v = way * min(velocity, towards + acc * step)
        x += v * step
        t += step


@pytest.mark.parametrize(
    ("distance", "v0", "velocity", "acc", "dec"),
    [
        (1.0, 0.0, 0.5, 1.0, 1.0),
        (1.0, 0.0, 5.0, 1.0, 2.0),
        (-2.0, 0.0, 1.0, 3.0, 1.0),
        (1.0, -0.5, 0.5, 1.0, 1.0),
        (0.1, 1.0, 0.5, 1.0, 1.0),
        (3.0, 1.0, 0.5, 1.0, 1.0),
        (3.0, 0.2, 0.5, 1.0, 1.0),
    ],
)
def test_duration(distance: float, v0: float, velocity: float, acc: float, dec: float) -> None:
    expected = integrated(distance, v0, velocity, acc, dec)
    found = duration(distance, initial_velocity=v0, velocity=velocity, acc=acc, dec=dec)
    assert found == pytest.approx(expected, abs=0.05)


def test_textbook_cases() -> None:
    # 1 u at 0.5 u/s and 1 u/s^2: half a second up and down each, and 0.75 u at speed.
    assert duration(1.0, velocity=0.5, acc=1.0, dec=1.0) == pytest.approx(2.5)
    # Too short for its speed: a triangle, sqrt(2 d (1/a + 1/d)).
    assert duration(1.0, velocity=9.0, acc=1.0, dec=1.0) == pytest.approx(2.0)
    assert duration(0.0, velocity=9.0, acc=1.0, dec=1.0) == 0.0


@given(distances, st.floats(-10.0, 10.0), speeds, speeds, speeds, st.floats(1.0, 10.0))
def test_a_speed_for_a_time_takes_that_time(
    distance: float, v0: float, velocity: float, acc: float, dec: float, slower: float
) -> None:
    limits = {"initial_velocity": v0, "acc": acc, "dec": dec}
    shortest = duration(distance, velocity=velocity, **limits)
    seconds = shortest * slower
    found = velocity_for(seconds, distance, velocity=velocity, **limits)
    assert 0.0 <= found <= velocity
    taken = duration(distance, velocity=found, **limits)
    # A move that only brakes takes its time whatever its speed.
    assert taken == pytest.approx(seconds, rel=1e-6) or taken < seconds


def test_too_short_a_time_is_refused_with_the_shortest() -> None:
    with pytest.raises(ValueError, match=r"1\.5 s is too short: the move takes 2\.5 s at least"):
        velocity_for(1.5, 1.0, velocity=0.5, acc=1.0, dec=1.0)
