"""The way of two axes and of one that turns: paths whose workpiece turns under the tool.

The turning axis keeps the path in one direction: it turns as the path bends, or around a center as
the point does that goes along it. Where the path has a corner the point rests, and the axis turns
until the next piece has the direction too. Until then, and on the way, the two axes follow what the
table carries away. Between a piece and a correction, and behind it, the command stands for a cycle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, radians, sin
from typing import Any

from .paths import way_along
from .pieces import Piece, Point, each_cycle

STEP = 1e-3
"""The share of a piece on both sides of a place that decides which direction it has there."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A piece of the path, what moves along it, and what it is turned around (else its bend)."""

    piece: Piece
    profile: Any
    height: float
    """Where a third axis is at its end, u."""
    around: Point | None


@dataclass(frozen=True, kw_only=True)
class Table:
    """How the turning axis takes part."""

    center: Point
    carries: bool
    """Whether the two axes follow what it turns."""
    correction: Any
    """Its profile at corners, of degrees."""
    least: float
    """Degrees that are no corner."""


def turning(stages: Sequence[Stage], table: Table, height: float) -> Iterator[Point]:
    """Return, for each cycle, both axes, the degrees that the third has turned, and the height."""
    turned, before = 0.0, None
    for stage in stages:
        piece = stage.piece
        begins = _direction(stage, 0.0)
        if before is not None:
            bend = _shorter(begins - before)
            yield (*_carried(table, piece.point(0.0), turned), turned, height)
            if abs(bend) > table.least:
                for gone in each_cycle(way_along(abs(bend), table.correction, 0.0))[1:]:
                    now = turned + (gone if bend > 0.0 else -gone)
                    yield (*_carried(table, piece.point(0.0), now), now, height)
                turned += bend
        way = way_along(piece.length, stage.profile, 0.0)
        rise, last = stage.height - height, begins
        yield (*_carried(table, piece.point(0.0), turned), turned, height)
        for gone in each_cycle(way)[1:]:
            now = _direction(stage, gone)
            turned, last = turned + _shorter(now - last), now
            place = _carried(table, piece.point(gone), turned)
            yield (*place, turned, height + rise * gone / piece.length)
        before, height = last, stage.height


def _direction(stage: Stage, way: float) -> float:
    """Return what the turning axis follows after a way along a piece, degrees."""
    piece = stage.piece
    if stage.around is not None:
        x, y = piece.point(way)
        return degrees(atan2(y - stage.around[1], x - stage.around[0]))
    # On a circle the chord around a place has the direction of the circle there.
    step = STEP * piece.length
    (x, y), (u, v) = piece.point(way - step), piece.point(way + step)
    return degrees(atan2(v - y, u - x))


def _shorter(angle: float) -> float:
    """Return the same angle within half a turn."""
    return (angle + 180.0) % 360.0 - 180.0


def _carried(table: Table, place: Point, turned: float) -> Point:
    """Return where a place of the path is when the table has turned."""
    if not table.carries:
        return place
    angle = radians(-turned)
    x, y = place[0] - table.center[0], place[1] - table.center[1]
    return (
        table.center[0] + x * cos(angle) - y * sin(angle),
        table.center[1] + x * sin(angle) + y * cos(angle),
    )
