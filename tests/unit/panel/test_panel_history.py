"""The history: what it keeps, and what browsers ask of it, right or wrong."""

import json
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.client import Status
from wmx_ros2_package.panel.history import (
    LENGTH,
    MOST_POINTS,
    RATE,
    History,
    HistoryRequest,
    thinned,
)

FLAGS = (
    *("servo_on", "alarm", "homed", "at_rest"),
    *("home_switch", "negative_limit", "positive_limit"),
)


def status(time: float, position: float, axes: int = 2) -> Status:
    numbers = np.full(axes, position)
    flags = np.zeros(axes, dtype=bool)
    return Status(
        time=time,
        names=("a", "b"),
        units=("rad", "m"),
        command=numbers,
        position=numbers,
        velocity=numbers,
        command_velocity=numbers,
        torque=numbers,
        **dict.fromkeys(FLAGS, flags),
    )


def test_the_history_keeps_the_last_of_what_it_has_room_for() -> None:
    history = History(2, length=1.0)
    assert history.last(0, 10.0)[0].size == 0
    for i in range(250):
        history.add(status(i * 0.01, float(i)))
    times, values = history.last(1, 10.0)
    assert len(times) == 100
    assert values[1].tolist() == list(range(150, 250))
    assert len(history.last(1, 0.505)[0]) == 51
    assert history.last(1, 0.025, until=2.0)[1][1].tolist() == [198, 199, 200]
    assert len(history.last(1, 10.0, until=0.5)[0]) == 0
    history.add(status(0.0, 7.0))  # the engine was started anew
    assert history.last(0, 10.0)[1][0].tolist() == [7.0]


def test_the_history_keeps_every_digit_of_an_axis_that_has_turned_far() -> None:
    history = History(1)
    command, position = 36_000.0012, 36_000.0
    history.add(replace(status(0.0, position, axes=1), command=np.array([command])))
    _, values = history.select([(0, 0), (1, 0)], 1.0)
    assert values.tolist() == [[command], [position]]


@pytest.mark.parametrize("rate", [1, 99, 100, 101, 150, 1000])
@pytest.mark.parametrize("jitter", [0.0, 0.3])
def test_the_history_is_as_long_whatever_the_rate_of_the_statuses_is(
    rate: int, jitter: float
) -> None:
    history, most = History(2, length=2.0), int(RATE)
    shifts = np.random.default_rng(0).uniform(-jitter, jitter, 6 * rate)
    for time in (np.arange(6 * rate) + shifts) / rate:
        history.add(status(float(time), 0.5))
    times, _ = history.last(0, LENGTH)
    wanted = min(rate, most)
    assert len(times) == min(6 * wanted, 2 * most)
    assert len(history.last(0, 1.0)[0]) == pytest.approx(wanted, rel=0.02, abs=1)
    history.add(status(0.0, 7.0))  # the engine was started anew
    assert history.last(0, LENGTH)[0].tolist() == [0.0]


def test_numbers_that_are_none_come_as_texts_which_a_browser_can_read() -> None:
    history = History(2)
    for i, number in enumerate([0.5, nan, -inf]):
        history.add(replace(status(i * 0.01, 0.25), torque=np.array([number, number])))
    asked = HistoryRequest.read({"axis": "1", "seconds": "10"}, 2)
    answer = json.loads(json.dumps(asked.answer(history), allow_nan=False))
    assert answer["torque"] == [0.5, "NaN", "-Infinity"]
    assert answer["position"] == [0.25] * 3
    assert (answer["end"], answer["time"]) == (0.02, [-0.02, -0.01, 0.0])


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=300), st.integers(10, 100))
def test_thinning_loses_no_peak(numbers: list[float], points: int) -> None:
    values = np.array([numbers])
    times = np.arange(len(numbers)) * 0.01
    fewer, kept = thinned(times, values, points)
    assert fewer.shape == kept[0].shape
    assert len(fewer) <= points + 2
    assert (np.diff(fewer) > 0.0).all()
    dropped = len(numbers) % (-(-len(numbers) // (points // 2)))
    if len(fewer) == len(numbers):
        dropped = 0
    assert kept.max() == values[0, dropped:].max()
    assert kept.min() == values[0, dropped:].min()


def test_what_is_asked() -> None:
    asked = HistoryRequest.read({"axis": "1", "seconds": "10"}, 2)
    assert asked == HistoryRequest(axis=1, seconds=10.0, until=inf, points=600)
    far = HistoryRequest.read({"axis": "0", "seconds": "1e9", "points": "1e9", "until": "3.5"}, 2)
    assert far == HistoryRequest(axis=0, seconds=LENGTH, until=3.5, points=MOST_POINTS)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({"axis": "9999", "seconds": "1"}, "axis is 9999: the machine has 2 axes"),
        ({"axis": "-1", "seconds": "1"}, "axis is -1"),
        ({"axis": "0.5", "seconds": "1"}, r"axis is 0\.5"),
        ({"axis": "nan", "seconds": "1"}, "axis is 'nan': must be a finite number"),
        ({"axis": "x", "seconds": "1"}, "axis is 'x'"),
        ({"seconds": "1"}, "axis is None"),
        ({"axis": "0"}, "seconds is None"),
        ({"axis": "0", "seconds": "inf"}, "seconds is 'inf'"),
        ({"axis": "0", "seconds": "1", "until": "nan"}, "until is 'nan'"),
        ({"axis": "0", "seconds": "1", "points": ""}, "points is ''"),
    ],
)
def test_what_cannot_be_asked(query: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        HistoryRequest.read(query, 2)
