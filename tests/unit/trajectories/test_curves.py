"""Curves are scipy's through the same numbers, and say how far and how fast they go."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.values import Floats
from wmx_ros2_package.trajectories.curves import Curve, cubic, quintic, spline

interpolate = pytest.importorskip("scipy.interpolate")


@st.composite
def numbers(draw: st.DrawFn) -> tuple[Floats, Floats, Floats, Floats]:
    """Times, positions, velocities and accelerations of two joints."""
    count = draw(st.integers(2, 12))
    gaps = draw(st.lists(st.floats(0.01, 1.0), min_size=count - 1, max_size=count - 1))
    value = st.floats(-3.0, 3.0).map(lambda x: round(x, 3))
    rows = st.lists(st.tuples(value, value), min_size=count, max_size=count).map(np.array)
    return np.cumsum([0.0, *gaps]), draw(rows), draw(rows), draw(rows)


def looks(times: Floats) -> Floats:
    return np.unique(np.concatenate([np.linspace(times[0], times[-1], 400), times]))


def close(curve: Curve, expected: object, derivatives: int) -> None:
    at = looks(curve.times)[:-1]  # scipy goes on where ours ends
    for derivative in range(derivatives):
        truth = expected(at, derivative)  # type: ignore[operator]
        scale = max(1.0, np.abs(truth).max())
        np.testing.assert_allclose(curve.at(at, derivative), truth, atol=1e-9 * scale)


@given(numbers())
def test_spline_is_clamped_with_the_present_velocity_and_rest(
    given_numbers: tuple[Floats, ...],
) -> None:
    times, positions, velocities, _ = given_numbers
    ends = ((1, velocities[0]), (1, np.zeros(2)))
    truth = interpolate.CubicSpline(times, positions, bc_type=ends)
    close(spline(times, positions, velocities[0]), truth, 3)


@given(numbers())
def test_cubic_has_positions_and_velocities(given_numbers: tuple[Floats, ...]) -> None:
    times, positions, velocities, _ = given_numbers
    truth = interpolate.CubicHermiteSpline(times, positions, velocities)
    close(cubic(times, positions, velocities), truth, 2)


@given(numbers())
def test_quintic_has_accelerations_too(given_numbers: tuple[Floats, ...]) -> None:
    times, positions, velocities, accelerations = given_numbers
    columns = np.stack([positions, velocities, accelerations], axis=1)
    truth = interpolate.BPoly.from_derivatives(times, columns)
    curve = quintic(times, positions, velocities, accelerations)
    close(curve, lambda at, nu: truth(at, nu=nu), 3)


@given(numbers())
def test_range_and_top_speed_hold_what_happens_between_points(
    given_numbers: tuple[Floats, ...],
) -> None:
    curve = cubic(*given_numbers[:3])
    at = looks(curve.times)
    positions, velocities = curve.at(at), curve.at(at, 1)
    least, greatest = curve.range()
    speed = curve.top_speed()
    assert (least <= positions.min(axis=0) + 1e-9).all()
    assert (greatest >= positions.max(axis=0) - 1e-9).all()
    assert (speed >= np.abs(velocities).max(axis=0) - 1e-9).all()
    # And no more than happens: 400 looks miss a peak by what the curve bends between them.
    step = np.diff(at).max()
    both_sides = np.concatenate([at, at - 1e-9])
    bend = np.abs(curve.at(both_sides, 2)).max() * step**2 + 1e-9
    assert (greatest - positions.max(axis=0) <= bend).all()
    assert (positions.min(axis=0) - least <= bend).all()


def test_outside_its_times_a_curve_stays_at_its_ends() -> None:
    curve = cubic(np.array([0.0, 1.0]), np.array([[0.0], [2.0]]), np.zeros((2, 1)))
    assert curve.at(np.array([-1.0, 0.0, 1.0, 9.0])).tolist() == [[0.0], [0.0], [2.0], [2.0]]
