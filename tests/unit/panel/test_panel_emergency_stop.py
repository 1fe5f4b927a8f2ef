"""What it takes to release an emergency stop."""

import re

import pytest
from hand_clock import Clock

from wmx_ros2_package.panel.safety import emergency_stop
from wmx_ros2_package.panel.safety.emergency_stop import (
    DEAD,
    HOLD_GAP,
    INTERRUPTED,
    PRESS_LATENCY,
    RELEASE_DELAY,
    RELEASE_HOLD,
    EmergencyStopRecord,
    StoppedSince,
)
from wmx_ros2_package.panel.stops import STOP_TIMEOUT

PERIOD = 0.1


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    time = Clock()
    monkeypatch.setattr(emergency_stop, "monotonic", time)
    return time


@pytest.fixture
def record(time: Clock) -> EmergencyStopRecord:
    """It was pressed, and has been active for long enough."""
    record = EmergencyStopRecord()
    record.press("Ann (127.0.0.1)")
    record.publish(True)
    time.now += RELEASE_DELAY
    return record


def hold(record: EmergencyStopRecord, time: Clock, press: str, duration: float) -> int:
    """Hold the button for so long; how often that releases the stop."""
    releases = 0
    for _ in range(round(duration / PERIOD) + 1):
        releases += record.hold(press)
        time.now += PERIOD
    return releases


def test_how_long_it_is_dead_and_held() -> None:
    assert (RELEASE_DELAY, RELEASE_HOLD) == (2.0, 1.0)


def test_it_is_released_once_by_a_button_that_is_held(
    record: EmergencyStopRecord, time: Clock
) -> None:
    assert record.releasable
    assert hold(record, time, "1", RELEASE_HOLD - PERIOD) == 0
    record.hold("")
    assert hold(record, time, "2", 5.0) == 1, "the short press before does not count"


def test_clicks_never_release_it(record: EmergencyStopRecord, time: Clock) -> None:
    for click in range(50):
        assert not record.hold(str(click))
        time.now += PERIOD
        assert not record.hold("")


@pytest.mark.parametrize("again", ["pressed", "by another one", "during the stop"])
def test_it_is_dead_after_each_stop(record: EmergencyStopRecord, time: Clock, again: str) -> None:
    record.count(3)
    if again == "pressed":
        record.press("Bob (127.0.0.1)")
    elif again == "during the stop":
        assert record.releasable, "the first count says nothing"
        record.count(4)
        stops = record.stops
        record.count(4)  # as each second
        assert record.stops == stops
    else:
        record.publish(False)
        record.publish(True)
    assert not record.releasable
    time.now += RELEASE_DELAY - PERIOD
    assert hold(record, time, "1", 10.0) == 0, "a press that begins too early never counts"
    assert record.complaint == DEAD
    record.hold("")
    assert record.complaint == ""
    assert hold(record, time, "2", RELEASE_HOLD + PERIOD) == 1


@pytest.mark.parametrize("counted", [False, True])
def test_a_stop_while_the_button_is_held(
    record: EmergencyStopRecord, time: Clock, counted: bool
) -> None:
    record.count(3)
    assert hold(record, time, "1", 0.5) == 0
    if counted:
        record.count(4)
    else:
        record.press("Bob (127.0.0.1)")
    assert hold(record, time, "1", 10.0) == 0
    assert record.complaint == DEAD


def test_a_stop_after_the_button_was_held(record: EmergencyStopRecord, time: Clock) -> None:
    stops = record.stops
    assert hold(record, time, "1", RELEASE_HOLD + PERIOD) == 1
    record.require_unchanged(stops)
    record.press("Bob (127.0.0.1)")
    with pytest.raises(StoppedSince):
        record.require_unchanged(stops)


def test_a_browser_that_is_not_heard_of_has_let_go(
    record: EmergencyStopRecord, time: Clock
) -> None:
    assert hold(record, time, "1", 0.5) == 0
    time.now += HOLD_GAP
    assert hold(record, time, "1", 10.0) == 0
    assert record.complaint == INTERRUPTED
    record.hold("")
    assert hold(record, time, "2", RELEASE_HOLD + PERIOD) == 1
    time.now += HOLD_GAP + PERIOD
    record.hold("2")
    assert record.complaint == "", "it has released what it was to release"


def test_who_stopped_it_and_since_when(time: Clock) -> None:
    record = EmergencyStopRecord()
    assert record.words == ""
    record.press("Ann (127.0.0.1)")
    assert record.words == "", "it may not be carried out"
    record.publish(True)
    first = record.words
    assert re.fullmatch(r"by Ann \(127\.0\.0\.1\), since \d\d:\d\d:\d\d", first)
    record.press("Bob (127.0.0.1)")
    assert record.words == first, "the first one"
    record.publish(False)
    assert record.words == ""
    time.now += RELEASE_DELAY
    record.publish(True)
    another = r"by another program, or a page of another panel, since \d\d:\d\d:\d\d"
    assert re.fullmatch(another, record.words)


def test_a_stop_from_before_the_panel_was_started_is_not_dated() -> None:
    record = EmergencyStopRecord()
    record.publish(True)
    assert record.words == "since before this panel was started"
    record.press("Ann (127.0.0.1)")
    assert record.words == "since before this panel was started", "it was stopped already"


def test_a_stop_is_its_page_s_while_a_panel_that_was_started_looks_for_the_system(
    time: Clock,
) -> None:
    record = EmergencyStopRecord()
    record.press("Ann (127.0.0.1)")
    time.now += STOP_TIMEOUT + 1.0
    record.publish(True)
    assert record.words.startswith("by Ann (127.0.0.1), since ")
    record.publish(False)
    time.now += PRESS_LATENCY
    record.press("Bob (127.0.0.1)")
    time.now += PRESS_LATENCY + 0.1
    record.publish(True)
    assert record.words.startswith("by another program"), "that of Bob has not been carried out"
