"""Channels of path interpolation: each is configured, given points, and started."""

from dataclasses import dataclass, field
from typing import Any

from wmx_ros2_package.drivers.errors import ErrorCode

from .not_simulated import NotSimulated
from .runtime import Runtime


@dataclass
class Channel:
    """What one channel has to do."""

    configuration: Any = None
    points: list[Any] = field(default_factory=list)
    axes: tuple[int, ...] = ()
    """Those that it has moved."""


class Channels:
    """Those of one engine, for one kind of paths, which `_begin` lets the axes go along."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        self._runtime = runtime
        self._missing = missing
        self._channels: dict[int, Channel] = {}

    def free(self, number: int) -> int:
        """Forget a channel."""
        self._channels.pop(number, None)
        return 0

    def clear(self, number: int) -> int:
        """Forget its path."""
        self._channel(number).points.clear()
        return 0

    def _channel(self, number: int) -> Channel:
        return self._channels.setdefault(number, Channel())

    def _start(self, number: int) -> int:
        """Let the axes go along the path of a channel."""
        channel = self._channel(number)
        if channel.configuration is None:
            return int(ErrorCode.ArgumentOutOfRange)
        return self._runtime.command(lambda: self._begin(channel))

    def _executes(self, number: int) -> bool:
        """Return whether axes are still on their way."""
        return not all(self._runtime.idle(axis) for axis in self._channel(number).axes)

    def _begin(self, channel: Channel) -> None:
        raise NotImplementedError
