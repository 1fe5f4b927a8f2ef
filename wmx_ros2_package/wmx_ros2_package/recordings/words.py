"""What people read of a recording, by the command line and in the panel; it imports no ROS."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reading import Recording
    from .summary import Summary

QUANTITIES = {
    "command": ("pos_cmd", "u"),
    "position": ("actual_pos", "u"),
    "velocity": ("actual_velocity", "u/s"),
    "command_velocity": ("velocity_cmd", "u/s"),
    "torque": ("actual_torque", "%"),
    "following_error": ("following_error", "u"),
}
"""What can be drawn: the field of EngineStatus, and its unit."""


MOST_GAPS = 5


def heading(recording: Recording, summary: Summary) -> Iterator[str]:
    """What the recording is of, whether it is whole, and why it was written."""
    about = recording.about
    yield f"{recording.path.name}: {_span(summary)}"
    driver = f"{about.get('driver', '?')}, {about.get('axes', '?')} axes"
    yield f"recorded by {about.get('node', '?')} (driver {driver}; {summary.statuses} samples)"
    if recording.cut_off:
        yield f"the file is not whole, what follows was before: {recording.cut_off}"
    for gap in recording.gaps[:MOST_GAPS]:
        where = f"from {clock(gap.first)} to {clock(gap.last)} " if gap.last else ""
        yield f"the file is broken, {where}there is a gap: {gap.reason}"
    if (left := len(recording.gaps) - MOST_GAPS) > 0:
        yield f"and there are {left} gaps more"
    if summary.other_version:
        yield f"{summary.other_version} messages of another version of the interfaces are left out"
    for reason in about.get("reasons", "").splitlines()[:1]:
        yield f"written because of: {reason}"


def _span(summary: Summary) -> str:
    if summary.statuses:
        seconds = (summary.last - summary.first) * 1e-9
        return f"{seconds:.3f} s from {clock(summary.first, date=True)}"
    if summary.events:
        begin = clock(summary.events[0].time, date=True)
        return f"no status of the axes can be read, only events, the first at {begin}"
    return "no status of the axes can be read, so its time is not known"


def called(axes: Iterable[int], names: Mapping[int, str]) -> str:
    """What axes are called: their numbers, with the names that say more than the number does."""
    known = ((axis, names.get(axis, "")) for axis in axes)
    return ", ".join(
        f"{axis} ({name})" if name not in ("", f"axis_{axis}") else f"{axis}"
        for axis, name in known
    )


def clock(stamp: int, *, date: bool = False) -> str:
    """A time (ns since the epoch) as people read it, in the time zone of this machine."""
    seconds, rest = divmod(stamp, 1_000_000_000)
    form = "%Y-%m-%d %H:%M:%S" if date else "%H:%M:%S"
    return f"{time.strftime(form, time.localtime(seconds))}.{rest // 1_000_000:03d}"
