"""What a recorder has written: what happened before an alarm, and curves of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

from nicegui import ui

from ...client import MachineError
from ...recordings import words
from ...recordings.files import PART
from .. import advice
from ..description import recordings_folder
from ..file_reader import FileError
from ..frame import Frame
from ..recording_views import curves, recordings_in, view
from .curves import curve, draw, plot
from .tables import table

QUANTITIES = {
    f"{name.replace('_', ' ')}, {unit}": field for name, (field, unit) in words.QUANTITIES.items()
}
"""What is drawn, and the field of EngineStatus that holds it."""
USUAL = "position, u"
POLL_PERIOD = 2.0
"""How often the folder is looked into for new files, s."""
MOST_AT_REST = 6
"""So many axes are drawn of a recording in which none has moved."""
UNITS = "u: the unit of the axis in the engine, whatever its node has it in"
NONE = "no recording is open"


def build(frame: Frame) -> None:
    """Make the page."""
    files = frame.panel.recordings
    known: list[Path] = []
    opened: list[Path] = []
    with ui.row().classes("items-center w-full"):
        chosen = ui.select([], label="Recording").classes("w-96").props("id=recording")
        every = ui.switch("also motions that arrived, and what has ended")
        download = ui.button("Download", icon="download").props("outline id=download")
        save_one = ui.button("Save one now", icon="save")
    heading = ui.label(NONE).classes("text-h6").props("id=recording-summary")
    heading.style("white-space: pre-line")
    shown = ui.column().classes("w-full")
    with shown:
        events = _table(("time", "axes", "what happened"))
        extents = _table(
            ("axis", "least, u", "greatest, u", "fastest, u/s", "greatest following error, u")
        )
        ui.label(UNITS).classes("text-caption")
        with ui.row().classes("items-center"):
            of = ui.select(list(QUANTITIES), value=USUAL, label="Curves of").classes("w-44")
            axes = ui.select([], value=[], multiple=True, label="Axes").classes("w-44")
        chart = ui.echart(plot("s", "")).classes("w-full").style("height: 340px")

    def clear(text: str) -> None:
        """Show nothing of any recording but `text`."""
        opened.clear()
        heading.text = text
        shown.set_visibility(False)
        events.rows, extents.rows = [], []
        draw(chart, [])

    async def look() -> None:
        machine = frame.link.machine
        nodes = machine.nodes if machine is not None else None
        try:
            folder = await asyncio.to_thread(recordings_folder, nodes)
            found, number = await frame.panel.files.run(recordings_in, folder)
        except (MachineError, FileError) as error:
            if not chosen.value:
                heading.text = f"{NONE}: {advice.words(error)}"
            return
        if found != known:
            known[:] = found
            options = {str(file): file.name for file in found}
            now = str(chosen.value or "")
            whole = now.removesuffix(PART)  # where it was being written when it was chosen
            chosen.set_options(options, value=next(filter(options.get, (now, whole)), None))
        if not chosen.value:
            there = f"{number} are in" if found else "there is none in"
            listed = f", the newest {len(found)} are listed" if number > len(found) else ""
            heading.text = f"{NONE}: {there} {folder} on the computer of the panel{listed}"

    async def read() -> None:
        path = str(chosen.value or "")
        download.set_enabled(bool(path))
        clear(f"reading {path} ..." if path else NONE)
        if not path:
            return
        try:
            found = await files.run(view, Path(path), every.value)
        except FileError as error:
            if path == chosen.value:
                clear(str(error))
            return
        if path != chosen.value:
            return  # another one was chosen since
        opened[:] = [Path(path)]
        heading.text = found.heading
        events.rows, extents.rows = found.events, found.extents
        axes.set_options(found.axes)
        shown.set_visibility(True)
        wanted = found.moved or [*found.axes][:MOST_AT_REST]
        if axes.value == wanted:
            await show_curves()
        else:  # which shows them
            axes.value = wanted

    async def show_curves() -> None:
        if not opened:
            return
        asked = opened[0], list(axes.value), of.value
        try:
            found = await files.run(curves, *asked[:2], QUANTITIES[of.value])
        except FileError as error:
            clear(str(error))
            return
        if asked != (*opened, list(axes.value), of.value):
            return
        chart.options["yAxis"]["name"] = of.value
        named = zip(axes.value, found, strict=True)
        draw(chart, [curve(axis, axes.options[axis], at, row) for axis, (at, row) in named])

    async def save() -> None:
        """Have one written, and show it, where the recorder writes into this folder."""
        written: list[str] = []

        def write() -> None:
            written.append(frame.link.connected.save_recording())

        if (await frame.order("save a recording", write)).done:
            await look()
            name = Path(written[0]).name
            chosen.value = next((str(file) for file in known if file.name == name), chosen.value)

    def fetch() -> None:
        path = Path(str(chosen.value))
        ui.navigate.to(f"/recording/{quote(path.name)}", new_tab=True)

    clear(NONE)
    download.disable()
    download.on_click(fetch)
    frame.on_click(save_one, save)
    chosen.on_value_change(read)
    every.on_value_change(read)
    of.on_value_change(show_curves)
    axes.on_value_change(show_curves)
    ui.timer(POLL_PERIOD, look)


def _table(names: tuple[str, ...]) -> ui.table:
    made = table(names, pagination=20)
    return made.props('wrap-cells no-data-label="nothing is shown yet"')
