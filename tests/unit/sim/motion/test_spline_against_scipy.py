"""Splines against scipy's, which solves the same equations with LAPACK."""

import numpy as np
import pytest

from wmx_core.values import Floats
from wmx_sim.engine.motion.profile import Profile, Segment
from wmx_sim.engine.motion.spline_move import MAX_POINTS, spline

interpolate = pytest.importorskip("scipy.interpolate")

PRECISION = 1e-9
FRACTIONS = np.array([0.0, 0.25, 0.5, 0.75])
"""Where in each segment the two are compared."""


def sampled(profile: Profile, index: Floats, s: Floats) -> Floats:
    """Position, velocity and acceleration `s` seconds into the segments `index`."""
    segments = Segment(*np.array(profile)[index].T)
    return np.array([*segments.at(s), segments.after(s).acceleration])


def relative_errors(times: Floats, positions: Floats, velocities: Floats) -> Floats:
    """The largest errors of position, velocity and acceleration over all axes.

    Of each axis relative to how far scipy's spline strays from the axis's start (not to its
    position, which may be large), and to its greatest speed and acceleration, at the samples.
    """
    axes = len(velocities)
    oracle = interpolate.CubicSpline(
        times, positions, bc_type=((1, velocities), (1, np.zeros(axes)))
    )
    index = np.repeat(np.arange(len(times) - 1), len(FRACTIONS))
    when = times[index] + np.tile(FRACTIONS, len(times) - 1) * np.diff(times)[index]
    profiles = spline(times, positions, velocities)
    worst = np.zeros(3)
    for axis, profile in enumerate(profiles):
        assert [segment.duration for segment in profile[:-1]] == np.diff(times).tolist()
        assert profile[-1] == Segment(np.inf, positions[-1, axis], 0.0)
        theirs = np.array([oracle(when, order)[:, axis] for order in range(3)])
        strays = theirs - [[positions[0, axis]], [0.0], [0.0]]
        errors = np.abs(sampled(profile, index, when - times[index]) - theirs)
        worst = np.maximum(worst, errors.max(axis=1) / np.abs(strays).max(axis=1))
    return worst


def random_spline(rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Times, positions and velocities of a spline as `test_random_cases` says."""
    points = round(2 * (MAX_POINTS / 2) ** rng.random())
    axes = rng.integers(1, 5)
    spacing = 10.0 ** (rng.uniform(-3, 0) + rng.uniform(0, rng.uniform(0, 6), points - 1))
    times = np.concatenate([[0.0], np.cumsum(spacing)])
    size = 10.0 ** rng.uniform(-3, 3, axes)
    offset = size * rng.choice([-1.0, 0.0, 1.0], axes) * 10.0 ** rng.uniform(0, 6, axes)
    shape = rng.normal(size=(points, axes))
    positions = offset + size * shape / np.ptp(shape, axis=0)
    velocities = rng.choice([0.0, 1.0], axes) * size * rng.normal(size=axes) / spacing[0]
    return times, positions, velocities


@pytest.mark.long
@pytest.mark.parametrize("cases", [300, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(300)
def test_random_cases(cases: int) -> None:
    """The same spline as scipy's, to PRECISION by `relative_errors`.

    2 to 1000 points, even in their powers; 1 to 4 axes; spacings of 1 ms and more whose ratio
    is up to 1e6; normally distributed positions scaled to a range of 1e-3 to 1e3 u, two in three
    off by up to a million times their range, where a double resolves 1e-10 of it; half the axes
    start at rest, the others about as fast as the range in the first spacing. Seed 1.
    """
    rng = np.random.default_rng(1)
    worst = np.zeros(3)
    for _ in range(cases):
        worst = np.maximum(worst, relative_errors(*random_spline(rng)))
    print("worst relative errors:", worst)
    assert (worst <= PRECISION).all(), worst


def test_long_uneven_and_far_off() -> None:
    rng = np.random.default_rng(2)
    spacing = np.where(np.arange(MAX_POINTS - 1) % 2, 1e-3, 1e3)
    times = np.concatenate([[0.0], np.cumsum(spacing)])
    positions = 1e6 + rng.uniform(0.0, 1.0, (MAX_POINTS, 3))
    assert (relative_errors(times, positions, np.array([0.0, 1.0, -1e3])) <= PRECISION).all()
