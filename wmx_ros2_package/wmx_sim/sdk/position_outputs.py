"""Position synchronous output (PSO): bits that follow the command of an axis.

A bit shows a cycle later what the command did: while it is less (or more) than a value, or, for
one cycle, that it came to or passed one, in either direction or in one.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from wmx_core.errors import ErrorCode

from .enums import ENUMS
from .not_simulated import NotSimulated
from .parts import Part
from .runtime import Runtime
from .structs import struct

_KINDS = ENUMS["EventControl_ComparisonType"]
EventControl_PSOStatus = struct("EventControl_PSOStatus", enabled=0)
struct("EventControl_PSOOption")
struct("EventControl_PSOOutput", outputType=0, byteAddress=0, bitAddress=0, invert=0)
struct("EventControl_ComparatorSource", sourceType=0, axis=0)
ROUNDING = 1e-9
"""u."""
MOST_POINTS = 100_000


def _up(before: float, now: float, at: float) -> bool:
    return before < at - ROUNDING <= now


def _down(before: float, now: float, at: float) -> bool:
    return now <= at + ROUNDING < before


_COMPARISONS: dict[int, Callable[[float, float, float], bool]] = {
    _KINDS.Disable: lambda before, now, at: False,
    _KINDS.Equal: lambda before, now, at: _up(before, now, at) or _down(before, now, at),
    _KINDS.PositiveDirection: _up,
    _KINDS.NegativeDirection: _down,
    _KINDS.MoreThan: lambda before, now, at: now > at,
    _KINDS.LessThan: lambda before, now, at: now < at,
}


@dataclass
class Channel:
    """What one channel compares, and what it sets."""

    comparison: int = _KINDS.Disable
    axis: int = 0
    output: Any = None
    """None before it is configured."""
    points: tuple[float, ...] = ()
    enabled: bool = False
    before: float = 0.0
    pending: bool = False


class PositionOutputs(Part):
    """The channels of one engine."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._channels: defaultdict[int, Channel] = defaultdict(Channel)

    def SetPSOConfig(
        self, channel: int, comparison: int, source: Any, output: Any, _minimum: Any
    ) -> int:
        """Say what a channel compares, and what it sets."""
        if comparison not in _COMPARISONS:
            return int(ErrorCode.ArgumentOutOfRange)
        made = self._channels[channel]
        made.comparison, made.axis, made.output = comparison, int(source.axis), output.copy()
        return 0

    def SetPSOSingleData(self, channel: int, point: float) -> int:
        return self._set_points(channel, [point])

    def SetPSOMultipleData(self, channel: int, count: int, points: Any) -> int:
        return self._set_points(channel, [points[i] for i in range(count)])

    def SetPSOIntervalData(self, channel: int, start: float, end: float, interval: float) -> int:
        steps = int((end - start) / interval + 1e-9) if interval else 0
        return self._set_points(channel, [start + interval * n for n in range(steps + 1)])

    def _set_points(self, number: int, points: Sequence[float]) -> int:
        """Say with which positions a channel compares."""
        channel = self._channels[number]
        if channel.output is None or channel.enabled or len(points) > MOST_POINTS:
            return int(ErrorCode.ArgumentOutOfRange)
        channel.points = tuple(float(point) for point in points)
        return 0

    def StartPSO(self, channel: int) -> int:
        """Compare from the next cycle on."""
        made = self._channels[channel]
        if made.output is None or made.enabled:
            return int(ErrorCode.ArgumentOutOfRange)
        self.runtime.watch(self._compare)
        self.runtime.step()
        made.enabled, made.before = True, self.runtime.position(made.axis)
        return 0

    def StopPSO(self, channel: int) -> int:
        """Compare no more; the bit stays as it is."""
        self._channels[channel].enabled = False
        return 0

    def GetPSOStatus(self, channel: int) -> tuple[int, Any]:
        made = EventControl_PSOStatus()
        made.enabled = int(self._channels[channel].enabled)
        return 0, made

    def GetPSODataCount(self, channel: int) -> tuple[int, int]:
        return 0, len(self._channels[channel].points)

    def _set(self, to: Any, on: bool) -> None:
        value = on != bool(to.invert)
        self.runtime.io.set_output_bit(to.byteAddress, to.bitAddress, value=value)

    def _compare(self) -> None:
        for channel in self._channels.values():
            if not channel.enabled:
                continue
            self.runtime.command_now(partial(self._set, channel.output, channel.pending))
            now = self.runtime.position(channel.axis)
            compare = _COMPARISONS[channel.comparison]
            channel.pending = any(compare(channel.before, now, at) for at in channel.points)
            channel.before = now
