"""Path interpolation with rotation: channels whose path is carried by an axis that turns."""

from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode

from .channels import Channel, Channels
from .enums import ENUMS
from .not_simulated import NotSimulated
from .parts import Part
from .paths import COUNTERCLOCKWISE, LINEAR, Leg, pieces_of
from .pieces import Point, sampled
from .rotation_path import Stage, Table, turning
from .runtime import Runtime
from .sdk_commands import axes_of, numbers
from .structs import Profile, struct

_STATES = ENUMS["AdvMotion_PathIntplWithRotationState"]
_POINT = struct(
    "AdvMotion_PathIntplWithRotationCommandPoint",
    {"Target": 0.0, "CenterPos": 0.0, "LocalCenterOfRotation": 0.0},
    type=0,
    profile=Profile,
    direction=0,
    autoSmoothRadius=0.0,
    zAxisTarget=0.0,
    useLocalCenterOfRotation=0,
    localCenterOfRotationDirection=1,
)
struct(
    "AdvMotion_PathIntplWithRotationConfiguration",
    {"Axis": 0, "AxisCoordinateFlip": 0, "CenterOfRotation": 0.0},
    enableAutoSmooth=0,
    rotationalAxis=0,
    rotationalAxisPolarity=1,
    disableRotationalAxis=0,
    disableXYRotationalMotion=0,
    coordinateType=0,
    enableZAxis=0,
    zAxis=0,
    enableConstProfile=0,
    enableLocalCenterOfRotation=0,
    angleCorrectionMinimumAngle=0.0,
    angleCorrectionProfile=Profile,
    numOutputs=0,
)
_PLAYED = {
    "rotationalAxisPolarity": 1,
    "disableRotationalAxis": 0,
    "coordinateType": 0,
    "numOutputs": 0,
}
"""Fields of a configuration of which one value alone is played."""
_STATUS = struct("AdvMotion_PathIntplWithRotationStatus", state=0)
struct("AdvMotion_PathIntplWithRotationCommand", {"Point": _POINT}, numPoints=0)


class RotationPaths(Part):
    """Channels of paths with rotation."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._rotation = Channels(runtime)

    def CreatePathIntplWithRotationBuffer(self, _channel: int, _points: int) -> int:
        return 0

    def FreePathIntplWithRotationBuffer(self, channel: int) -> int:
        self._rotation.pop(channel, None)
        return 0

    def ClearPathIntplWithRotation(self, channel: int) -> int:
        self._rotation[channel].points.clear()
        return 0

    def SetPathIntplWithRotationConfiguration(self, channel: int, configuration: Any) -> int:
        """Say its axes, and how the one that turns takes part."""
        others = [name for name, value in _PLAYED.items() if getattr(configuration, name) != value]
        if any(configuration.element("AxisCoordinateFlip", i) for i in range(2)):
            others.append("axisCoordinateFlip")
        if configuration.enableConstProfile and configuration.enableAutoSmooth:
            others.append("enableAutoSmooth with enableConstProfile")
        if others:
            return self._not_simulated(others)
        self._rotation[channel].configuration = configuration.copy()
        return 0

    def AddPathIntplWithRotationCommand(self, channel: int, command: Any) -> int:
        kinds = ENUMS["AdvMotion_PathIntplSegmentType"]
        points = [command.element("Point", i).copy() for i in range(command.numPoints)]
        others = [f"segment type {p.type}" for p in points if p.type == kinds.Pause]
        others += [
            "localCenterOfRotationDirection"
            for p in points
            if p.useLocalCenterOfRotation and p.localCenterOfRotationDirection != 1
        ]
        if others:
            return self._not_simulated(others)
        self._rotation[channel].points += points
        return 0

    def StartPathIntplWithRotation(self, channel: int) -> int:
        return self._rotation.start(channel, self._begin_rotation)

    def GetPathIntplWithRotationStatus(self, channel: int) -> tuple[int, Any]:
        """Return whether the axes are still on their way."""
        self.runtime.step()
        made = _STATUS()
        made.state = _STATES.Executing if self._rotation.executes(channel) else _STATES.Idle
        return 0, made

    def _not_simulated(self, what: list[str]) -> int:
        return self.missing.note(*(f"AdvMotion_PathIntplWithRotation: {name}" for name in what))

    def _begin_rotation(self, channel: Channel) -> None:
        configuration = channel.configuration
        axes = (*axes_of(configuration, 2), int(configuration.rotationalAxis))
        if configuration.enableZAxis:
            axes += (int(configuration.zAxis),)
        if len({*axes}) < len(axes):
            raise CommandRefused(ErrorCode.DuplicateAxis)
        places = self.runtime.positions(axes)
        stages = _stages(configuration, channel.points, places[:2])
        if not stages:
            raise CommandRefused(ErrorCode.PointCountOutOfRange)
        height = places[3] if configuration.enableZAxis else 0.0
        rows = [
            (across, along, places[2] + turned, rise)[: len(axes)]
            for across, along, turned, rise in turning(stages, _table(configuration), height)
        ]
        self.runtime.follow_path(axes, sampled(rows))
        channel.axes = axes


def _table(configuration: Any) -> Table:
    return Table(
        center=numbers(configuration, "CenterOfRotation", 2),
        carries=not configuration.disableXYRotationalMotion,
        correction=configuration.angleCorrectionProfile,
        least=float(configuration.angleCorrectionMinimumAngle) or 1e-9,
    )


def _leg(configuration: Any, point: Any) -> Leg:
    return Leg(
        end=numbers(point, "Target", 2),
        center=None if point.type == LINEAR else numbers(point, "CenterPos", 2),
        clockwise=point.direction != COUNTERCLOCKWISE,
        reach=float(point.autoSmoothRadius) * bool(configuration.enableAutoSmooth),
    )


def _stages(configuration: Any, points: list[Any], start: Point) -> list[Stage]:
    """Return the pieces of a path; with a constant profile the first point's is that of all."""
    stages = []
    for i, piece in pieces_of([_leg(configuration, point) for point in points], start):
        point = points[i]
        local = configuration.enableLocalCenterOfRotation and point.useLocalCenterOfRotation
        stages.append(
            Stage(
                piece=piece,
                profile=points[0 if configuration.enableConstProfile else i].profile,
                height=float(point.zAxisTarget),
                around=numbers(point, "LocalCenterOfRotation", 2) if local else None,
            )
        )
    return [stage for stage in stages if stage.piece.length > 0.0]
