"""What a recorder has written: what happened before an alarm, and curves of it."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from ...client import MachineError
from ...recordings import words
from ...recordings.errors import RecordingError
from ...recordings.files import DEFAULT_FOLDER, PART, SUFFIX
from ...recordings.reading import Recording
from ...recordings.summary import Summary, curves_of, summarize
from ..frame import Frame
from ..history import thinned
from .curves import curve, draw, plot
from .tables import table

RECORDER = "wmx_recorder_node"
QUANTITIES = {
    f"{name.replace('_', ' ')}, {unit}": field for name, (field, unit) in words.QUANTITIES.items()
}
"""What is drawn, and the field of EngineStatus that holds it."""
USUAL = "position, u"
MOST_FILES = 200
MOST_POINTS = 2000
POLL_PERIOD = 2.0
"""How often the folder is looked into for new files, s."""
NONE = "no recording is open"


def build(frame: Frame) -> None:
    """Make the page."""
    opened: list[Recording] = []
    known: list[Path] = []
    with ui.row().classes("items-center w-full"):
        chosen = ui.select([], label="Recording").classes("w-96").props("id=recording")
        every = ui.switch("also what was only commanded")
        frame.button(
            "Save one now",
            "save a recording",
            lambda: frame.link.connected.save_recording(),
            icon="save",
        )
    heading = ui.label(NONE).classes("text-h6").props("id=recording-summary")
    heading.style("white-space: pre-line")
    events = _table(("time", "axes", "what happened"))
    extents = _table(("axis", "from, u", "to, u", "fastest, u/s", "greatest following error, u"))
    with ui.row().classes("items-center"):
        of = ui.select(list(QUANTITIES), value=USUAL, label="Curves of").classes("w-44")
        axes = ui.select([], value=[], multiple=True, label="Axes").classes("w-44")
    chart = ui.echart(plot("s", "")).classes("w-full").style("height: 340px")
    chart.set_visibility(False)

    async def look() -> None:
        folder = await asyncio.to_thread(_folder, frame)
        files = await asyncio.to_thread(_files, folder)
        if files != known:
            known[:] = files
            chosen.set_options({str(file): file.name for file in files})
        if not chosen.value:
            number = f"{len(files)} are in" if files else "there is none in"
            heading.text = f"{NONE}: {number} {folder} on the computer of the panel"

    async def read() -> None:
        if not chosen.value:
            return
        heading.text = f"reading {chosen.value} ..."
        try:
            recording = Recording(Path(chosen.value))
            summary = await asyncio.to_thread(summarize, recording)
        except RecordingError as error:
            heading.text = str(error)
            return
        opened[:] = [recording]
        chart.set_visibility(True)
        heading.text = "\n".join(words.heading(recording, summary))
        events.rows = _events(summary, every=every.value)
        extents.rows = _extents(summary)
        axes.set_options(list(range(int(recording.about.get("axes", 0)))))
        axes.value = sorted(summary.extents)[:6]
        await show_curves()

    async def show_curves() -> None:
        if not opened:
            return
        times, rows = await asyncio.to_thread(
            partial(curves_of, opened[0], axes.value, QUANTITIES[of.value])
        )
        chart.options["yAxis"]["name"] = of.value
        thin = [thinned(times, row[None, :], MOST_POINTS) for row in rows]
        named = zip(axes.value, thin, strict=True)
        draw(chart, [curve(axis, f"axis {axis}", at, row) for axis, (at, [row]) in named])

    chosen.on_value_change(read)
    every.on_value_change(read)
    of.on_value_change(show_curves)
    axes.on_value_change(show_curves)
    ui.timer(POLL_PERIOD, look)


def _folder(frame: Frame) -> Path:
    """Where the recorder of the machine writes, or would."""
    folder = None
    try:
        nodes = frame.link.connected.nodes
        if nodes.running([RECORDER]):
            [folder] = nodes.parameters(RECORDER, "folder", timeout=2.0)
    except MachineError:
        pass
    return Path(folder or DEFAULT_FOLDER).expanduser()


def _files(folder: Path) -> list[Path]:
    """The recordings in a folder, the newest first."""
    found = [*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{SUFFIX}{PART}")]
    return sorted(found, key=lambda file: file.name, reverse=True)[:MOST_FILES]


def _events(summary: Summary, *, every: bool) -> list[dict[str, Any]]:
    chosen = [event for event in summary.events if every or not event.expected]
    return [
        {
            "key": i,
            "time": words.clock(event.time),
            "axes": ", ".join(map(str, event.axes)),
            "what happened": event.text,
        }
        for i, event in enumerate(chosen)
    ]


def _extents(summary: Summary) -> list[dict[str, Any]]:
    return [
        {
            "key": axis,
            "axis": axis,
            "from, u": f"{extent.low:.6g}",
            "to, u": f"{extent.high:.6g}",
            "fastest, u/s": f"{extent.velocity:.6g}",
            "greatest following error, u": f"{extent.following_error:.3g}",
        }
        for axis, extent in sorted(summary.extents.items())
    ]


def _table(names: tuple[str, ...]) -> ui.table:
    made = table(names, pagination=20)
    return made.props('wrap-cells no-data-label="nothing is shown yet"')
