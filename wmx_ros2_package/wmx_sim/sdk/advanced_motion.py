"""AdvancedMotion: tables of points in time, splines, paths, and electronic cams."""

from collections.abc import Sequence
from typing import Any

from wmx_ros2_package.drivers.errors import UNNUMBERED, CommandRefused
from wmx_ros2_package.drivers.values import OperationState

from . import cams, lookahead, paths, rotation, splines, tables
from .not_simulated import NotSimulated
from .parts import Part, command
from .runtime import Runtime
from .sdk_commands import axes_of

MAX_DIMENSIONS = 8
"""Axes of a spline."""


class AdvMotion(tables.Tables, lookahead.LookaheadPaths, rotation.RotationPaths):
    """AdvancedMotion.advMotion."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._buffers: dict[int, int] = {}
        """How many points the buffer of each spline channel holds."""

    # Splines

    def CreateSplineBuffer(self, channel: int, points: int) -> int:
        if channel in self._buffers:
            raise CommandRefused(UNNUMBERED, "", "ChannelBufferMemoryAlreadyAllocated")
        self._buffers[channel] = points
        return 0

    def FreeSplineBuffer(self, channel: int) -> int:
        self._buffers.pop(channel, None)
        return 0

    def GetSplineBufferPoints(self, channel: int) -> tuple[int, int]:
        return 0, self._buffers.get(channel, 0)

    def StartCSplinePos_PointTime(
        self, channel: int, command: Any, count: int, points: Any, times: Any
    ) -> int:
        self._require_room(channel, command, count)
        return self._timed(command, points[:count], times[:count], relative=False)

    def StartCSplineMov_PointTime(
        self, channel: int, command: Any, count: int, points: Any, times: Any
    ) -> int:
        self._require_room(channel, command, count)
        return self._timed(command, points[:count], times[:count], relative=True)

    def StartCSplinePos_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._in_total_time(command, points[:count], relative=False)

    def StartCSplineMov_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._in_total_time(command, points[:count], relative=True)

    def StartCSplinePos_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._with_profile(command, points[:count], relative=False)

    def StartCSplineMov_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_room(channel, command, count)
        return self._with_profile(command, points[:count], relative=True)

    def _require_room(self, channel: int, command: Any, count: int) -> None:
        """Refuse a spline of too many axes, or for which its channel has no memory."""
        if command.dimensionCount > MAX_DIMENSIONS:
            raise CommandRefused(UNNUMBERED, "", "DimensionOutOfRange")
        if channel not in self._buffers:
            raise CommandRefused(UNNUMBERED, "", "ChannelBufferMemoryNotAllocated")
        if self._buffers[channel] < count + 1:  # the engine adds the present point
            raise CommandRefused(UNNUMBERED, "", "ChannelNotEnoughSpace")

    def _places(self, axes: Sequence[int]) -> tuple[float, ...]:
        return tuple(self.runtime.position(axis) for axis in axes)

    @command
    def _timed(self, spline: Any, points: list[Any], times: Any, *, relative: bool) -> None:
        axes, milliseconds = axes_of(spline, spline.dimensionCount), [float(time) for time in times]
        move = splines.timed(axes, self._places(axes), points, milliseconds, relative=relative)
        self.runtime.motion.move_spline(move)
        self.runtime.commanded(axes)

    @command
    def _in_total_time(self, spline: Any, points: list[Any], *, relative: bool) -> None:
        axes, seconds = axes_of(spline, spline.dimensionCount), spline.totalTimeMilliseconds / 1000
        through = splines.points_of(self._places(axes), points, relative=relative)
        self.runtime.motion.move_spline(splines.in_total_time(axes, through, seconds))

    @command
    def _with_profile(self, spline: Any, points: list[Any], *, relative: bool) -> None:
        axes = axes_of(spline, spline.dimensionCount)
        through = splines.points_of(self._places(axes), points, relative=relative)
        profiles = splines.with_profile(through, spline.profile)
        self.runtime.local.follow(axes, profiles, OperationState.INTPL)

    # Paths

    def StartPathIntplPos(self, path: Any) -> int:
        """Go along lines and arcs."""
        return self._path(path, relative=False)

    def StartPathIntplMov(self, path: Any) -> int:
        """Go along lines and arcs, whose places count from where the path begins."""
        return self._path(path, relative=True)

    def CreatePathIntplBuffer(self, _axis: int, _points: int) -> int:
        return 0

    def FreePathIntplBuffer(self, _axis: int) -> int:
        return 0

    @command
    def _path(self, path: Any, *, relative: bool) -> None:
        x, y = axes_of(path, 2)
        place = self.runtime.position(x), self.runtime.position(y)
        self.runtime.follow_path((x, y), paths.path_profiles(path, place, relative=relative))


class AdvancedMotion(Part):
    """Tables, splines, paths and cams."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.advMotion = AdvMotion(runtime, missing)
        self.advSync = cams.AdvSync(runtime, missing)
