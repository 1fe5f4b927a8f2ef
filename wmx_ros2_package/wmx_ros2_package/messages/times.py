"""Times and durations <-> ROS messages."""

from collections.abc import Callable
from math import isnan

from builtin_interfaces.msg import Duration, Time

NANOSECONDS = 1_000_000_000
LATEST = 2**31 - 1
"""The last second that a message can hold, in the year 2038; later times become that."""

RosTime = Callable[[float], int]
"""ROS time (ns) of a time of the steady clock (s)."""


def seconds(message: Duration | Time) -> float:
    """A duration, or a time since the epoch, s."""
    whole, rest = float(message.sec), float(message.nanosec)
    return whole + rest / NANOSECONDS


def time_message(nanoseconds: int) -> Time:
    """A time since the epoch, the latest that a message can hold at most."""
    whole, rest = divmod(nanoseconds, NANOSECONDS)
    return Time(sec=LATEST, nanosec=0) if whole > LATEST else Time(sec=whole, nanosec=rest)


def duration_message(span: float) -> Duration:
    """A span of `span` seconds, the longest that there is at most; zero where it is not known.

    In a command zero is no duration at all, so the shortest span above 0 is a nanosecond.
    """
    if span >= LATEST:
        return Duration(sec=LATEST)
    if isnan(span) or span <= 0.0:
        return Duration()
    whole, rest = divmod(max(1, round(span * NANOSECONDS)), NANOSECONDS)
    return Duration(sec=whole, nanosec=rest)
