"""What tests take for news: messages that were made before a question do not answer it."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from recording import Recording


def stamped(ns: int) -> Any:
    stamp = SimpleNamespace(sec=ns // 10**9, nanosec=ns % 10**9)
    return SimpleNamespace(header=SimpleNamespace(stamp=stamp))


class Late(Recording):
    """Hears messages as soon as somebody waits for them."""

    def __init__(self, *messages: Any) -> None:
        super().__init__()
        self._late = messages

    def _wait(self, *args: Any) -> Any:
        for message in self._late:
            self(message)
        return super()._wait(*args)


def test_what_comes_late_is_no_news() -> None:
    now = time.time_ns()
    old, new = stamped(now - 10**9), stamped(now + 10**9)
    assert Late(old, new).next(timeout=0.0) is new
    with pytest.raises(AssertionError, match="no such message"):
        Late(old).next(timeout=0.0)


@pytest.mark.parametrize("message", [stamped(0), stamped(1_000 * 10**9), SimpleNamespace(data=1)])
def test_what_says_no_time_of_this_machine_is_news_when_it_comes(message: Any) -> None:
    assert Late(message).next(timeout=0.0) is message


def test_silence() -> None:
    recording = Recording()
    recording(stamped(time.time_ns()))
    assert recording.silent_for(0.0)


def test_the_longest_gap_is_that_of_the_stamps() -> None:
    recording = Recording()
    assert recording.longest_gap(0.0) == float("inf")
    for second in 1, 2, 5, 6:
        recording(stamped(second * 10**9))
    assert recording.longest_gap(0.0) == 3.0


def test_the_newest_is_kept_when_the_others_are_forgotten() -> None:
    recording = Recording()
    for second in range(3):
        recording(stamped(second * 10**9))
    recording.forget()
    assert len(recording.since(0.0)) == 1
    assert recording.latest(timeout=0.0).header.stamp.sec == 2
