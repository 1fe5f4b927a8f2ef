"""The way of a point along lines that look-ahead has smoothed, in time.

The point stops at each corner that bends more than the tolerance and is not rounded. What lies
between is cut into samples no longer than the sample distance, two a line or arc at least. At the
ends of the samples the point is as fast as the acceleration lets it be, and in between its velocity
changes evenly. Only all of the way is a whole number of cycles: corners are passed between two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, dist, inf, sqrt

from ..engine.clock import CYCLE
from .pieces import Point, SmoothPiece, angle_of, joined, line, rounding, towards

STRAIGHT = 1e-6
"""Degrees that are no corner, where no tolerance is set."""
LEAST = 1e-9
"""A share of the way that is none."""
EVEN = 1000
"""Samples of a line or an arc where no sample distance is given."""


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
    pieces, stops = _pieces(corners, limits.tolerance)
    path, marks = joined(pieces), [0.0, *accumulate(piece.length for piece in pieces)]
    stretches, end = list[Stretch](), 0.0
    for first, last in pairwise(stops):
        for each in _run(pieces[first:last], marks[first], end, limits):
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
    return ways, [path.point(way) for way in ways]


def _run(
    pieces: Sequence[SmoothPiece], mark: float, begin: float, limits: Limits
) -> Iterator[tuple[Stretch, float]]:
    """Return the stretches from rest to rest, and when each ends."""
    lengths, most, accs = list[float](), list[float](), list[float]()
    for piece in pieces:
        count = max(2, ceil(piece.length / limits.sample - 1e-9)) if limits.sample else EVEN
        ends = [_limited(piece, piece.length * n / count, limits) for n in range(count + 1)]
        most += [velocity for velocity, _ in ends[:-1]]
        lengths += [piece.length / count] * count
        accs += [min(one[1], other[1]) for one, other in pairwise(ends)]
    # What an axis may not exceed where a sample begins, it does not where that ends either.
    tops = [0.0, *(min(one, other) for one, other in pairwise(most)), 0.0]
    for i, (length, acc) in enumerate(zip(lengths, accs, strict=True)):
        tops[i + 1] = min(tops[i + 1], sqrt(tops[i] ** 2 + 2.0 * acc * length))
    for i in reversed(range(len(lengths))):
        tops[i] = min(tops[i], sqrt(tops[i + 1] ** 2 + 2.0 * accs[i] * lengths[i]))
    for length, (one, other) in zip(lengths, pairwise(tops), strict=True):
        lasts = 2.0 * length / (one + other)
        yield Stretch(begin, mark, one, (other - one) / lasts), begin + lasts
        begin, mark = begin + lasts, mark + length


def _limited(piece: SmoothPiece, way: float, limits: Limits) -> tuple[float, float]:
    """Return velocity and acceleration along the path that no axis exceeds."""
    velocity, acc = limits.velocity, limits.acc
    for share, bend, v, a in zip(
        map(abs, piece.direction(way)),
        map(abs, piece.bend(way)),
        limits.velocities,
        limits.accs,
        strict=True,
    ):
        velocity = min(velocity, v / share if v and share > LEAST else inf)
        acc = min(acc, a / share if a and share > LEAST else inf)
        velocity = min(velocity, sqrt(a / bend) if a and bend > LEAST else inf)
    return velocity, acc


def _pieces(corners: Sequence[Corner], tolerance: float) -> tuple[list[SmoothPiece], list[int]]:
    """Lines and the arcs that round corners, and before which of them the point rests."""
    pieces, stops, start = list[SmoothPiece](), [0], corners[0].place
    for i in range(1, len(corners)):
        corner, place = corners[i], corners[i].place
        following = corners[i + 1].place if i + 1 < len(corners) else None
        reach = 0.0
        if following is not None and corner.reach > 0.0:
            reach = min(corner.reach, dist(start, place), dist(place, following))
        # From the last corner: an arc around that may take all of the line from there.
        angle = 0.0 if following is None else angle_of(corners[i - 1].place, place, following)
        if following is not None and reach and 0.0 < angle < 180.0:
            before, behind = towards(place, start, reach), towards(place, following, reach)
            both = line(start, before), rounding(before, place, behind, angle)
            pieces += [piece for piece in both if piece.length]  # the corner may take all of a line
            start = behind
            continue
        if start != place:
            pieces.append(line(start, place))
        start = place
        if following is not None and angle > tolerance:
            stops.append(len(pieces))
    stops.append(len(pieces))
    return pieces, stops
