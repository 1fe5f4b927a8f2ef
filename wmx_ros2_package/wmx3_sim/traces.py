"""Two logs of the same program: whether the axes went the same way, cycle by cycle.

How long a program takes between two calls is the computer's affair, not the engine's. So rest may
last differently; what moves has to be in the same place in the same cycle. Logs have three
decimals, and a row may be rounded the other way: `TOLERANCE`.
"""

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

TOLERANCE = 0.002
"""u, and the difference of two rows, below which an axis counts as resting."""
TAIL = 200
"""Rows by which one log may be longer, where the program ended it while something moved: when
that was is the computer's affair, too."""
CRUISE = 40
_BAND = 64
"""Rows by which two logs may drift apart in what counts as rest."""

Row = tuple[float, ...]


class Trace(NamedTuple):
    """The columns of a log but for the number of the cycle, and a row a cycle."""

    columns: tuple[str, ...]
    rows: list[Row]


class Difference(NamedTuple):
    """Where two logs part: row and values of ours, and of the other."""

    row: int
    ours: Row | None
    theirs: Row | None

    def __str__(self) -> str:
        return f"row {self.row}: {self.ours} here, {self.theirs} there"


def read_trace(path: Path) -> Trace:
    """A log as the SDK writes it, but for its last line, which need not have been finished."""
    header, *lines = path.read_text(errors="replace").splitlines() or [""]
    columns = tuple(header.split("\t"))[1:]
    rows = []
    for line in lines:
        try:
            values = tuple(float(value) for value in line.split("\t")[1:])
        except ValueError:
            continue
        if len(values) == len(columns):
            rows.append(values)
    return Trace(columns, rows[:-1])


def first_difference(ours: Trace, theirs: Trace) -> Difference | None:
    """Where two logs part, or None if they are of the same motions."""
    if ours.columns != theirs.columns:
        return Difference(0, None, None)
    a, b = _moving(ours.rows), _moving(theirs.rows)
    if not a or not b:
        return None if a == b else Difference(0, a[0] if a else None, b[0] if b else None)
    reachable, furthest = {0}, 0
    if not _near(a[0], b[0]):
        return Difference(0, a[0], b[0])
    for i in range(len(a)):
        # What rests there may rest here for a while longer.
        grown = sorted(reachable)
        while grown:
            j = grown.pop() + 1
            inside = j not in reachable and j < len(b) and j - i <= _BAND
            if inside and _near(b[j], b[j - 1]) and _near(a[i], b[j]):
                reachable.add(j)
                grown.append(j)
        furthest = max(reachable)
        if i + 1 == len(a):
            break
        following = {j + 1 for j in reachable if j + 1 < len(b) and _near(a[i + 1], b[j + 1])}
        if _near(a[i + 1], a[i]):
            following |= {j for j in reachable if _near(a[i + 1], b[j])}
        if not following and furthest + 1 == len(b) and len(a) - i <= TAIL and _moves(theirs.rows):
            return None
        if not following:
            return Difference(i + 1, a[i + 1], b[min(furthest + 1, len(b) - 1)])
        reachable = following
    if furthest + 1 < len(b):
        if len(b) - furthest <= TAIL and _moves(ours.rows):
            return None
        return Difference(len(a), a[-1], b[furthest + 1])
    return None


def without_cruises(trace: Trace) -> Trace:
    """The trace with `CRUISE` rows of every steady velocity that lasts longer.

    For programs that jog: a jog lasts until the program stops it, as long as the computer takes.
    """
    rows = trace.rows[:1]
    steady, begun = 0, tuple(0.0 for _ in trace.columns)
    for one, other in pairwise(trace.rows):
        way = tuple(y - x for x, y in zip(one, other, strict=True))
        same = all(abs(x - y) <= TOLERANCE / 4 for x, y in zip(way, begun, strict=True))
        steady, begun = (steady + 1, begun) if same else (0, way)
        if steady < CRUISE:
            rows.append(tuple(x + y for x, y in zip(rows[-1], way, strict=True)))
    return Trace(trace.columns, rows)


def _moves(rows: list[Row]) -> bool:
    """Whether the axes move at the end of a log."""
    return len(rows) > 1 and not _near(rows[-1], rows[-2])


def _moving(rows: list[Row]) -> list[Row]:
    """The rows without those that are equal to the one before."""
    return rows[:1] + [row for before, row in pairwise(rows) if row != before]


def _near(one: Row, other: Row) -> bool:
    return all(abs(x - y) <= TOLERANCE for x, y in zip(one, other, strict=True))
