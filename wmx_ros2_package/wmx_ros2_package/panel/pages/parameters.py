"""The engine's parameters: searched, compared with a file and with the defaults, and loaded."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from nicegui import ui

from ...client import MachineError
from ...client.parameters import Sections, _sections
from ...drivers.errors import WmxError
from ...drivers.parameters.dump import describe_axis
from ...drivers.parameters.parameter_set import ParameterSet, read_parameters
from ..frame import Frame

COLUMNS = ("axis", "section", "name", "engine", "file", "default")


def build(frame: Frame) -> None:
    """Make the page."""
    files: dict[int, Sections] = {}
    engine: dict[int, Sections] = {}
    previewed: list[str] = [""]
    with ui.row().classes("items-center w-full"):
        search = ui.input("Search", placeholder="SoftLimit, Gear ...").props("clearable id=search")
        which = ui.select(
            {"all": "all", "default": "other than the default", "file": "other than the file"},
            value="all",
            label="Show",
        ).classes("w-56")
        path = ui.input("Parameter file (on the computer of the panel)").classes("w-80")
        path.props("id=parameter-file")

        async def preview() -> None:
            try:
                found = await asyncio.to_thread(lambda: read_parameters(path.value))
            except (WmxError, OSError, ValueError) as error:
                ui.notify(str(error), type="negative", multi_line=True)
                return
            files.clear()
            previewed[0] = path.value
            loader.enable()
            files.update(_described(found, len(frame.plant.actuators)))
            which.value = "file"
            show()

        ui.button("Preview", icon="difference", on_click=preview)

        async def load() -> None:
            order = await frame.order(
                f"load parameters from {path.value}",
                lambda: frame.plant.connected.parameters.load(path.value),
            )
            if order.done:
                await read()

        loader = ui.button("Load into the engine", icon="upload", on_click=load)
        loader.classes("needs-control").disable()
        # Nothing is loaded but what was previewed.
        path.on_value_change(lambda: loader.set_enabled(path.value == previewed[0] != ""))
    changes = ui.label().classes("text-h6").props("id=changes")
    table = (
        ui.table(
            columns=[
                {"name": c, "label": c, "field": c, "align": "left", "sortable": True}
                for c in COLUMNS
            ],
            rows=[],
            row_key="key",
            pagination=50,
        )
        .classes("w-full")
        .props("dense")
    )

    def show() -> None:
        defaults = _described(ParameterSet.defaults(max(len(engine), 1)), len(engine))
        rows = [
            row
            for row in _rows(engine, files, defaults)
            if all(
                w in f"{row['axis']} {row['section']} {row['name']}".lower()
                for w in (search.value or "").lower().split()
            )
        ]
        if which.value != "all":
            rows = [row for row in rows if row["engine"] != row[which.value] and row[which.value]]
        changes.text = f"{len(rows)} parameters"
        if which.value == "file":
            changes.text = f"Loading the file changes {len(rows)} parameters"
        table.rows = rows

    async def read() -> None:
        try:
            found = await asyncio.to_thread(lambda: frame.plant.connected.parameters.get())
        except MachineError as error:
            changes.text = error.text
            return
        engine.clear()
        engine.update(found)
        show()

    search.on_value_change(show)
    which.on_value_change(show)
    ui.timer(0.0, read, once=True)


def _described(parameters: ParameterSet, axes: int) -> dict[int, Sections]:
    describe = partial(describe_axis, parameters)
    return {axis: _sections("\n".join(describe(axis))) for axis in range(axes)}


def _rows(
    engine: dict[int, Sections], file: dict[int, Sections], defaults: dict[int, Sections]
) -> list[dict[str, Any]]:
    return [
        {
            "key": f"{axis}{section}{name}",
            "axis": axis,
            "section": section,
            "name": name,
            "engine": value,
            "file": file.get(axis, {}).get(section, {}).get(name, ""),
            "default": defaults.get(axis, {}).get(section, {}).get(name, ""),
        }
        for axis, sections in engine.items()
        for section, values in sections.items()
        for name, value in values.items()
    ]
