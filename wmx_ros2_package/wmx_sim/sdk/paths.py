"""Path interpolation: two axes along lines and arcs, one after the other.

With `enableConstProfile` the point that the axes make goes along all of it with one profile, else
along each segment with its own, which begins with the velocity that the one before ended with.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, dist, hypot, pi, sin, sqrt
from typing import Any

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.profile_types import ProfileType

from ..engine.clock import CYCLE
from ..engine.motion.profile import Profile, Segment, at, duration, hold
from ..engine.motion.shaped_move import shaped_move
from ..engine.motion.trapezoidal import up
from .circles import sampled
from .enums import ENUMS
from .sdk_commands import rates_of
from .structs import Profile as SdkProfile
from .structs import struct

PathIntplCommand = struct(
    "AdvMotion_PathIntplCommand",
    {
        "Axis": 0,
        "Type": 0,
        "Target": 0.0,
        "CenterPos": 0.0,
        "Direction": 0,
        "Profile": SdkProfile,
        "AutoSmoothRadius": 0.0,
    },
    profile=SdkProfile,
    enableConstProfile=0,
    enableAutoSmooth=0,
    numPoints=0,
)
_KINDS = ENUMS["AdvMotion_PathIntplSegmentType"]
COUNTERCLOCKWISE = 1
Point = tuple[float, float]


@dataclass(frozen=True)
class Piece:
    """A part of a path: its length, and where the point is after a way along it."""

    length: float
    point: Callable[[float], Point]


def line(start: Point, end: Point) -> Piece:
    """Return a straight line."""
    length = hypot(end[0] - start[0], end[1] - start[1])

    def point(way: float) -> Point:
        share = way / length if length else 1.0
        return (
            start[0] + share * (end[0] - start[0]),
            start[1] + share * (end[1] - start[1]),
        )

    return Piece(length, point)


def arc(start: Point, end: Point, center: Point, *, clockwise: bool) -> Piece:
    """Return a part of a circle, from `start` to `end`, all of it where they are one place.

    A center that is not as far from both is moved along their line until it is, as by the engine.
    """
    if start != end:
        center = _between(start, end, center)
    begin = atan2(start[1] - center[1], start[0] - center[0])
    radius = hypot(start[0] - center[0], start[1] - center[1])
    turn = (atan2(end[1] - center[1], end[0] - center[0]) - begin) % (2.0 * pi)
    if clockwise:
        turn -= 2.0 * pi
    elif not turn:
        turn = 2.0 * pi
    length = abs(turn) * radius

    def point(way: float) -> Point:
        angle = begin + turn * (way / length if length else 1.0)
        return center[0] + radius * cos(angle), center[1] + radius * sin(angle)

    return Piece(length, point)


def _between(start: Point, end: Point, center: Point) -> Point:
    """Return the point nearest to `center` that is as far from `start` as from `end`."""
    way = end[0] - start[0], end[1] - start[1]
    middle = (start[0] + end[0]) / 2.0, (start[1] + end[1]) / 2.0
    off = (center[0] - middle[0]) * way[0] + (center[1] - middle[1]) * way[1]
    share = off / (way[0] ** 2 + way[1] ** 2)
    return center[0] - share * way[0], center[1] - share * way[1]


def path_profiles(command: Any, start: Point, *, relative: bool) -> list[Profile]:
    """Return the profiles of the two axes of a path from `start` on."""
    pieces = pieces_of(command, start, relative=relative)
    if not pieces:
        raise CommandRefused(ErrorCode.ArgumentOutOfRange)
    if command.enableConstProfile:
        only = [piece for _, piece in pieces]
        whole = Piece(sum(piece.length for piece in only), _joined(only))
        profile = command.profile if command.profile.velocity else command.element("Profile", 0)
        return sampled(_points(whole, way_along(whole.length, profile, 0.0)))
    points: list[Point] = []
    velocity = 0.0
    for i, piece in pieces:
        way = way_along(piece.length, command.element("Profile", i), velocity)
        points += _points(piece, way)[bool(points) :]
        velocity = float(command.element("Profile", i).endVelocity)
    return sampled(points)


def pieces_of(command: Any, start: Point, *, relative: bool) -> list[tuple[int, Piece]]:
    """Return the pieces of a path, each with the number of its segment.

    Of a corner, of that before it.
    """
    pieces, origin = list[tuple[int, Piece]](), start if relative else (0.0, 0.0)
    lines = [command.element("Type", i) == _KINDS.Linear for i in range(command.numPoints)]
    ends = [_place(command, "Target", i, origin) for i in range(command.numPoints)]
    for i, end in enumerate(ends):
        if not lines[i]:
            center = _place(command, "CenterPos", i, origin)
            clockwise = command.element("Direction", i) != COUNTERCLOCKWISE
            pieces.append((i, arc(start, end, center, clockwise=clockwise)))
            start = end
            continue
        reach = float(command.element("AutoSmoothRadius", i)) if command.enableAutoSmooth else 0.0
        if reach > 0.0 and lines[i + 1 : i + 2] == [True]:
            reach = min(reach, dist(start, end), dist(end, ends[i + 1]))
            pieces += [(i, piece) for piece in _rounded(start, end, ends[i + 1], reach)]
            start = _towards(end, ends[i + 1], reach)
        else:
            pieces.append((i, line(start, end)))
            start = end
    return pieces


def _rounded(start: Point, corner: Point, end: Point, reach: float) -> list[Piece]:
    """Return a line towards `corner` and an arc from `reach` before to as far behind it."""
    before, behind = _towards(corner, start, reach), _towards(corner, end, reach)
    one = (before[0] - corner[0]) / reach, (before[1] - corner[1]) / reach
    other = (behind[0] - corner[0]) / reach, (behind[1] - corner[1]) / reach
    cosine, sine = one[0] * other[0] + one[1] * other[1], one[0] * other[1] - one[1] * other[0]
    if abs(sine) < 1e-9:  # straight on, or straight back
        return [line(start, corner), line(corner, behind)]
    share = reach / (1.0 + cosine)
    center = corner[0] + share * (one[0] + other[0]), corner[1] + share * (one[1] + other[1])
    return [line(start, before), arc(before, behind, center, clockwise=sine > 0.0)]


def _towards(start: Point, end: Point, way: float) -> Point:
    """Return the point `way` from `start` on the line to `end`."""
    share = way / dist(start, end)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _place(command: Any, array: str, i: int, origin: Point) -> Point:
    return (
        origin[0] + float(command.element(array, 0, i)),
        origin[1] + float(command.element(array, 1, i)),
    )


def _joined(pieces: Sequence[Piece]) -> Callable[[float], Point]:
    """Return where the point is after a way along all of them."""

    def point(way: float) -> Point:
        for piece in pieces[:-1]:
            if way <= piece.length:
                return piece.point(way)
            way -= piece.length
        return pieces[-1].point(min(way, pieces[-1].length))

    return point


def _points(piece: Piece, way: Profile) -> list[Point]:
    """Return where the point is in every cycle of its way along `piece`."""
    cycles = round(duration(way) / CYCLE)
    return [piece.point(at(way, n * CYCLE)[0]) for n in range(cycles)] + [piece.point(piece.length)]


def way_along(length: float, profile: Any, velocity: float) -> Profile:
    """Return the way along a segment, begun with `velocity`."""
    rates = rates_of(profile)
    if not all(rates[name] > 0.0 for name in ("velocity", "acc", "dec")):
        raise CommandRefused(ErrorCode.ProfileArgumentOutOfRange)
    if rates["profile"].type is ProfileType.TRAPEZOIDAL and (velocity or profile.endVelocity):
        return _from_to(length, velocity, float(profile.endVelocity), rates)
    shape = replace(rates.pop("profile"), starting_velocity=0.0)
    return shaped_move(
        0.0, velocity, length, max_velocity=rates.pop("velocity"), shape=shape, **rates
    )


def _from_to(length: float, start: float, end: float, rates: Any) -> Profile:
    """Return whole cycles from a velocity to another, which is kept only where it takes a ramp.

    As the engine has it, the velocity in between is what fits, however hard it then slows down.
    """
    acc, dec = rates["acc"], rates["dec"]
    highest = sqrt((2 * length + start * start / acc + end * end / dec) / (1 / acc + 1 / dec))
    wanted = min(rates["velocity"], max(highest, start))
    first = up(abs(wanted - start) / (acc if wanted > start else dec)) if wanted != start else 0.0
    last = up((wanted - end) / dec) if wanted > end else 0.0
    left = length - (start + wanted) / 2 * first - (wanted + end) / 2 * last
    cruise = up(left / wanted) if left > 1e-9 else 0.0
    velocity = (length - start / 2 * first - end / 2 * last) / (cruise + (first + last) / 2)
    segments = [Segment(first, 0.0, start, (velocity - start) / first)] if first else []
    gone = (start + velocity) / 2 * first
    if cruise:
        segments.append(Segment(cruise, gone, velocity))
        gone += cruise * velocity
    if last:
        segments.append(Segment(last, gone, velocity, (end - velocity) / last))
    return (*segments, *hold(length))
