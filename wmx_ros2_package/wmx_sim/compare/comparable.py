"""Why two logs of a program cannot be compared: what decided was not the engine.

Rules, not names: what is left over is either equal or different.
"""

from itertools import product

from .traces import Trace, first_difference, moving, split_cruises

HUNG = 10_000
"""Rows without any motion after which a program counts as one that hung or died."""
RACE = 10
"""Cycles by which the motion of one axis may begin sooner or later than that of another."""


def other_program(ours: Trace, theirs: Trace) -> str:
    """Return why the other log is not of this program on a new engine; "" if it may be."""
    if ours.columns != theirs.columns:
        return "the log there has other columns"
    if not ours.rows or not theirs.rows:
        return ""
    if any(abs(x - y) > 1.0 for x, y in zip(ours.rows[0], theirs.rows[0], strict=True)):
        return "the log there begins elsewhere"
    if len(theirs.rows) > HUNG and len(set(theirs.rows)) == 1:
        return f"nothing moved there in {len(theirs.rows) // 1000} s"
    return ""


def before_the_next(trace: Trace) -> Trace:
    """Return the trace without what the homing of the next program did: jumps from rest to zero."""
    rows, last = trace.rows, len(trace.rows)
    for i in reversed(range(2, len(rows))):
        if rows[i] == rows[i - 1]:
            continue
        jumps = [(x, y) for x, y in zip(rows[i - 1], rows[i], strict=True) if x != y]
        if rows[i - 1] != rows[i - 2] or any(y or abs(x) <= 1.0 for x, y in jumps):
            break
        last = i
    return Trace(trace.columns, rows[:last])


def raced(ours: Trace, theirs: Trace, *, jogs: bool, acted: bool) -> str:
    """Return what the computer decided, and not the engine, so that the logs differ; "" if nothing.

    `acted` is whether the engine did something by itself: then when it did counts.
    """
    if not acted and _each_is_equal(ours, theirs):
        return "each axis is equal, but one began some cycles sooner or later than another"
    if jogs and _jogs_end_elsewhere(ours, theirs):
        return "equal until a jog had come to rest; where it did was decided by when it was stopped"
    return ""


def _each_is_equal(ours: Trace, theirs: Trace) -> bool:
    """Return whether each column by itself is equal, and begins at nearly the same time in both."""
    sooner = []
    for i in range(len(ours.columns)):
        a, b = _column(ours, i), _column(theirs, i)
        if first_difference(a, b) is not None:
            return False
        if len(set(a.rows)) > 1:
            sooner.append(_begin(ours, i) - _begin(theirs, i))
    return len(sooner) > 1 and max(sooner) - min(sooner) <= RACE


def _column(trace: Trace, i: int) -> Trace:
    return Trace(trace.columns[i : i + 1], [row[i : i + 1] for row in trace.rows])


def _begin(trace: Trace, i: int) -> int:
    """Return the rows in which something moves until column `i` changes first."""
    rows = moving(trace.rows)
    return next((n for n, row in enumerate(rows) if row[i] != rows[0][i]), len(rows))


def _jogs_end_elsewhere(ours: Trace, theirs: Trace) -> bool:
    """Return whether the logs are equal until rest, behind cruises of which one lasted longer."""
    (a, here), (b, there) = split_cruises(ours), split_cruises(theirs)
    for i, j in product(_rests(a, min(here, default=0)), _rests(b, min(there, default=0))):
        lasted = [[n for at, n in in_.items() if at < end] for in_, end in ((here, i), (there, j))]
        if lasted[0] == lasted[1] or len(lasted[0]) != len(lasted[1]):
            continue
        if first_difference(Trace(a.columns, a.rows[:i]), Trace(b.columns, b.rows[:j])) is None:
            return True
    return False


def _rests(trace: Trace, since: int) -> list[int]:
    """Return the rows, from one on, behind which the axes rest."""
    rows = trace.rows
    steps = [rows[i] != rows[i - 1] for i in range(1, len(rows))]
    return [i + 2 for i in range(since, len(steps) - 1) if steps[i] and not steps[i + 1]]
