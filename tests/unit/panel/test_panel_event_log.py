"""What has happened: which rows are wanted, and how they are exported."""

import csv
import io
import time
from collections.abc import Iterator
from datetime import datetime
from math import inf

import pytest

from wmx_ros2_package.panel.event_log import EventFilter, EventRow, as_csv, read_time

ROWS = [
    EventRow(at=10.0, kind="begin", text="position to 1", axes="joint1", source="/node"),
    EventRow(at=30.0, kind="end", text="ARRIVED", axes="joint1", source="/node"),
    EventRow(at=20.0, kind="order", text="move axis 0: done", axes="", source="Ann (10.0.0.1)"),
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (EventFilter(), [1, 2, 0]),
        (EventFilter(kinds=["order", "end"]), [1, 2]),
        (EventFilter(words="JOINT1 arrived"), [1]),
        (EventFilter(words="ann"), [2]),
        (EventFilter(since=15.0), [1, 2]),
        (EventFilter(since=10.0, until=20.0), [2, 0]),
        (EventFilter(words="no such word"), []),
        (EventFilter(words=datetime.fromtimestamp(10.0).strftime("%Y-%m-%d")), [1, 2, 0]),
    ],
)
def test_which_rows_are_wanted(wanted: EventFilter, found: list[int]) -> None:
    assert [ROWS.index(row) for row in wanted.choose(ROWS)] == found


def test_times_are_typed_with_or_without_a_date() -> None:
    at = datetime(2026, 11, 26, 18, 5)
    assert read_time("2026-11-26 18:05") == at.timestamp()
    assert read_time("2026-11-26 18:05", end=True) == at.timestamp() + 60.0
    assert read_time("2026-11-26 18:05:00", end=True) == at.timestamp() + 1.0
    assert read_time("2026-11-26", end=True) == datetime(2026, 11, 27).timestamp()
    today = datetime.now().replace(hour=18, minute=5, second=0, microsecond=0)
    assert read_time(" 18:05 ") in (today.timestamp(), today.timestamp() + 86400.0)
    assert read_time("") == read_time(None) == -inf
    assert read_time("", end=True) == inf
    for last in "9999-12-31", "9999-12-31 23:59", "9999-12-31 23:59:59":
        assert read_time(last, end=True) == inf, "the calendar goes no further"


@pytest.fixture
def summer_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """It begins on the last Sunday of March, and ends on that of October."""
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("summer_time")
def test_a_day_ends_with_its_last_hour_whether_it_has_23_or_25() -> None:
    assert read_time("2026-03-29", end=True) == datetime(2026, 3, 30).timestamp()
    assert read_time("2026-10-25", end=True) == datetime(2026, 10, 26).timestamp()


@pytest.mark.parametrize("text", ["25:00", "yesterday", "2026-13-01", "18", "2026-11-26T18:05"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="is no time: write it such as 2026-11-26 18:00"):
        read_time(text)


def test_a_file_has_every_row_with_its_date_and_no_formula() -> None:
    evil = EventRow(at=0.5, kind="order", text='=cmd|"x", y', axes="", source="@Eve")
    head, *rows = csv.reader(io.StringIO(as_csv([*ROWS, evil])))
    assert head == ["date", "at", "kind", "text", "axes", "source"]
    assert len(rows) == 4
    assert rows[0][0] == datetime.fromtimestamp(10.0).strftime("%Y-%m-%d %H:%M:%S.000")
    assert rows[0][1:] == ["10.000000", "begin", "position to 1", "joint1", "/node"]
    assert rows[3][1:] == ["0.500000", "order", '\'=cmd|"x", y', "", "'@Eve"]
