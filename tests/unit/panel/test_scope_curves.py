"""Curves of any quantities of any axes: what is asked for, and what is answered."""

import csv
import io
import json
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from test_panel_history import status

from wmx_ros2_package.panel.history import LENGTH, MOST_POINTS, History, as_csv
from wmx_ros2_package.panel.scope import (
    MOST_CHANNELS,
    QUANTITIES_SHOWN,
    Channel,
    ScopeRequest,
    read_channels,
    unit_of,
)


def test_channels_are_read_in_the_order_in_which_they_are_named() -> None:
    assert read_channels("1:torque,0:following_error", 2) == [
        Channel(1, "torque"),
        Channel(0, "following_error"),
    ]
    assert Channel(1, "torque").key == "1:torque"
    assert [unit_of(each, "m") for each in QUANTITIES_SHOWN] == ["m", "m", "m/s", "%", "m"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' is no channel: it must be an axis from 0 to 1, and one of command, position"),
        ("2:torque", "'2:torque' is no channel"),
        ("-1:torque", "is no channel"),
        ("²:torque", "is no channel"),
        ("0:nonsense", "is no channel"),
        ("0:torque,", "'' is no channel"),
        ("0:torque,0:torque", "at most 8 channels, each once"),
        (
            ",".join(f"{axis}:{each}" for axis in (0, 1) for each in QUANTITIES_SHOWN),
            f"at most {MOST_CHANNELS} channels",
        ),
        ("9" * 10_000, "'9999999999999999999999999999999999999999' is no channel"),
    ],
)
def test_what_is_no_channel(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why.replace("(", r"\(")):
        read_channels(text, 2)


def test_what_is_asked() -> None:
    asked = ScopeRequest.read({"channels": "1:torque", "seconds": "10"}, 2)
    channels = [Channel(1, "torque")]
    assert asked == ScopeRequest(channels=channels, seconds=10.0, until=inf, points=600)
    far = {"channels": "0:position", "seconds": "1e9", "points": "1e9", "until": "3.5"}
    asked = ScopeRequest.read(far, 2)
    assert (asked.seconds, asked.until, asked.points) == (LENGTH, 3.5, MOST_POINTS)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({"seconds": "1", "channels": ""}, "'' is no channel"),
        ({}, "seconds is None: must be a finite number"),
        ({"seconds": "x"}, "seconds is 'x'"),
        ({"seconds": "inf"}, "seconds is 'inf'"),
        ({"seconds": "1", "until": "nan"}, "until is 'nan'"),
        ({"seconds": "1", "points": ""}, "points is ''"),
    ],
)
def test_what_cannot_be_asked(query: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ScopeRequest.read({"channels": "0:position", **query}, 2)


def test_samples_are_those_of_the_channels() -> None:
    history = History(2)
    asked = ScopeRequest.read(
        {"channels": "1:position,0:following_error,1:torque,1:following_error", "seconds": "10"}, 2
    )
    assert asked.samples(history)[1].shape == (4, 0)
    for i in range(5):
        moved = replace(
            status(i * 0.01, float(i)),
            position=np.array([float(i), 10.0 * i]),
            command=np.array([i + 0.5, 10.0 * i - 0.25]),
            torque=np.array([1.0, 2.0]),
        )
        history.add(moved)
    times, values = asked.samples(history)
    assert times.tolist() == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04])
    assert values.tolist() == [
        [0.0, 10.0, 20.0, 30.0, 40.0],
        [0.5] * 5,
        [2.0] * 5,
        [-0.25] * 5,
    ]
    earlier = ScopeRequest.read(
        {"channels": "1:position", "seconds": "10", "until": "0.025"}, 2
    ).samples(history)
    assert earlier[1].tolist() == [[0.0, 10.0, 20.0]]


def test_numbers_that_are_none_come_as_texts_which_a_browser_can_read() -> None:
    history = History(2)
    asked = ScopeRequest.read({"channels": "1:torque,0:following_error", "seconds": "10"}, 2)
    assert asked.answer(history) == {"end": 0.0, "time": [], "rows": [[], []]}
    for i, number in enumerate([0.5, nan, inf]):
        moved = replace(status(i * 0.01, 1.0), torque=np.full(2, number), command=np.full(2, 3.0))
        history.add(moved)
    answer = json.loads(json.dumps(asked.answer(history), allow_nan=False))
    assert answer["rows"] == [[0.5, "NaN", "Infinity"], [2.0] * 3]
    assert (answer["end"], answer["time"]) == (0.02, [-0.02, -0.01, 0.0])


def test_a_file_has_all_samples() -> None:
    text = as_csv(np.array([0.5]), np.array([[1.0], [-2.0]]), ["joint1 position (rad)", "b"])
    assert [*csv.reader(io.StringIO(text))] == [
        ["time_s", "joint1 position (rad)", "b"],
        ["0.500", "1.000000", "-2.000000"],
    ]
