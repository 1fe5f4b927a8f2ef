"""The begin and the end of a motion as lines that people read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from ..control.request import EndReason, MotionKind, unit_of_event

Units = Mapping[int, str]
"""Of the axes, by their numbers."""
Names = Mapping[int, str]
UNKNOWN = "u"


def begin_line(
    at: float,
    kind: MotionKind,
    targets: Sequence[float],
    source: str,
    axes: Sequence[int],
    named: Sequence[str],
    *,
    names: Names,
    units: Units,
) -> str:
    """A motion that began `at` (s since the epoch); `named`: as its source names the axes."""
    places = _places(axes, targets, units, source)
    to = f" to {', '.join(places)}" if places else ""
    who = _who(axes, named, names)
    return f"{_stamp(at)}  {who}: {kind.name.lower()}{to} begins ({source})"


def end_line(
    at: float,
    reason: EndReason,
    message: str,
    final: Sequence[float],
    source: str,
    axes: Sequence[int],
    named: Sequence[str],
    *,
    names: Names,
    units: Units,
) -> str:
    """A motion that ended, or a command that was refused, `at` (s since the epoch)."""
    places = _places(axes, final, units, source)
    where = f" at {', '.join(places)}" if places else ""
    why = f": {message}" if message else ""
    words = reason.name.lower().replace("_", " ")
    return f"{_stamp(at)}  {_who(axes, named, names)}: {words}{where}{why}"


def _stamp(at: float) -> str:
    clock = time.strftime("%H:%M:%S", time.localtime(at))
    return f"{clock}.{int(at % 1.0 * 1000):03d}"


def _who(axes: Sequence[int], named: Sequence[str], names: Names) -> str:
    return ", ".join(named or [names[axis] for axis in axes if axis in names])


def _places(axes: Sequence[int], places: Sequence[float], units: Units, source: str) -> list[str]:
    """Positions of axes as texts, but those that are none (NaN)."""
    return [
        f"{place + 0.0:.4f} {unit_of_event(source, units.get(axis, UNKNOWN))}"
        for axis, place in zip(axes, places, strict=False)
        if place == place
    ]
