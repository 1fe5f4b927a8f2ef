"""AdvancedMotion: tables of points in time, splines, paths, and electronic cams."""

from collections.abc import Sequence
from typing import Any

from wmx_ros2_package.drivers.errors import UNNUMBERED, CommandRefused
from wmx_ros2_package.drivers.values import OperationState

from . import cams, lookahead, paths, rotation, splines, tables
from .not_simulated import NotSimulated
from .parts import Part
from .runtime import Runtime

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
        given = self._given(channel, command, points, count)
        return self._timed(command, given, times[:count], relative=False)

    def StartCSplineMov_PointTime(
        self, channel: int, command: Any, count: int, points: Any, times: Any
    ) -> int:
        given = self._given(channel, command, points, count)
        return self._timed(command, given, times[:count], relative=True)

    def StartCSplinePos_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        given = self._given(channel, command, points, count)
        return self._in_total_time(command, given, relative=False)

    def StartCSplineMov_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        given = self._given(channel, command, points, count)
        return self._in_total_time(command, given, relative=True)

    def StartCSplinePos_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        given = self._given(channel, command, points, count)
        return self._with_profile(command, given, relative=False)

    def StartCSplineMov_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        given = self._given(channel, command, points, count)
        return self._with_profile(command, given, relative=True)

    def _given(self, channel: int, command: Any, points: Any, count: int) -> list[Any]:
        """Return `count` points as they are now.

        Refused for a spline of too many axes, or for which its channel has no memory.
        """
        if command.dimensionCount > MAX_DIMENSIONS:
            raise CommandRefused(UNNUMBERED, "", "DimensionOutOfRange")
        if channel not in self._buffers:
            raise CommandRefused(UNNUMBERED, "", "ChannelBufferMemoryNotAllocated")
        if self._buffers[channel] < count + 1:  # the engine adds the present point
            raise CommandRefused(UNNUMBERED, "", "ChannelNotEnoughSpace")
        return [point.copy() for point in points[:count]]

    def _places(self, axes: Sequence[int]) -> tuple[float, ...]:
        return tuple(self.runtime.position(axis) for axis in axes)

    def _timed(self, command: Any, points: list[Any], times: Any, *, relative: bool) -> int:
        axes, milliseconds = splines.axes_of(command), [float(time) for time in times]

        def start() -> None:
            places = self._places(axes)
            move = splines.timed(axes, places, points, milliseconds, relative=relative)
            self.runtime.motion.move_spline(move)
            self.runtime.commanded(axes)

        return self.runtime.command(start)

    def _in_total_time(self, command: Any, points: list[Any], *, relative: bool) -> int:
        axes, seconds = splines.axes_of(command), float(command.totalTimeMilliseconds) / 1000.0

        def start() -> None:
            through = splines.points_of(self._places(axes), points, relative=relative)
            self.runtime.motion.move_spline(splines.in_total_time(axes, through, seconds))

        return self.runtime.command(start)

    def _with_profile(self, command: Any, points: list[Any], *, relative: bool) -> int:
        axes, profile = splines.axes_of(command), command.profile.copy()

        def start() -> None:
            through = splines.points_of(self._places(axes), points, relative=relative)
            profiles = splines.with_profile(through, profile)
            self.runtime.local.follow(axes, profiles, OperationState.INTPL)

        return self.runtime.command(start)

    # Paths

    def StartPathIntplPos(self, command: Any) -> int:
        """Go along lines and arcs."""
        return self._path(command, relative=False)

    def StartPathIntplMov(self, command: Any) -> int:
        """Go along lines and arcs, whose places count from where the path begins."""
        return self._path(command, relative=True)

    def CreatePathIntplBuffer(self, _axis: int, _points: int) -> int:
        return 0

    def FreePathIntplBuffer(self, _axis: int) -> int:
        return 0

    def _path(self, command: Any, *, relative: bool) -> int:
        command = command.copy()
        axes = [int(command.element("Axis", i)) for i in range(2)]

        def start() -> None:
            place = self.runtime.position(axes[0]), self.runtime.position(axes[1])
            profiles = paths.path_profiles(command, place, relative=relative)
            self.runtime.local.follow(axes, profiles, OperationState.INTPL)
            self.runtime.paths |= dict.fromkeys(axes, tuple(axes))

        return self.runtime.command(start)


class AdvancedMotion(Part):
    """Tables, splines, paths and cams."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.advMotion = AdvMotion(runtime, missing)
        self.advSync = cams.AdvSync(runtime, missing)
