"""Channels of path interpolation: each is configured, given points, and started."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wmx_core.errors import ErrorCode

from .runtime import Runtime


@dataclass
class Channel:
    """What one channel has to do."""

    configuration: Any = None
    points: list[Any] = field(default_factory=list)
    axes: tuple[int, ...] = ()
    """Those that it has moved."""


class Channels(defaultdict[int, Channel]):
    """Those of one engine, for one kind of paths."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(Channel)
        self._runtime = runtime

    def start(self, number: int, begin: Callable[[Channel], None]) -> int:
        """Let the axes go along the path of a channel, which `begin` starts."""
        channel = self[number]
        if channel.configuration is None:
            return int(ErrorCode.ArgumentOutOfRange)
        return self._runtime.command(lambda: begin(channel))

    def executes(self, number: int) -> bool:
        """Return whether axes are still on their way."""
        return not self._runtime.idle(*self[number].axes)
