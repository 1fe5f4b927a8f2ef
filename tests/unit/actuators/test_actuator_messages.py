"""Times of actuators as messages, also those that a message cannot tell."""

from math import inf, nan

import pytest

from wmx_ros2_package.messages.times import LATEST, duration_message, seconds, time_message


@pytest.mark.parametrize("nanoseconds", [0, 1, 1_795_293_311_438_479_195, LATEST * 10**9 + 10**9])
def test_a_time_is_told_until_2038(nanoseconds: int) -> None:
    message = time_message(nanoseconds)
    assert message.sec * 10**9 + message.nanosec == min(nanoseconds, LATEST * 10**9)


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (1.25, 1.25),
        (0.0, 0.0),
        (1e-10, 1e-9),  # zero would be no duration, without end
        (-1.0, 0.0),
        (nan, 0.0),
        (1e12, LATEST),
        (inf, LATEST),
        (LATEST - 1e-12, LATEST),
    ],
)
def test_a_span_is_told_as_far_as_it_goes(span: float, told: float) -> None:
    assert seconds(duration_message(span)) == pytest.approx(told)
