"""Path interpolation with look-ahead: channels that hold lines, and set bits along them.

Arcs are not simulated.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import dist
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import OperationState

from .channels import Channel, Channels
from .enums import ENUMS, attribute
from .lookahead_path import STRAIGHT, Corner, Limits, along
from .not_simulated import NotSimulated
from .parts import Part
from .pieces import Point, sampled
from .runtime import Runtime
from .sdk_commands import axes_of, numbers
from .structs import Kept, inner, struct

_KINDS = ENUMS["AdvMotion_PathIntplLookaheadSegmentType"]
_WHEN = ENUMS["AdvMotion_PathIntplOutputType"]
_STATES = ENUMS["AdvMotion_PathIntplLookaheadState"]
_LINE = inner("Linear", {"Axis": 0, "Target": 0.0}, axisCount=0, smoothRadius=0.0)
_BIT = inner("SetOutputBit", type=0, source=0, byteAddress=0, bitAddress=0, value=0,
              triggerValue=0.0)  # fmt: skip


_OTHERS: dict[str, Any] = {attribute(name): Kept for name in vars(_KINDS)}
"""What a point has for segments that are not simulated."""
_OTHERS |= {"linear": _LINE, "setOutputBit": _BIT}
_POINT = struct("AdvMotion_PathIntplLookaheadCommandPoint", type=0, **_OTHERS)
struct(
    "AdvMotion_PathIntplLookaheadConfiguration",
    {"Axis": 0, "VelocityLimit": 0.0, "AccLimit": 0.0},
    axisCount=0,
    compositeVel=0.0,
    compositeAcc=0.0,
    sampleDistance=0.0,
    stopOnEmptyBuffer=0,
    setAngleTolerance=0,
    angleToleranceDegrees=0.0,
)
_STATUS = struct("AdvMotion_PathIntplLookaheadStatus", state=0)
struct("AdvMotion_PathIntplLookaheadCommand", {"Point": _POINT}, numPoints=0)


class LookaheadPaths(Part):
    """Channels of paths with look-ahead."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._lookahead = Channels(runtime)

    def CreatePathIntplLookaheadBuffer(self, _channel: int, _points: int) -> int:
        return 0

    def FreePathIntplLookaheadBuffer(self, channel: int) -> int:
        self._lookahead.pop(channel, None)
        return 0

    def ClearPathIntplLookahead(self, channel: int) -> int:
        self._lookahead[channel].points.clear()
        return 0

    def SetPathIntplLookaheadConfiguration(self, channel: int, configuration: Any) -> int:
        """Say its axes and how fast they may be."""
        self._lookahead[channel].configuration = configuration.copy()
        return 0

    def AddPathIntplLookaheadCommand(self, channel: int, command: Any) -> int:
        points = [command.element("Point", i).copy() for i in range(command.numPoints)]
        others = [p.type for p in points if p.type not in (_KINDS.Linear, _KINDS.SetOutputBit)]
        if others:
            kinds = "AdvMotion_PathIntplLookaheadSegmentType"
            return self.missing.note(*(f"{kinds} {number}" for number in others))
        self._lookahead[channel].points += points
        return 0

    def StartPathIntplLookahead(self, channel: int) -> int:
        return self._lookahead.start(channel, self._begin_lookahead)

    def GetPathIntplLookaheadStatus(self, channel: int) -> tuple[int, Any]:
        """Return whether the axes are still on their way."""
        self.runtime.step()
        made = _STATUS()
        made.state = _STATES.Stopped if self._lookahead[channel].axes else _STATES.Idle
        if self._lookahead.executes(channel):
            made.state = _STATES.Executing
        return 0, made

    def _begin_lookahead(self, channel: Channel) -> None:
        configuration = channel.configuration
        axes = axes_of(configuration)
        corners, bits = _corners(channel.points, axes, self.runtime.positions(axes))
        if len(corners) < 2:
            raise CommandRefused(ErrorCode.PointCountOutOfRange)
        gone, places = along(corners, _limits(configuration))
        self.runtime.follow_path(axes, sampled(places))
        channel.axes = axes
        if bits:
            self.runtime.watchers.append(self._outputs(axes, bits, gone, places))

    def _set(self, bit: Any) -> None:
        self.runtime.io.set_output_bit(bit.byteAddress, bit.bitAddress, value=bool(bit.value))

    def _outputs(
        self,
        axes: tuple[int, ...],
        bits: list[tuple[Any, float]],
        gone: Sequence[float],
        places: Sequence[Point],
    ) -> Callable[[], None]:
        """Return what sets output bits when the way along the path has got to a distance.

        It goes by where the axes are: a stop lets them pass the places later, or not at all.
        """
        runtime, axis, left, passed = self.runtime, axes[0], list(bits), 0
        course = runtime.local.course(axis)

        def look() -> None:
            nonlocal passed
            state = runtime.status.op_state[axis]
            if state == OperationState.INTPL and runtime.local.course(axis) != course:
                runtime.watchers.remove(look)  # another path has taken over
                return
            here, last = runtime.positions(axes), len(places) - 1
            while passed < last and dist(here, places[passed + 1]) <= dist(here, places[passed]):
                passed += 1
            for each in [each for each in left if gone[passed] >= each[1] - 1e-9]:
                left.remove(each)
                runtime.command_now(partial(self._set, each[0]))
            if not left or state not in (OperationState.INTPL, OperationState.STOP):
                runtime.watchers.remove(look)

        return look


def _limits(configuration: Any) -> Limits:
    """Return how fast the point and its axes may be."""
    made = Limits(
        velocity=float(configuration.compositeVel),
        acc=float(configuration.compositeAcc),
        velocities=numbers(configuration, "VelocityLimit", configuration.axisCount),
        accs=numbers(configuration, "AccLimit", configuration.axisCount),
        sample=float(configuration.sampleDistance),
        tolerance=float(configuration.angleToleranceDegrees)
        if configuration.setAngleTolerance
        else STRAIGHT,
    )
    if not (made.velocity > 0.0 and made.acc > 0.0):
        raise CommandRefused(ErrorCode.VelocityArgumentOutOfRange)
    return made


def _corners(
    points: list[Any], axes: tuple[int, ...], start: Point
) -> tuple[list[Corner], list[tuple[Any, float]]]:
    """Return the corners of the path, and after which way along it which bits are set."""
    corners, bits, waiting, gone = [Corner(start)], list[tuple[Any, float]](), list[Any](), 0.0
    for point in points:
        if point.type == _KINDS.SetOutputBit:
            waiting.append(point.setOutputBit)
            continue
        line = point.linear
        places = dict(zip(axes, corners[-1].place, strict=True))
        places |= zip(axes_of(line), numbers(line, "Target", line.axisCount), strict=True)
        corner = Corner(tuple(places[axis] for axis in axes), float(line.smoothRadius))
        length = dist(corner.place, corners[-1].place)
        bits += [(bit, gone + _after(bit, length)) for bit in waiting]
        waiting, gone = [], gone + length
        if length > 0.0:
            corners.append(corner)
    return corners, bits


def _after(bit: Any, length: float) -> float:
    """Return the way along a line after which `bit` is set."""
    value = float(bit.triggerValue)
    ways = {
        _WHEN.CompletedDist: value,
        _WHEN.RemainingDist: length - value,
        _WHEN.DistanceRatio: length * value,
    }
    return ways.get(bit.type, 0.0)
