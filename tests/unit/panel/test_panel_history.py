"""What browsers ask of the history, right or wrong."""

from math import inf

import pytest

from wmx_ros2_package.panel.history import LENGTH, MOST_POINTS, HistoryRequest


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
