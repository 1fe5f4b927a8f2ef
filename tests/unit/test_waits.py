"""What the tests themselves measure with."""

from collections.abc import Iterator

import pytest
from waits import at_best, eventually


def taking(*seconds: float) -> Iterator[float]:
    return iter(seconds)


def test_one_good_attempt_is_enough_and_the_last() -> None:
    measured = taking(0.9, 0.1, 0.2)
    assert at_best(lambda: next(measured), 0.5) == 0.1
    assert next(measured) == 0.2


def test_what_is_slow_each_time_is_slow() -> None:
    measured = taking(0.9, 0.6, 0.8, 0.1)
    with pytest.raises(AssertionError, match=r"is 0\.6: must be 0\.5 or less"):
        at_best(lambda: next(measured), 0.5, attempts=3)


def test_an_attempt_that_fails_is_no_measurement() -> None:
    def fail() -> float:
        raise ValueError("something else is wrong")

    with pytest.raises(ValueError, match="something else"):
        at_best(fail, 0.5)


def test_what_does_not_happen_is_named() -> None:
    with pytest.raises(AssertionError, match="it rains"):
        eventually(lambda: False, "it rains", timeout=0.0)
