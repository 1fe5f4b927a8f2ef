"""The history: what it keeps, and how it is thinned."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.client import Status
from wmx_ros2_package.panel.history import LENGTH, QUANTITIES, RATE, History, thinned

POSITION = QUANTITIES.index("position")
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
    position = [(POSITION, 1)]
    assert history.select(position, 10.0)[0].size == 0
    for i in range(250):
        history.add(status(i * 0.01, float(i)))
    times, values = history.select(position, 10.0)
    assert len(times) == 100
    assert values.tolist() == [list(range(150, 250))]
    assert len(history.select(position, 0.505)[0]) == 51
    assert history.select(position, 0.025, until=2.0)[1].tolist() == [[198, 199, 200]]
    assert len(history.select(position, 10.0, until=0.5)[0]) == 0
    history.add(status(0.0, 7.0))  # the engine was started anew
    assert history.select(position, 10.0)[1].tolist() == [[7.0]]


def test_the_history_keeps_every_digit_of_an_axis_that_has_turned_far() -> None:
    history = History(1)
    command, position = 36_000.0012, 36_000.0
    history.add(replace(status(0.0, position, axes=1), command=np.array([command])))
    _, values = history.select([(QUANTITIES.index("command"), 0), (POSITION, 0)], 1.0)
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
    times, _ = history.select([], LENGTH)
    wanted = min(rate, most)
    assert len(times) == min(6 * wanted, 2 * most)
    assert len(history.select([], 1.0)[0]) == pytest.approx(wanted, rel=0.02, abs=1)
    history.add(status(0.0, 7.0))  # the engine was started anew
    assert history.select([], LENGTH)[0].tolist() == [0.0]


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
