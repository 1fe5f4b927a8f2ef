"""AdvancedMotion: tables of points in time, splines, paths, and electronic cams."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from wmx_ros2_package.drivers.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import OperationState

from ..engine.motion.profile import Profile, Segment, hold
from . import splines
from .cams import CLASSES as CAM_CLASSES
from .cams import AdvSync
from .lookahead import CLASSES as LOOKAHEAD_CLASSES
from .lookahead import Lookahead
from .not_simulated import NotSimulated
from .parts import Part
from .paths import CLASSES as PATH_CLASSES
from .paths import path_profiles
from .rotation import CLASSES as ROTATION_CLASSES
from .rotation import Rotation
from .runtime import Runtime
from .structs import struct

MAX_DIMENSIONS = 8
"""Axes of a spline."""
_POINT = struct("Point", pos=0.0, velocity=0.0, timeMilliseconds=0.0)
_TABLE = struct("Table", {"Points": _POINT}, axis=0, pointCount=0)
CLASSES: dict[str, Any] = CAM_CLASSES | PATH_CLASSES | LOOKAHEAD_CLASSES | splines.CLASSES
CLASSES |= ROTATION_CLASSES
_TABLES = {"Axis": 0, "PointCount": 0, "Points": _POINT}
for _of in ("AdvMotion", "Motion"):  # releases of the SDK have them here or there
    CLASSES |= {f"{_of}_{kind}Command": _TABLE for kind in ("PVT", "PT", "VT")}
    CLASSES |= {f"{_of}_{kind}Point": _POINT for kind in ("PVT", "PT", "VT")}
    CLASSES[f"{_of}_PVTIntplCommand"] = struct("PVTIntplCommand", _TABLES, axisCount=0)


class AdvMotion(Part):
    """AdvancedMotion.advMotion."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._lookahead = Lookahead(runtime, missing)
        self._rotation = Rotation(runtime, missing)
        self._buffers: dict[int, int] = {}
        """How many points the buffer of each spline channel holds."""

    def StartPVT(self, table: Any, *_more: Any) -> int:
        """Return positions, velocities and times: cubics in between."""
        return self._start(table, _cubic)

    def StartPT(self, table: Any, *_more: Any) -> int:
        """Return positions and times: straight in between."""
        return self._start(table, _straight)

    def StartVT(self, table: Any, *_more: Any) -> int:
        """Velocities and until when."""
        return self._start(table, _steady)

    def StartPVT_Intpl(self, table: Any, *_more: Any) -> int:
        """Likewise for several axes at once."""
        table = table.copy()

        def start() -> None:
            axes = [int(table.element("Axis", i)) for i in range(table.axisCount)]
            counts = [int(table.element("PointCount", i)) for i in range(table.axisCount)]
            profiles = [
                through(
                    self.runtime.position(axis),
                    [table.element("Points", i, n).copy() for n in range(counts[i])],
                    _cubic,
                )
                for i, axis in enumerate(axes)
            ]
            self.runtime.local.follow(axes, profiles, OperationState.INTPL)

        return self.runtime.command(start)

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
        self._require_buffer(channel, command, count)
        return self._timed(command, points[:count], times[:count], relative=False)

    def StartCSplineMov_PointTime(
        self, channel: int, command: Any, count: int, points: Any, times: Any
    ) -> int:
        self._require_buffer(channel, command, count)
        return self._timed(command, points[:count], times[:count], relative=True)

    def StartCSplinePos_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_buffer(channel, command, count)
        return self._in_total_time(command, points[:count], relative=False)

    def StartCSplineMov_TotalTime(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_buffer(channel, command, count)
        return self._in_total_time(command, points[:count], relative=True)

    def StartCSplinePos_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_buffer(channel, command, count)
        return self._with_profile(command, points[:count], relative=False)

    def StartCSplineMov_Profile(self, channel: int, command: Any, count: int, points: Any) -> int:
        self._require_buffer(channel, command, count)
        return self._with_profile(command, points[:count], relative=True)

    def _require_buffer(self, channel: int, command: Any, points: int) -> None:
        """Refuse a spline of too many axes, or for which its channel has no memory."""
        if command.dimensionCount > MAX_DIMENSIONS:
            raise CommandRefused(UNNUMBERED, "", "DimensionOutOfRange")
        if channel not in self._buffers:
            raise CommandRefused(UNNUMBERED, "", "ChannelBufferMemoryNotAllocated")
        if self._buffers[channel] < points + 1:  # the engine adds the present point
            raise CommandRefused(UNNUMBERED, "", "ChannelNotEnoughSpace")

    def _places(self, axes: Sequence[int]) -> tuple[float, ...]:
        return tuple(self.runtime.position(axis) for axis in axes)

    def _timed(self, command: Any, points: Any, times: Any, *, relative: bool) -> int:
        axes, points = splines.axes_of(command), [point.copy() for point in points]
        milliseconds = [float(time) for time in times]

        def start() -> None:
            places = self._places(axes)
            move = splines.timed(axes, places, points, milliseconds, relative=relative)
            self.runtime.motion.move_spline(move)
            self.runtime.commanded(axes)

        return self.runtime.command(start)

    def _in_total_time(self, command: Any, points: Any, *, relative: bool) -> int:
        axes, points = splines.axes_of(command), [point.copy() for point in points]
        seconds = float(command.totalTimeMilliseconds) / 1000.0

        def start() -> None:
            through = splines.points_of(self._places(axes), points, relative=relative)
            self.runtime.motion.move_spline(splines.in_total_time(axes, through, seconds))

        return self.runtime.command(start)

    def _with_profile(self, command: Any, points: Any, *, relative: bool) -> int:
        axes, points = splines.axes_of(command), [point.copy() for point in points]
        profile = command.profile.copy()

        def start() -> None:
            through = splines.points_of(self._places(axes), points, relative=relative)
            profiles = splines.with_profile(through, profile)
            self.runtime.local.follow(axes, profiles, OperationState.INTPL)

        return self.runtime.command(start)

    # Paths with look-ahead

    def CreatePathIntplLookaheadBuffer(self, _channel: int, _points: int) -> int:
        return 0

    def FreePathIntplLookaheadBuffer(self, channel: int) -> int:
        return self._lookahead.free(channel)

    def ClearPathIntplLookahead(self, channel: int) -> int:
        return self._lookahead.clear(channel)

    def SetPathIntplLookaheadConfiguration(self, channel: int, configuration: Any) -> int:
        return self._lookahead.configure(channel, configuration)

    def AddPathIntplLookaheadCommand(self, channel: int, command: Any) -> int:
        return self._lookahead.add(channel, command)

    def StartPathIntplLookahead(self, channel: int) -> int:
        return self._lookahead.start(channel)

    def GetPathIntplLookaheadStatus(self, channel: int) -> tuple[int, Any]:
        self.runtime.step()
        return 0, self._lookahead.status(channel)

    # Paths with rotation

    def CreatePathIntplWithRotationBuffer(self, _channel: int, _points: int) -> int:
        return 0

    def FreePathIntplWithRotationBuffer(self, channel: int) -> int:
        return self._rotation.free(channel)

    def ClearPathIntplWithRotation(self, channel: int) -> int:
        return self._rotation.clear(channel)

    def SetPathIntplWithRotationConfiguration(self, channel: int, configuration: Any) -> int:
        return self._rotation.configure(channel, configuration)

    def AddPathIntplWithRotationCommand(self, channel: int, command: Any) -> int:
        return self._rotation.add(channel, command)

    def StartPathIntplWithRotation(self, channel: int) -> int:
        return self._rotation.start(channel)

    def GetPathIntplWithRotationStatus(self, channel: int) -> tuple[int, Any]:
        self.runtime.step()
        return 0, self._rotation.status(channel)

    # Paths

    def StartPathIntplPos(self, command: Any) -> int:
        """Along lines and arcs."""
        return self._path(command, relative=False)

    def StartPathIntplMov(self, command: Any) -> int:
        """Likewise, all places counted from where the path begins."""
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
            profiles = path_profiles(command, place, relative=relative)
            self.runtime.local.follow(axes, profiles, OperationState.INTPL)
            self.runtime.paths |= dict.fromkeys(axes, tuple(axes))

        return self.runtime.command(start)

    def _start(self, table: Any, between: Callable[[float, Any, Any, float], Segment]) -> int:
        points = [table.element("Points", i).copy() for i in range(table.pointCount)]
        axis = table.axis

        def start() -> None:
            if len(points) < 2:
                raise CommandRefused(ErrorCode.PointCountOutOfRange)
            profile = through(self.runtime.position(axis), points, between)
            self.runtime.local.follow([axis], [profile], OperationState.POS)

        return self.runtime.command(start)


def through(
    start: float, points: list[Any], between: Callable[[float, Any, Any, float], Segment]
) -> Profile:
    """Return the way from rest at `start`, in place of the first point, through the others."""
    points[0].velocity = 0.0
    segments: list[Segment] = []
    position = start
    for one, other in pairwise(points):
        time = (other.timeMilliseconds - one.timeMilliseconds) / 1000.0
        if time <= 0.0:
            raise CommandRefused(ErrorCode.TimeArgumentOutOfRange)
        segments.append(between(position, one, other, time))
        position = segments[-1].at(time)[0]
    return (*segments, *hold(position))


def _cubic(position: float, one: Any, other: Any, time: float) -> Segment:
    slope, v, w = (other.pos - position) / time, float(one.velocity), float(other.velocity)
    acceleration = 2.0 * (3.0 * slope - 2.0 * v - w) / time
    return Segment(time, position, v, acceleration, 6.0 * (v + w - 2.0 * slope) / time**2)


def _straight(position: float, _one: Any, other: Any, time: float) -> Segment:
    return Segment(time, position, (other.pos - position) / time)


def _steady(position: float, _one: Any, other: Any, time: float) -> Segment:
    return Segment(time, position, float(other.velocity))


class AdvancedMotion(Part):
    """Tables, splines, paths and cams."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.advMotion = AdvMotion(runtime, missing)
        self.advSync = AdvSync(runtime, missing)
