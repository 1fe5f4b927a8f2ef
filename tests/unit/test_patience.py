"""What the tests themselves measure with."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace

import patience
import pytest
from patience import at_best, eventually


def taking(*seconds: float) -> Iterator[float]:
    return iter(seconds)


def test_one_good_attempt_is_enough_and_the_last() -> None:
    measured = taking(0.9, 0.1, 0.2)
    assert at_best(lambda: next(measured), 0.5) == 0.1
    assert next(measured) == 0.2


def test_what_is_slow_each_time_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "TURNS", SimpleNamespace(alone=nullcontext))
    measured = taking(0.9, 0.7, 0.8, 0.6, 0.7, 0.9, 0.1)
    with pytest.raises(AssertionError, match=r"is 0\.6: must be 0\.5 or less"):
        at_best(lambda: next(measured), 0.5, attempts=3)


def test_what_is_quick_when_it_runs_alone_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[int] = []

    @contextmanager
    def be_alone() -> Iterator[None]:
        alone.append(1)
        yield
        alone.clear()

    monkeypatch.setattr(patience, "TURNS", SimpleNamespace(alone=be_alone))
    seen = []

    def measure() -> float:
        seen.append(0.1 if alone else 0.9)
        return seen[-1]

    assert at_best(measure, 0.5, attempts=3) == 0.1
    assert seen == [0.9, 0.9, 0.9, 0.1]
    assert not alone


def test_an_attempt_that_fails_is_no_measurement() -> None:
    def fail() -> float:
        raise ValueError("something else is wrong")

    with pytest.raises(ValueError, match="something else"):
        at_best(fail, 0.5)


def test_what_does_not_happen_is_named() -> None:
    with pytest.raises(AssertionError, match="it rains"):
        eventually(lambda: False, "it rains", timeout=0.0)
