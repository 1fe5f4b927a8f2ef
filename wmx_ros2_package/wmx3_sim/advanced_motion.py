"""AdvancedMotion: tables of points in time, and electronic cams."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.fake.motion.profile import Profile, Segment, hold
from wmx_ros2_package.drivers.values import OperationState

from .parts import NotSimulated, Part
from .runtime import Runtime
from .structs import struct

_POINT = struct("Point", pos=0.0, velocity=0.0, timeMilliseconds=0.0)
_TABLE = struct("Table", {"Points": _POINT}, axis=0, pointCount=0)
_OPTIONS = struct(
    "AdvSync_ECAMOptions",
    type=0,
    source=struct("Source", type=0),
    clutch=struct("Clutch", type=0, simpleCatchUpVelocity=0.0, simpleCatchUpAcc=0.0),
)
_CAM = struct(
    "AdvSync_ECAMData",
    {"MasterPos": 0.0, "SlavePos": 0.0},
    masterAxis=0,
    slaveAxis=0,
    numPoints=0,
    options=_OPTIONS,
)
CLASSES: dict[str, Any] = {"AdvSync_ECAMOptions": _OPTIONS, "AdvSync_ECAMData": _CAM}
CLASSES |= {
    f"{of}_{kind}Command": _TABLE for of in ("AdvMotion", "Motion") for kind in ("PVT", "PT", "VT")
}
_TABLES = {"Axis": 0, "PointCount": 0, "Points": _POINT}
for _of in ("AdvMotion", "Motion"):  # releases of the SDK have them here or there
    CLASSES |= {f"{_of}_{kind}Command": _TABLE for kind in ("PVT", "PT", "VT")}
    CLASSES |= {f"{_of}_{kind}Point": _POINT for kind in ("PVT", "PT", "VT")}
    CLASSES[f"{_of}_PVTIntplCommand"] = struct("PVTIntplCommand", _TABLES, axisCount=0)
CLASSES |= {
    f"{of}_{kind}Point": _POINT for of in ("AdvMotion", "Motion") for kind in ("PVT", "PT", "VT")
}


class AdvMotion(Part):
    """AdvancedMotion.advMotion."""

    def StartPVT(self, table: Any, *_more: Any) -> int:
        """Positions, velocities and times: cubics in between."""
        return self._start(table, _cubic)

    def StartPT(self, table: Any, *_more: Any) -> int:
        """Positions and times: straight in between."""
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
            self.runtime.motion.follow(axes, profiles, OperationState.INTPL)

        return self.runtime.order(start)

    def _start(self, table: Any, between: Callable[[float, Any, Any, float], Segment]) -> int:
        points = [table.element("Points", i).copy() for i in range(table.pointCount)]
        axis = table.axis

        def start() -> None:
            if len(points) < 2:
                raise CommandRefused(ErrorCode.PointCountOutOfRange)
            profile = through(self.runtime.position(axis), points, between)
            self.runtime.motion.follow([axis], [profile], OperationState.POS)

        return self.runtime.order(start)


def through(
    start: float, points: list[Any], between: Callable[[float, Any, Any, float], Segment]
) -> Profile:
    """From rest at `start`, in place of the first point, through the others."""
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


class AdvSync(Part):
    """AdvancedMotion.advSync: a slave is where a table says for where its master is."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._cams: dict[int, Any] = {}
        self._resting: dict[int, float] = {}
        """Where a master is that has not moved yet, which moves its slave no sooner."""

    def StartECAM(self, channel: int, cam: Any) -> int:
        kinds = self.enums["AdvSync_ECAMType"]
        if cam.options.type == kinds.Periodic:
            self.missing.note("AdvSync_ECAMType.Periodic")
            return int(ErrorCode.NoSupportedFunction)
        self._cams[channel] = cam.copy()
        self.runtime.watch(self._follow)
        self._resting[channel] = self.runtime.position(cam.masterAxis)
        self.runtime.step()
        return 0

    def StopECAM(self, channel: int) -> int:
        self._cams.pop(channel, None)
        self.runtime.step()
        return 0

    def _follow(self) -> None:
        for channel, cam in self._cams.items():
            if self._resting.get(channel) == self.runtime.position(cam.masterAxis):
                continue
            self._resting.pop(channel, None)
            place = self._place(cam)
            if place is not None and place != self.runtime.position(cam.slaveAxis):
                self.runtime.put(cam.slaveAxis, place)

    def _place(self, cam: Any) -> float | None:
        """Where the slave has to be, or None where the table says nothing."""
        masters = [float(cam.element("MasterPos", i)) for i in range(cam.numPoints)]
        slaves = [float(cam.element("SlavePos", i)) for i in range(cam.numPoints)]
        at, turns = self.runtime.position(cam.masterAxis), 0.0
        if cam.options.type == self.enums["AdvSync_ECAMType"].Repeat:
            turns, rest = divmod(at - masters[0], masters[-1] - masters[0])
            at = masters[0] + rest
        if not masters[0] - 1e-9 <= at <= masters[-1] + 1e-9:
            return None
        i = min(max(bisect_right(masters, at), 1), len(masters) - 1)
        share = (at - masters[i - 1]) / (masters[i] - masters[i - 1])
        place = slaves[i - 1] + share * (slaves[i] - slaves[i - 1])
        return place + turns * (slaves[-1] - slaves[0])


class AdvancedMotion(Part):
    """Tables and cams; splines and paths are not simulated."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.advMotion = AdvMotion(runtime, missing)
        self.advSync = AdvSync(runtime, missing)
