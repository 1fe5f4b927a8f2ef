"""Two logs of the same program: whether the axes went the same way, cycle by cycle.

How long a program takes between two calls is the computer's affair, not the engine's. So rest may
last differently; what moves has to be in the same place in the same cycle. Logs have three
decimals, and a row may be rounded the other way: `TOLERANCE`.
"""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

TOLERANCE = 0.002
"""u, and the difference of two rows, below which an axis counts as resting."""
TAIL = 200
"""Rows by which the other log may be longer, where ours ends while something moves."""
CRUISE = 20
"""Rows before and behind one that lie on a line with it, in the middle of a cruise."""
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
    """Return a log as the SDK writes it, but for its last line, which need not have been finished.

    A delimiter behind the last column is an option of the log.
    """
    header, *lines = path.read_text(errors="replace").splitlines() or [""]
    columns = tuple(header.rstrip("\t").split("\t"))[1:]
    rows = []
    for line in lines:
        try:
            values = tuple(float(value) for value in line.rstrip("\t").split("\t")[1:])
        except ValueError:
            continue
        if len(values) == len(columns):
            rows.append(values)
    return Trace(columns, rows[:-1])


def first_difference(ours: Trace, theirs: Trace) -> Difference | None:
    """Return where two logs part, or None if they are of the same motions."""
    if ours.columns != theirs.columns:
        return Difference(0, None, None)
    a, b = moving(ours.rows), moving(theirs.rows)
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
        if not following and furthest + 1 == len(b) and ends_moving(theirs):
            return None  # When a program ends its log is the computer's affair, too.
        if not following:
            return Difference(i + 1, a[i + 1], b[min(furthest + 1, len(b) - 1)])
        reachable = following
    if furthest + 1 < len(b):
        if len(b) - furthest <= TAIL and ends_moving(ours):
            return None
        return Difference(len(a), a[-1], b[furthest + 1])
    return None


def without_cruises(trace: Trace, more: int = 0) -> Trace:
    """Return the trace without the middle of every steady velocity, but `more` rows of it.

    For programs that jog: a jog lasts until the program stops it, as long as the computer takes.
    How a cruise begins and ends stays as it was.
    """
    return split_cruises(trace, more)[0]


def split_cruises(trace: Trace, more: int = 0) -> tuple[Trace, dict[int, int]]:
    """Return the trace without cruises, and how many rows are missing before which of its rows."""
    rows, kept, missing = trace.rows, trace.rows[:CRUISE], dict[int, int]()
    gone, left_out = tuple(0.0 for _ in trace.columns), 0
    for i in range(CRUISE, len(rows)):
        if i + CRUISE < len(rows) and _cruises(rows, i):
            left_out += 1
            continue
        if left_out:
            missing[len(kept)] = left_out
            begun, over = rows[i - left_out - CRUISE], rows[i - 1 + CRUISE]
            way = [(y - x) / (left_out + 2 * CRUISE - 1) for x, y in zip(begun, over, strict=True)]
            gone = tuple(x + (left_out - more) * y for x, y in zip(gone, way, strict=True))
            last = _less(rows[i], gone)
            kept += [_less(last, [n * y for y in way]) for n in range(more, 0, -1)]
            left_out = 0
        kept.append(_less(rows[i], gone))
    return Trace(trace.columns, kept), missing


def _less(row: Row, other: Iterable[float]) -> Row:
    return tuple(x - y for x, y in zip(row, other, strict=True))


def _cruises(rows: list[Row], i: int) -> bool:
    """Return whether row `i` is in the middle of a steady velocity other than zero."""
    around = list(zip(rows[i - CRUISE], rows[i], rows[i + CRUISE], strict=True))
    straight = all(abs(x - 2 * y + z) <= TOLERANCE for x, y, z in around)
    return straight and any(x != z for x, _, z in around)


def ends_moving(trace: Trace) -> bool:
    """Return whether the axes move at the end of a log."""
    return len(trace.rows) > 1 and not _near(trace.rows[-1], trace.rows[-2])


def moving(rows: list[Row]) -> list[Row]:
    """Return the rows without those that are equal to the one before."""
    return rows[:1] + [row for before, row in pairwise(rows) if row != before]


def _near(one: Row, other: Row) -> bool:
    return all(abs(x - y) <= TOLERANCE for x, y in zip(one, other, strict=True))
