"""Curves against numpy's polynomials and exponential, and crossings against dense sampling."""

from itertools import pairwise
from math import exp, inf, ulp

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wmx_core.values import Floats
from wmx_sim.engine.motion.curve import HORIZON, Curve

ordinary = st.one_of(st.just(0.0), st.floats(-10.0, 10.0), st.integers(-3, 3).map(float))
wild = st.one_of(
    ordinary, st.builds(lambda m, e: m * 10.0**e, st.floats(-10.0, 10.0), st.integers(-18, 15))
)
rates = st.floats(0.01, 10_000.0)
curves = st.builds(Curve, ordinary, ordinary, ordinary, ordinary, ordinary, st.floats(0.1, 200.0))
wild_curves = st.builds(Curve, wild, wild, wild, wild, wild, rates)
durations = st.one_of(st.just(inf), st.floats(0.0, 100.0))


def values(curve: Curve, times: Floats) -> Floats:
    """What the docstring says, by numpy."""
    p, v, a, j, d, rate = curve
    result: Floats = np.polyval([j / 6, a / 2, v, p], times) + d * np.exp(-rate * times)
    return result


def rounding(curve: Curve, time: float) -> float:
    """What rounding may add to a value at `time`: some ulps of the largest term."""
    p, v, a, j, d, _ = map(abs, curve)
    return 16 * ulp(p + v * time + a * time**2 + j * time**3 + d)


# Values


@given(wild_curves, st.floats(0.0, 1000.0))
def test_the_value_is_that_of_cubic_and_decay(curve: Curve, s: float) -> None:
    expected = values(curve, np.array([s])).item()
    assert curve.at(s) == pytest.approx(expected, rel=1e-13, abs=rounding(curve, s))


@given(curves, st.floats(0.0, 10.0))
def test_the_slope_is_the_derivative(curve: Curve, s: float) -> None:
    """Central differences are exact to h^2/6 times the third derivative."""
    h = 1e-4
    difference = (curve.at(s + 2 * h) - curve.at(s)) / (2 * h)
    third = abs(curve.j) + abs(curve.d) * curve.rate**3 * exp(-curve.rate * s)
    bound = h**2 / 6 * third + 2 * rounding(curve, s + 2 * h) / h
    assert curve.slope().at(s + h) == pytest.approx(difference, abs=bound)


@given(curves, st.floats(0.0, 10.0), st.floats(0.0, 10.0))
def test_a_curve_moved_on_is_the_same_curve(curve: Curve, on: float, s: float) -> None:
    expected = pytest.approx(curve.at(on + s), abs=16 * rounding(curve, on + s))
    assert curve.after(on).at(s) == expected


@given(curves, curves, st.floats(-10.0, 10.0), st.floats(0.0, 5.0))
def test_sums_and_multiples_are_taken_value_by_value(
    one: Curve, other: Curve, factor: float, s: float
) -> None:
    for second in (other._replace(d=0.0), other._replace(rate=one.rate)):
        bound = rounding(one, s) + rounding(second, s)
        plus, minus = one.at(s) + second.at(s), one.at(s) - second.at(s)
        assert one.plus(second).at(s) == pytest.approx(plus, abs=bound)
        assert one.minus(second).at(s) == pytest.approx(minus, abs=bound)
        assert second.minus(one).at(s) == pytest.approx(-minus, abs=bound)
    times = pytest.approx(factor * one.at(s), abs=10 * rounding(one, s))
    assert one.times(factor).at(s) == times


# Crossings


def test_crossings_known_by_hand() -> None:
    line, parabola = Curve(0.0, 2.0), Curve(0.0, 4.0, -2.0)
    assert line.first_above(3.0) == pytest.approx(1.5, rel=1e-15)
    assert line.first_below(3.0) == 0.0
    assert line.first_below(-1.0) == inf
    for curve in (line, Curve(0.0, 0.0, 8 / 3), Curve(0.0, 0.0, 0.0, 16 / 3)):  # 3 at 1.5
        assert curve.first_above(3.0, 1.45) == inf
        assert curve.first_above(3.0, 1.55) == pytest.approx(1.5, rel=1e-15)
    assert parabola.first_above(3.0) == pytest.approx(1.0, rel=1e-15), "there and back: the first"
    assert parabola.first_above(4.0) == inf, "it touches 4 and is never above"
    assert parabola.first_below(-5.0) == pytest.approx(5.0, rel=1e-15)
    assert Curve(1.0, d=-1.0, rate=2.0).first_above(0.5) == pytest.approx(np.log(2.0) / 2.0)
    decaying = Curve(-1.0, 0.5, d=0.9, rate=0.1)  # what decays is above 0 as long as it lasts
    assert 0.0 < decaying.first_above(0.0, 1.0) < 1.0
    assert decaying.at(decaying.first_above(0.0, 1.0)) == pytest.approx(0.0, abs=1e-12)
    assert Curve(1.0).first_above(1.0) == inf
    assert Curve(1.0).first_above(0.0) == 0.0
    assert Curve(0.0, 1.0).first_above(0.0) == pytest.approx(0.0, abs=1e-300)
    assert Curve(0.0, 1e-12).first_above(1.0) == inf, f"not within {HORIZON:g} s"


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_width_is_entered_from_either_side(sign: float) -> None:
    assert Curve(0.0, d=sign * 8.0, rate=3.0).first_within(1.0) == pytest.approx(np.log(8.0) / 3.0)
    assert Curve(sign * 5.0, -sign * 2.0).first_within(1.0) == pytest.approx(2.0)
    assert Curve(sign * 1.0).first_within(1.0) == 0.0
    assert Curve(sign * 5.0, sign).first_within(1.0) == inf
    assert Curve(0.0, d=sign * 8.0, rate=3.0).first_within(0.0) > 200.0, "when nothing is left"


@given(curves, ordinary, durations)
def test_the_first_crossing_is_that_of_dense_samples(
    curve: Curve, level: float, duration: float
) -> None:
    """No sample before it is above the level, and one behind it is, but for rounding."""
    found = curve.first_above(level, duration)
    until = min(found, duration, 50.0)
    times = np.unique(np.concatenate([np.linspace(0.0, until, 2000), np.geomspace(1e-9, 1.0, 200)]))
    times = times[times < until]
    sampled = values(curve, times) - level
    assert (sampled <= [rounding(curve, time) + ulp(level) for time in times]).all()
    if found < inf:
        assert found <= duration
        assert curve.at(found) - level > -rounding(curve, found)
        before = found * (1 - 1e-12)
        assert curve.at(before) - level <= rounding(curve, found) + ulp(level) or found == 0.0


@given(curves, ordinary, durations)
def test_below_is_above_turned_round(curve: Curve, level: float, duration: float) -> None:
    assert curve.first_below(level, duration) == curve.times(-1.0).first_above(-level, duration)


@given(st.lists(st.floats(0.01, 10.0), min_size=3, max_size=3), st.sampled_from([1.0, -1.0]))
def test_the_roots_of_a_cubic_are_found_in_order(roots: list[float], sign: float) -> None:
    """sign (s - r1) (s - r2) (s - r3), the roots apart enough to be told apart."""
    roots = [sum(sorted(roots)[: i + 1]) + 0.01 * i for i in range(3)]
    j, a, v, p = sign * np.poly(roots)
    curve = Curve(p, v, 2 * a, 6 * j)
    found = list(curve.sign_changes(100.0))
    assert found == pytest.approx(roots, rel=1e-6)
    assert curve.first_above(0.0) == (0.0 if p > 0.0 else found[0])
    assert curve.first_above(0.0, roots[0] * 0.999) == (0.0 if p > 0.0 else inf)


@given(wild_curves, wild, durations)
@example(Curve(0.0, 1e15, 1e15, 1e15, 1e15, 1e4), 1e-18, inf)
@example(Curve(1e-18, 1e-18, -1e15, 1e-18, -1e15, 0.01), 1e15, inf)
def test_with_huge_and_tiny_numbers_a_crossing_is_still_one(
    curve: Curve, level: float, duration: float
) -> None:
    for found, sign in (
        (curve.first_above(level, duration), 1.0),
        (curve.first_below(level, duration), -1.0),
    ):
        assert found >= 0.0
        if found == inf:
            end = min(duration, HORIZON)
            assert sign * (curve.at(end) - level) <= rounding(curve, end) + ulp(level)
        else:
            assert found <= min(duration, HORIZON)
            assert sign * (curve.at(found) - level) > -rounding(curve, found) - ulp(level)


@given(curves, st.floats(0.1, 100.0))
def test_the_sign_changes_where_it_is_said_to_and_nowhere_else(
    curve: Curve, duration: float
) -> None:
    changes = list(curve.sign_changes(duration))
    assert changes == sorted(changes)
    for left, right in pairwise([0.0, *changes, duration]):
        inside = values(curve, np.linspace(left, right, 100)[1:-1])
        bound = rounding(curve, right)
        assert (inside >= -bound).all() or (inside <= bound).all()
