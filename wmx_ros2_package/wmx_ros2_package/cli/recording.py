"""`wmx record` has the recorder write a file, and `wmx recording` shows what is in one.

The second one, in lines and as curves, needs no system that runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from wmx_core.values import MAX_AXES, Floats

from ..recordings.errors import RecordingError
from ..recordings.files import PART
from ..recordings.reading import Recording
from ..recordings.words import QUANTITIES, called, clock, heading
from .arguments import add_system, number, whole
from .connection import connected
from .failures import Exit, Failure, wrong
from .terminal import Terminal

if TYPE_CHECKING:
    from ..recordings.summary import Event, Summary

MOST_LINES = 20
"""So many are printed unless all is asked for."""
MOST_EXTENTS = 6
DRAWN = "position"
"""What is drawn where nothing else is asked for."""
MOST_DRAWN = 8
"""So many axes are drawn into a file where none is named."""


def add_record(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_system(parser)
    parser.epilog = "The recorder has the last minute in memory, see docs/recording.md."
    parser.set_defaults(run=run_record)


def run_record(out: Terminal, options: argparse.Namespace) -> None:
    """Have the recorder write what it has in memory, and print the path of the file."""
    with connected(out, options) as machine:
        with out.progress("record"):
            path = machine.save_recording()
        out.show({"file": path}, lambda: path)


def add_recording(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add = parser.add_argument
    add("file", type=Path, help="a file that the recorder has written (.mcap, or .part)")
    add("--all", action="store_true", help="every event, also what was no more than commanded")
    add("--plot", type=whole(0, MAX_AXES - 1), nargs="+", metavar="AXIS", help="draw these axes")
    add("--png", type=Path, metavar="OUT", help="draw into a file; needs matplotlib")
    add("--of", choices=QUANTITIES, help=f"what is drawn (default {DRAWN})")
    add("--from", dest="begin", type=number, metavar="S", help="draw from then, s")
    add("--to", dest="end", type=number, metavar="S", help="draw until then, s")
    parser.set_defaults(run=run_recording)


def run_recording(out: Terminal, options: argparse.Namespace) -> None:
    """Print what happened, or draw."""
    _require_drawing(options)
    with needing_messages():
        from ..recordings.summary import summarize
    try:
        recording = Recording(options.file)
        if options.plot and not options.png:
            _draw(out, recording, options)
            require_whole(recording)
            return
        with out.progress(f"reading {options.file.name}"):
            summary = summarize(recording)
        read = summary.statuses or summary.events
        if not read and (summary.other_version or not recording.about):
            raise wrong(_nothing(recording, summary))
        if options.png:
            _save(out, recording, summary, options)
            require_whole(recording)
            return
    except RecordingError as error:
        raise wrong(str(error)) from None
    data = {
        "file": str(recording.path),
        "about": recording.about,
        "cut_off": recording.cut_off,
        "gaps": recording.gaps,
        "first": summary.first or None,
        "last": summary.last or None,
        "statuses": summary.statuses,
        "events": summary.events,
        "more_events": summary.more,
        "axes": summary.extents,
        "names": summary.names,
        "other_version": summary.other_version,
    }
    out.show(data, lambda: "\n".join(lines_of(recording, summary, every=options.all)))
    require_whole(recording)


def _require_drawing(options: argparse.Namespace) -> None:
    """Fail where what is to be drawn is chosen and nothing is drawn, or where it would be empty."""
    if options.begin is not None and options.end is not None and options.begin > options.end:
        rule = "must be at or before it"
        raise wrong(f"--from {options.begin:g} is after --to {options.end:g}: {rule}")
    chosen = ("of", options.of), ("from", options.begin), ("to", options.end)
    words = [f"--{name} {value}" for name, value in chosen if value is not None]
    if words and not (options.plot or options.png):
        rule = "must come with --plot or --png, which draw"
        raise wrong(f"{' '.join(words)}: {rule}", remedy="--plot 0")


def require_whole(recording: Recording) -> None:
    """Fail for a file that has gaps or no end, unless it is one that was being written."""
    if recording.gaps or (recording.cut_off and recording.path.suffix != PART):
        raise Failure(f"{recording.path} is not whole", shown=True)


@contextmanager
def needing_messages() -> Iterator[None]:
    """A Failure where what is imported inside needs messages that are not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Failure(
            f"the messages of the recordings are not installed: {error}",
            remedy="source the workspace that has wmx_ros2_message",
            exit_code=Exit.NOT_ASKED,
        ) from None


def lines_of(recording: Recording, summary: Summary, *, every: bool) -> Iterator[str]:
    """Return what people read: `MOST_LINES` at most, unless `every` event is asked for."""
    about = [*heading(recording, summary)]
    extents = [*_extents(summary)][: None if every else MOST_EXTENTS]
    kept = summary.events
    if not every:
        room = MOST_LINES - len(about) - len(extents) - 1
        told = [event for event in kept if not event.expected]
        # A client that is refused again and again does not hide what else happened.
        kept = sorted(told, key=lambda event: (event.refused, event.time))[:room]
        kept.sort(key=lambda event: event.time)
    yield from about
    for event in kept:
        yield f"  {clock(event.time)}  {_axes(event, summary)}{event.text}"
    if left := len(summary.events) - len(kept) + summary.more:
        yield f"  and {left} more{', which are not kept' if every else ': --all'}"
    yield from extents


def _extents(summary: Summary) -> Iterator[str]:
    for axis, extent in sorted(summary.extents.items()):
        yield (
            f"axis {called([axis], summary.names)} moved within {extent.low:.6g} to "
            f"{extent.high:.6g} u, up to {extent.velocity:.6g} u/s, "
            f"following error up to {extent.following_error:.3g} u"
        )


def _nothing(recording: Recording, summary: Summary) -> str:
    [broken, *_] = *(gap.reason for gap in recording.gaps), recording.cut_off
    if broken:
        return f"{recording.path} has nothing that can be read: {broken}"
    if summary.other_version:
        return f"{recording.path} is of another version of the interfaces: nothing can be read"
    return f"{recording.path} has nothing that a recorder of WMX writes"


def _save(
    out: Terminal, recording: Recording, summary: Summary, options: argparse.Namespace
) -> None:
    """Draw the axes that are named, or else those that moved, into a file."""
    from .figures import save_png

    axes = options.plot or sorted(summary.extents)[:MOST_DRAWN]
    if not axes:
        raise wrong("no axis moved: name those that are to be drawn", remedy="--plot 0 1")
    label, times, rows, names = _curves(recording, axes, options)
    save_png(options.png, times, rows, names, label=label)
    data = {"file": str(options.png), "axes": axes, "samples": len(times)}
    out.show(data, lambda: f"{options.png}: {label} of axes {axes}, {len(times)} samples")


def _draw(out: Terminal, recording: Recording, options: argparse.Namespace) -> None:
    from .plotting import COLOURS, picture

    if out.as_json:
        raise wrong("a plot has no JSON", remedy="leave --plot out")
    if len(options.plot) > len(COLOURS):
        raise wrong(f"{len(COLOURS)} axes at a time are drawn")
    out.print(picture(out, *_curves(recording, options.plot, options)))


def _curves(
    recording: Recording, axes: Sequence[int], options: argparse.Namespace
) -> tuple[str, Floats, list[Floats], list[str]]:
    """Return what is drawn: its label, the times, and a row and a name for each axis."""
    from ..recordings.summary import curves_of

    quantity = options.of or DRAWN
    name, unit = QUANTITIES[quantity]
    times, rows = curves_of(recording, axes, name)
    if not len(times):
        raise Failure(f"{recording.path} has no status of axes {axes}")
    begin = -inf if options.begin is None else options.begin
    seen = (times >= begin) & (times <= (inf if options.end is None else options.end))
    if not seen.any():
        raise wrong(f"nothing is recorded then: it lasts from 0 to {times[-1]:g} s")
    label = f"{quantity.replace('_', ' ')}, {unit}"
    return label, times[seen], [row[seen] for row in rows], [f"axis {axis}" for axis in axes]


def _axes(event: Event, summary: Summary) -> str:
    if not event.axes:
        return ""
    word = "axis" if len(event.axes) == 1 else "axes"
    return f"{word} {called(event.axes, summary.names)}: "
