"""The engine's parameters: searched, compared with a file and with the defaults, and loaded."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from nicegui import ui

from wmx_core.parameters.differences import Difference, texts_by_group
from wmx_core.parameters.dump import Sections, sections
from wmx_core.parameters.loading import preview, together
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters

from ...client import MachineError
from ..file_reader import FileError
from ..frame import Frame
from .tables import table

COLUMNS = ("axis", "section", "name", "engine", "file", "default")
NOT_SHOWN = "not shown"
"""What stands for a value that the engine does not report."""
Row = dict[str, Any]


def build(frame: Frame) -> None:
    """Make the page."""
    engine: dict[int, Sections] = {}
    previewed: dict[str, ParameterSet] = {}
    """The one file that was previewed, by its path."""
    with ui.row().classes("items-center w-full"):
        search = ui.input("Search", placeholder="SoftLimit, Gear ...").props("clearable id=search")
        which = ui.select(
            {"all": "all", "default": "other than the default", "file": "other than the file"},
            value="all",
            label="Show",
        ).classes("w-56")
        path = ui.input("Parameter file (on the computer of the panel)").classes("w-96 max-w-full")
        path.props("id=parameter-file")

        async def compare() -> None:
            found = await read_file()
            if found is None or not await read():
                return
            previewed.clear()
            previewed[path.value] = found
            loader.enable()
            which.value = "file"
            show()

        ui.button("Preview", icon="difference", on_click=compare)

        async def read_file() -> ParameterSet | None:
            try:
                return await frame.panel.files.run(read_parameters, path.value)
            except FileError as error:
                ui.notify(str(error), type="negative", multi_line=True)
                return None

        async def load() -> None:
            if await read_file() != previewed[path.value]:
                ui.notify("the file has changed since its preview", type="negative")
                return
            order = await frame.order(
                f"load parameters from {path.value}",
                lambda: frame.link.connected.parameters.load(path.value),
            )
            if order.done:
                await read()

        loader = frame.on_click(ui.button("Load into the engine", icon="upload"), load)
        loader.disable()
        # Nothing is loaded but what was previewed.
        path.on_value_change(lambda: loader.set_enabled(path.value in previewed))
    changes = ui.label().classes("text-h6").props("id=changes")
    listed = table(COLUMNS, pagination=50, sortable=True)

    def show() -> None:
        file = next(iter(previewed.values()), None)
        changes.text = ""
        if which.value == "file" and file is not None:
            changed, hidden = preview(file, engine)
            rows = [_previewed(each) for each in (*together(changed), *together(hidden))]
            changes.text = f"Loading the file changes {len(changed)} parameters" + (
                f"; it sets {len(hidden)} more, which the engine does not show" if hidden else ""
            )
        else:
            rows = _rows(engine, file)
            if which.value == "default":
                rows = [row for row in rows if row["engine"] != row["default"]]
        rows = [row for row in rows if _matches(row, search.value or "")]
        changes.text = changes.text or f"{len(rows)} parameters"
        listed.rows = rows

    async def read() -> bool:
        try:
            found = await asyncio.to_thread(lambda: frame.link.connected.parameters.get())
        except MachineError as error:
            engine.clear()  # so that nothing stands below the error that may be of another time
            show()
            changes.text = error.text
            return False
        engine.clear()
        engine.update(found)
        show()
        return True

    search.on_value_change(show)
    which.on_value_change(show)
    ui.timer(0.0, read, once=True)


def _matches(row: Row, search: str) -> bool:
    text = f"{row['axis']} {row['section']} {row['name']}".lower()
    return all(word in text for word in search.lower().split())


def _previewed(found: Difference) -> Row:
    """A row of what a load does; the engine does not show what it does with all of them."""
    section, _, name = found.name.partition("/")
    return {
        "key": f"{found}",
        "axis": found.where.removeprefix("axis ").removeprefix("axes "),
        "section": section,
        "name": name,
        "engine": found.second or NOT_SHOWN,
        "file": found.first,
        "default": _defaults().get(found.name, ""),
    }


@cache
def _defaults() -> dict[str, str]:
    """The vendor's defaults, by the names that a file has for them and those that are shown."""
    defaults = ParameterSet.defaults(1)
    texts = texts_by_group(defaults).values()
    return {name: text for group in texts for name, text in group.items()} | {
        f"{section}/{name}": text
        for section, values in sections(defaults, 0).items()
        for name, text in values.items()
    }


def _rows(engine: dict[int, Sections], file: ParameterSet | None) -> list[Row]:
    """A row of each parameter that the engine shows."""
    held = {axis: sections(file, axis) for axis in file.axes} if file is not None else {}
    return [
        {
            "key": f"{axis}{section}{name}",
            "axis": axis,
            "section": section,
            "name": name,
            "engine": value,
            "file": held.get(axis, {}).get(section, {}).get(name, ""),
            "default": _defaults().get(f"{section}/{name}", ""),
        }
        for axis, shown in engine.items()
        for section, values in shown.items()
        for name, value in values.items()
    ]
