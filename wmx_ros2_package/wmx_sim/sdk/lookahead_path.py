"""The way of a point along lines that look-ahead has smoothed, in time.

The point stops at each corner that bends more than the tolerance and is not rounded. What lies
between is cut into pieces no longer than the sample distance, two at least. At the ends of the
pieces the point is as fast as the acceleration lets it be, and in between its velocity changes
evenly. Only all of the way is a whole number of cycles: corners are passed between two.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from math import acos, ceil, cos, degrees, dist, inf, radians, sin, sqrt, tan

from ..engine.clock import CYCLE

STRAIGHT = 1e-6
"""Degrees that are no corner, where no tolerance is set."""
LEAST = 1e-9
"""A share of the way that is none."""
EVEN = 1000
"""Pieces of a part where no sample distance is given."""
Point = tuple[float, ...]


@dataclass(frozen=True)
class Corner:
    """A place that the path goes to, and how far from it the corner begins to be rounded, u."""

    place: Point
    reach: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Along the path, and of each axis, where 0 is none; lengths in u, angles in degrees."""

    velocity: float
    acc: float
    velocities: Point
    accs: Point
    sample: float
    tolerance: float


@dataclass(frozen=True)
class Part:
    """A line or an arc: its length, and after a way along it the point and its direction.

    `bend` is how the direction changes there, 1/u.
    """

    length: float
    point: Callable[[float], Point]
    direction: Callable[[float], Point]
    bend: Callable[[float], Point]


@dataclass(frozen=True)
class Stretch:
    """What the point does with one acceleration."""

    begin: float
    """s."""
    mark: float
    """The way along the path, u."""
    velocity: float
    acceleration: float


def along(corners: Sequence[Corner], limits: Limits) -> tuple[list[float], list[Point]]:
    """Return the way along the path and the place, in each cycle."""
    parts, stops = _parts(corners, limits.tolerance)
    marks = [0.0, *accumulate(part.length for part in parts)]
    stretches, end = list[Stretch](), 0.0
    for first, last in pairwise(stops):
        for each in _run(parts[first:last], marks[first], end, limits):
            stretches.append(each[0])
            end = each[1]
    ways, now = list[float](), 0
    for n in range(ceil(end / CYCLE - 1e-9)):
        while now + 1 < len(stretches) and n * CYCLE >= stretches[now + 1].begin:
            now += 1
        s = stretches[now]
        t = n * CYCLE - s.begin
        ways.append(min(s.mark + t * (s.velocity + t * s.acceleration / 2.0), marks[-1]))
    ways.append(marks[-1])
    return ways, [_place(parts, marks, way) for way in ways]


def _run(
    parts: Sequence[Part], mark: float, begin: float, limits: Limits
) -> Iterator[tuple[Stretch, float]]:
    """Return the stretches from rest to rest, and when each ends."""
    lengths, most, accs = list[float](), list[float](), list[float]()
    for part in parts:
        count = max(2, ceil(part.length / limits.sample - 1e-9)) if limits.sample else EVEN
        ends = [_limited(part, part.length * n / count, limits) for n in range(count + 1)]
        most += [velocity for velocity, _ in ends[:-1]]
        lengths += [part.length / count] * count
        accs += [min(one[1], other[1]) for one, other in pairwise(ends)]
    # What an axis may not exceed where a piece begins, it does not where that ends either.
    tops = [0.0, *(min(one, other) for one, other in pairwise(most)), 0.0]
    for i, (length, acc) in enumerate(zip(lengths, accs, strict=True)):
        tops[i + 1] = min(tops[i + 1], sqrt(tops[i] ** 2 + 2.0 * acc * length))
    for i in reversed(range(len(lengths))):
        tops[i] = min(tops[i], sqrt(tops[i + 1] ** 2 + 2.0 * accs[i] * lengths[i]))
    for length, (one, other) in zip(lengths, pairwise(tops), strict=True):
        lasts = 2.0 * length / (one + other)
        yield Stretch(begin, mark, one, (other - one) / lasts), begin + lasts
        begin, mark = begin + lasts, mark + length


def _limited(part: Part, way: float, limits: Limits) -> tuple[float, float]:
    """Return velocity and acceleration along the path that no axis exceeds."""
    velocity, acc = limits.velocity, limits.acc
    for share, bend, v, a in zip(
        map(abs, part.direction(way)),
        map(abs, part.bend(way)),
        limits.velocities,
        limits.accs,
        strict=True,
    ):
        velocity = min(velocity, v / share if v and share > LEAST else inf)
        acc = min(acc, a / share if a and share > LEAST else inf)
        velocity = min(velocity, sqrt(a / bend) if a and bend > LEAST else inf)
    return velocity, acc


def _parts(corners: Sequence[Corner], tolerance: float) -> tuple[list[Part], list[int]]:
    """Lines and the arcs that round corners, and before which of them the point rests."""
    parts, stops, start = list[Part](), [0], corners[0].place
    for i in range(1, len(corners)):
        corner, place = corners[i], corners[i].place
        following = corners[i + 1].place if i + 1 < len(corners) else None
        reach = 0.0
        if following is not None and corner.reach > 0.0:
            reach = min(corner.reach, dist(start, place), dist(place, following))
        angle = 0.0 if following is None else _angle(start, place, following)
        if following is not None and reach and 0.0 < angle < 180.0:
            before, behind = _towards(place, start, reach), _towards(place, following, reach)
            parts += [_line(start, before), _arc(before, place, behind, angle)]
            start = behind
            continue
        parts.append(_line(start, place))
        start = place
        if following is not None and angle > tolerance:
            stops.append(len(parts))
    stops.append(len(parts))
    return parts, stops


def _angle(start: Point, corner: Point, end: Point) -> float:
    """Return the angle of a corner, degrees."""
    one = [y - x for x, y in zip(start, corner, strict=True)]
    other = [y - x for x, y in zip(corner, end, strict=True)]
    cosine = sum(x * y for x, y in zip(one, other, strict=True))
    cosine /= dist(start, corner) * dist(corner, end)
    return degrees(acos(max(-1.0, min(1.0, cosine))))


def _line(start: Point, end: Point) -> Part:
    length = dist(start, end)
    direction = tuple((y - x) / length for x, y in zip(start, end, strict=True))
    straight = tuple(0.0 for _ in start)
    return Part(length, partial(_towards, start, end), lambda _: direction, lambda _: straight)


def _arc(before: Point, corner: Point, behind: Point, bend: float) -> Part:
    """Return the arc from one tangent of a corner to the other."""
    turn = radians(bend)
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

    return Part(radius * turn, point, direction, inwards)


def _towards(start: Point, end: Point, way: float) -> Point:
    """Return the point `way` from `start` on the line to `end`."""
    share = way / dist(start, end)
    return tuple(x + share * (y - x) for x, y in zip(start, end, strict=True))


def _place(parts: Sequence[Part], marks: Sequence[float], way: float) -> Point:
    """Return where the point is after a way along the path."""
    i = max(n for n, mark in enumerate(marks[:-1]) if mark <= way)
    return parts[i].point(min(way - marks[i], parts[i].length))
