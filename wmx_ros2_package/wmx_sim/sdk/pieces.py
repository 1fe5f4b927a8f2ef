"""Pieces of paths, lines and arcs, and the cycles in which a point goes along them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import acos, atan2, cos, degrees, dist, hypot, pi, radians, sin, tan
from typing import Any

from ..engine.clock import CYCLE
from ..engine.motion.profile import Profile, Segment, at, duration, hold
from ..engine.motion.shaped_move import shaped_move
from .sdk_commands import rates_of

STRAIGHT = 1e-7
"""The sine of an angle that is no corner."""
Point = tuple[float, ...]


@dataclass(frozen=True)
class Piece:
    """A part of a path: its length, and where the point is after a way along it."""

    length: float
    point: Callable[[float], Point]


@dataclass(frozen=True)
class SmoothPiece(Piece):
    """One of which it is known how the point goes.

    Its direction after a way along the piece, and how that changes there, 1/u.
    """

    direction: Callable[[float], Point]
    bend: Callable[[float], Point]


def towards(start: Point, end: Point, way: float) -> Point:
    """Return the point `way` from `start` on the line to `end`."""
    length = dist(start, end)
    share = way / length if length else 1.0
    return tuple(x + share * (y - x) for x, y in zip(start, end, strict=True))


def line(start: Point, end: Point) -> SmoothPiece:
    """Return a straight line."""
    length = dist(start, end)
    ahead = tuple((y - x) / length if length else 0.0 for x, y in zip(start, end, strict=True))
    straight = (0.0,) * len(start)
    return SmoothPiece(length, partial(towards, start, end), lambda _: ahead, lambda _: straight)


def circle(start: Point, center: Point, turn: float) -> Piece:
    """Return the part of a circle on which the point turns by radians, counterclockwise."""
    x, y = start[0] - center[0], start[1] - center[1]
    radius, begin = hypot(x, y), atan2(y, x)
    length = abs(turn) * radius

    def point(way: float) -> Point:
        angle = begin + turn * (way / length if length else 1.0)
        return center[0] + radius * cos(angle), center[1] + radius * sin(angle)

    return Piece(length, point)


def arc(start: Point, end: Point, center: Point, *, clockwise: bool) -> Piece:
    """Return a part of a circle, from `start` to `end`, all of it where they are one place.

    A center that is not as far from both is moved along their line until it is, as by the engine.
    """
    if start != end:
        center = _between(start, end, center)
    begin = atan2(start[1] - center[1], start[0] - center[0])
    turn = (atan2(end[1] - center[1], end[0] - center[0]) - begin) % (2.0 * pi)
    turn = turn - 2.0 * pi if clockwise else turn or 2.0 * pi
    return circle(start, center, turn)


def _between(start: Point, end: Point, center: Point) -> Point:
    """Return the point nearest to `center` that is as far from `start` as from `end`."""
    way = end[0] - start[0], end[1] - start[1]
    middle = (start[0] + end[0]) / 2.0, (start[1] + end[1]) / 2.0
    off = (center[0] - middle[0]) * way[0] + (center[1] - middle[1]) * way[1]
    share = off / (way[0] ** 2 + way[1] ** 2)
    return center[0] - share * way[0], center[1] - share * way[1]


def angle_of(start: Point, corner: Point, end: Point) -> float:
    """Return by how much a corner bends, degrees."""
    one = [y - x for x, y in zip(start, corner, strict=True)]
    other = [y - x for x, y in zip(corner, end, strict=True)]
    cosine = sum(x * y for x, y in zip(one, other, strict=True))
    cosine /= dist(start, corner) * dist(corner, end)
    return degrees(acos(max(-1.0, min(1.0, cosine))))


def rounded(start: Point, corner: Point, end: Point, reach: float) -> list[SmoothPiece]:
    """Return a line towards `corner` and an arc from `reach` before to as far behind it."""
    before, behind = towards(corner, start, reach), towards(corner, end, reach)
    angle = angle_of(start, corner, end)
    if sin(radians(angle)) < STRAIGHT:  # on, or back
        return [line(start, corner), line(corner, behind)]
    return [line(start, before), rounding(before, corner, behind, angle)]


def rounding(before: Point, corner: Point, behind: Point, angle: float) -> SmoothPiece:
    """Return the arc from one tangent of a corner, that bends by `angle`, to the other."""
    turn = radians(angle)
    reach = dist(before, corner)
    radius = reach / tan(turn / 2.0)
    ahead = [(y - x) / reach for x, y in zip(before, corner, strict=True)]
    out = [(y - x) / reach for x, y in zip(corner, behind, strict=True)]
    # Across the way, towards the inside of the bend.
    across = [(y - x * cos(turn)) / sin(turn) for x, y in zip(ahead, out, strict=True)]

    def point(way: float) -> Point:
        angle = way / radius
        return tuple(
            p + radius * (sin(angle) * x + (1.0 - cos(angle)) * y)
            for p, x, y in zip(before, ahead, across, strict=True)
        )

    def direction(way: float) -> Point:
        angle = way / radius
        return tuple(cos(angle) * x + sin(angle) * y for x, y in zip(ahead, across, strict=True))

    def inwards(way: float) -> Point:
        angle = way / radius
        both = zip(ahead, across, strict=True)
        return tuple((cos(angle) * y - sin(angle) * x) / radius for x, y in both)

    return SmoothPiece(radius * turn, point, direction, inwards)


def joined(pieces: Sequence[Piece]) -> Piece:
    """Return the path of all of them, one after the other."""

    def point(way: float) -> Point:
        for piece in pieces[:-1]:
            if way <= piece.length:
                return piece.point(way)
            way -= piece.length
        return pieces[-1].point(min(way, pieces[-1].length))

    return Piece(sum(piece.length for piece in pieces), point)


def way_of(length: float, profile: Any) -> Profile:
    """Return the way from 0 to `length` along a path, with a profile of the SDK."""
    rates = rates_of(profile)
    shape = rates.pop("profile")
    return shaped_move(0.0, 0.0, length, max_velocity=rates.pop("velocity"), shape=shape, **rates)


def each_cycle(way: Profile) -> list[float]:
    """Return how far one has got along a way in each of its cycles, from 0 to all of it."""
    cycles = round(duration(way) / CYCLE)
    return [*(at(way, n * CYCLE)[0] for n in range(cycles)), way[-1].position]


def followed(piece: Piece, way: Profile) -> list[Point]:
    """Return where the point is in each cycle of its way along `piece`."""
    return [piece.point(gone) for gone in each_cycle(way)]


def sampled(points: Sequence[Sequence[float]]) -> list[Profile]:
    """Profiles that are at each of `points` (one number for each axis) in a cycle, at rest then."""
    profiles: list[Profile] = []
    for column in zip(*points, strict=True):
        segments = [Segment(CYCLE, one, (other - one) / CYCLE) for one, other in pairwise(column)]
        profiles.append((*segments, *hold(column[-1])))
    return profiles
