"""Path interpolation: two axes along lines and arcs, one after the other.

With `enableConstProfile` the point that the axes make goes along all of it with one profile, else
along each segment with its own, which begins with the velocity that the one before ended with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import dist, sqrt
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.profile_types import ProfileType

from ..engine.motion.profile import Profile, Segment, hold
from ..engine.motion.ramps import whole_cycles
from ..engine.motion.shaped_move import shaped_move
from .enums import ENUMS
from .parts import Part, command
from .pieces import Piece, Point, arc, followed, joined, line, rounded, sampled, towards
from .sdk_commands import axes_of, rates_of
from .structs import Profile as SdkProfile
from .structs import struct

struct(
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
LINEAR = ENUMS["AdvMotion_PathIntplSegmentType"].Linear
COUNTERCLOCKWISE = 1


@dataclass(frozen=True, kw_only=True)
class Leg:
    """A line of a path, or an arc around a center."""

    end: Point
    center: Point | None
    clockwise: bool
    reach: float
    """How far from its end the corner begins to be rounded, u."""


class Paths(Part):
    """Paths of lines and arcs."""

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
        axes = axes_of(path, 2)
        profiles = path_profiles(path, self.runtime.positions(axes), relative=relative)
        self.runtime.follow_path(axes, profiles)


def path_profiles(command: Any, start: Point, *, relative: bool) -> list[Profile]:
    """Return the profiles of the two axes of a path from `start` on."""
    pieces = pieces_of(_legs(command, start if relative else (0.0, 0.0)), start)
    if not pieces:
        raise CommandRefused(ErrorCode.ArgumentOutOfRange)
    if command.enableConstProfile:
        whole = joined([piece for _, piece in pieces])
        profile = command.profile if command.profile.velocity else command.element("Profile", 0)
        return sampled(followed(whole, way_along(whole.length, profile, 0.0)))
    points: list[Point] = []
    velocity = 0.0
    for i, piece in pieces:
        profile = command.element("Profile", i)
        points += followed(piece, way_along(piece.length, profile, velocity))[bool(points) :]
        velocity = float(profile.endVelocity)
    return sampled(points)


def _legs(command: Any, origin: Point) -> list[Leg]:
    def place(array: str, i: int) -> Point:
        return tuple(x + float(command.element(array, axis, i)) for axis, x in enumerate(origin))

    return [
        Leg(
            end=place("Target", i),
            center=None if command.element("Type", i) == LINEAR else place("CenterPos", i),
            clockwise=command.element("Direction", i) != COUNTERCLOCKWISE,
            reach=float(command.element("AutoSmoothRadius", i)) * bool(command.enableAutoSmooth),
        )
        for i in range(command.numPoints)
    ]


def pieces_of(legs: Sequence[Leg], start: Point) -> list[tuple[int, Piece]]:
    """Return the pieces of a path, each with the number of its leg.

    Of a corner, of that before it.
    """
    pieces = list[tuple[int, Piece]]()
    for i, leg in enumerate(legs):
        if leg.center is not None:
            pieces.append((i, arc(start, leg.end, leg.center, clockwise=leg.clockwise)))
            start = leg.end
        elif leg.reach > 0.0 and i + 1 < len(legs) and legs[i + 1].center is None:
            end = legs[i + 1].end
            reach = min(leg.reach, dist(start, leg.end), dist(leg.end, end))
            pieces += [(i, piece) for piece in rounded(start, leg.end, end, reach)]
            start = towards(leg.end, end, reach)
        else:
            pieces.append((i, line(start, leg.end)))
            start = leg.end
    return pieces


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
    first = (
        whole_cycles(abs(wanted - start) / (acc if wanted > start else dec))
        if wanted != start
        else 0.0
    )
    last = whole_cycles((wanted - end) / dec) if wanted > end else 0.0
    left = length - (start + wanted) / 2 * first - (wanted + end) / 2 * last
    cruise = whole_cycles(left / wanted) if left > 1e-9 else 0.0
    velocity = (length - start / 2 * first - end / 2 * last) / (cruise + (first + last) / 2)
    segments = [Segment(first, 0.0, start, (velocity - start) / first)] if first else []
    gone = (start + velocity) / 2 * first
    if cruise:
        segments.append(Segment(cruise, gone, velocity))
        gone += cruise * velocity
    if last:
        segments.append(Segment(last, gone, velocity, (end - velocity) / last))
    return (*segments, *hold(length))
