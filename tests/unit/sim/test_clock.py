"""Cycles: when they begin, and which one a time belongs to."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_sim.engine.clock import HeldClock, cycle_after, newest_cycle

NANOSECOND = 1e-9


@pytest.mark.parametrize(
    ("time", "cycle"),
    [
        (0.0, 0),
        (0.0001, 1),
        (0.001, 1),
        (0.001 + 0.5 * NANOSECOND, 1),
        (0.001 + 2 * NANOSECOND, 2),
        (0.001 - 2 * NANOSECOND, 1),
        (0.0015, 2),
        (0.1 + 0.2, 300),
        (1e6 - 0.0004, 1_000_000_000),
    ],
)
def test_a_cycle_begins_with_its_millisecond(time: float, cycle: int) -> None:
    assert cycle_after(time) == cycle / 1000


@given(st.integers(0, 10**9))
def test_the_beginning_of_a_cycle_is_its_own(number: int) -> None:
    """The same number as the clock's own cycles have, to the last bit, and never one later."""
    clock = HeldClock()
    clock.advance(number / 1000)
    assert newest_cycle(clock).cycle == number
    assert cycle_after(number / 1000) == newest_cycle(clock).time


@given(st.floats(0.0, 1e6))
def test_no_cycle_is_earlier_nor_a_whole_cycle_later(time: float) -> None:
    found = cycle_after(time)
    assert found == round(found * 1000) / 1000
    assert -Fraction(2, 10**9) < Fraction(found) - Fraction(time) < Fraction(1, 1000)


def test_what_never_happens_has_no_cycle() -> None:
    assert cycle_after(inf) == inf
    assert cycle_after(-inf) == -inf
