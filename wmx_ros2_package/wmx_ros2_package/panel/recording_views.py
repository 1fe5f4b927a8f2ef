"""What the page of recordings shows of a folder, and of a file; run by `file_reader`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from wmx_core.regular_file import open_regular_file
from wmx_core.values import MAX_AXES, Floats

from ..recordings import words
from ..recordings.errors import RecordingError
from ..recordings.files import PART, SUFFIX
from ..recordings.reading import Recording
from ..recordings.summary import Event, Summary, curves_of, summarize
from .history import MOST_POINTS, thinned

MOST_FILES = 200
MOST_ROWS = 2000
MOST_SHOWN_AXES = 6
T = TypeVar("T")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingView:
    """What is shown of one recording."""

    heading: str
    events: list[Row]
    extents: list[Row]
    axes: dict[int, str]
    """What each of its axes is called."""
    moved: list[int]
    """The first axes that moved."""


def _explained(work: Callable[..., T]) -> Callable[..., T]:
    """ValueError where `work` refuses a recording."""

    @wraps(work)
    def do(*arguments: Any) -> T:
        try:
            return work(*arguments)
        except RecordingError as error:
            raise ValueError(str(error)) from None

    return do


def recordings_in(folder: Path) -> tuple[list[Path], int]:
    """The newest recordings in a folder, the newest first; how many there are in all."""
    found = [*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{SUFFIX}{PART}")]
    return sorted(found, key=lambda file: file.name, reverse=True)[:MOST_FILES], len(found)


@_explained
def view(path: Path, every: bool) -> RecordingView:
    """Read a recording; with `every` also what was only commanded. ValueError has the reason."""
    recording = Recording(path)
    summary = summarize(recording)
    events = [event for event in summary.events if every or not event.expected]
    heading = [*words.heading(recording, summary)]
    if more := max(len(events) - MOST_ROWS, 0) + summary.more:
        heading.append(f"{more} more events are not shown")
    # Its engine may have come back with fewer axes than it had.
    axes = max(_axes_of(recording), 1 + max(summary.extents, default=-1))
    return RecordingView(
        heading="\n".join(heading),
        events=_rows(events[-MOST_ROWS:], summary),
        extents=_extents(summary),
        axes={axis: f"axis {words.called([axis], summary.names)}" for axis in range(axes)},
        moved=sorted(summary.extents)[:MOST_SHOWN_AXES],
    )


@_explained
def curves(path: Path, axes: Sequence[int], quantity: str) -> list[tuple[Floats, Floats]]:
    """Times and values of each axis, as many as a screen can show; ValueError has the reason."""
    times, rows = curves_of(Recording(path), axes, quantity)
    thin = [thinned(times, row[None, :], MOST_POINTS) for row in rows]
    return [(at, row) for at, [row] in thin]


def require_recording(folder: Path, name: str) -> Path:
    """The file `name` of a folder, which can be opened; ValueError where it is none."""
    path = folder / name
    if Path(name).name != name or not name.endswith((SUFFIX, SUFFIX + PART)):
        raise ValueError(f"{name} is no name of a recording")
    try:
        open_regular_file(str(path)).close()
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return path


def _axes_of(recording: Recording) -> int:
    """How many axes a recording says that its machine had; ValueError for what no machine has."""
    said = recording.about.get("axes", "0")
    if said not in map(str, range(MAX_AXES + 1)):
        raise ValueError(f"{said[:20]!r} axes in its metadata: it must be 0 to {MAX_AXES}")
    return int(said)


def _rows(events: Sequence[Event], summary: Summary) -> list[Row]:
    """The newest first: a file ends soon after what it was written for."""
    return [
        {
            "key": i,
            "time": words.clock(event.time),
            "axes": words.called(event.axes, summary.names),
            "what happened": event.text,
        }
        for i, event in enumerate(reversed(events))
    ]


def _extents(summary: Summary) -> list[Row]:
    return [
        {
            "key": axis,
            "axis": words.called([axis], summary.names),
            "least, u": f"{extent.low:.6g}",
            "greatest, u": f"{extent.high:.6g}",
            "fastest, u/s": f"{extent.velocity:.6g}",
            "greatest following error, u": f"{extent.following_error:.3g}",
        }
        for axis, extent in sorted(summary.extents.items())
    ]
