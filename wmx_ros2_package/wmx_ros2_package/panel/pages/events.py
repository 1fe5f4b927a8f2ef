"""What has happened: begin, end and refusal of motions, errors, and orders of this panel."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from nicegui import ui

from ..event_log import KINDS, TIME_HINT, EventFilter, EventRow, as_csv, read_time
from ..file_reader import FileError
from ..frame import Frame
from .tables import table

COLUMNS = ("time", "kind", "text", "axes", "source")
MOST_ROWS = 200
"""So many are shown; all are exported."""
PERIOD = 0.5


def build(frame: Frame) -> None:
    """Make the page."""
    with ui.row().classes("items-center w-full"):
        kinds = ui.select(list(KINDS), value=list(KINDS), multiple=True, label="Kinds").classes(
            "w-72"
        )
        wanted = ui.input("Filter", placeholder="words of a row").props("clearable id=filter")
        since = _time_field("From")
        until = _time_field("To")
        pause = ui.switch("Freeze")
        export = ui.button("Export as CSV", icon="download").props("outline id=export")
    summary = ui.label().props("id=events-summary role=status")
    listed = table(COLUMNS).classes("events")
    listed.props('wrap-cells no-data-label="nothing has happened that matches"')
    shown: list[Any] = [None]
    chosen: list[EventRow] = []

    def update() -> None:
        orders = tuple(frame.panel.orders.kept)
        newest = orders[-1] if orders else None
        asked = (wanted.value, tuple(kinds.value), since.value, until.value)
        state = (frame.link.events_count, newest, asked)
        if pause.value or state == shown[0]:
            return
        shown[0] = state
        try:
            which = EventFilter(
                kinds=tuple(kinds.value),
                words=wanted.value or "",
                since=read_time(since.value),
                until=read_time(until.value, end=True),
            )
        except ValueError as error:
            chosen.clear()  # so that nothing stands below the error that it is not about
            summary.text, listed.rows = str(error), []
            return
        rows = [*tuple(frame.link.events), *(order.row for order in orders)]
        chosen[:] = which.choose(rows)
        more = f", the newest {MOST_ROWS} are shown" if len(chosen) > MOST_ROWS else ""
        summary.text = f"{len(chosen)} of {len(rows)}{more}"
        listed.rows = [_cells(row, i) for i, row in enumerate(chosen[:MOST_ROWS])]

    async def save() -> None:
        try:
            text = await frame.panel.files.run(as_csv, list(chosen))
        except FileError as error:
            ui.notify(str(error), type="negative")
            return
        ui.download.content(text, f"wmx_events_{datetime.now():%Y-%m-%d_%H%M%S}.csv", "text/csv")

    export.on_click(save)
    ui.timer(PERIOD, update)


def _time_field(label: str) -> ui.input:
    field = ui.input(label, placeholder=TIME_HINT).props("clearable").classes("w-44")
    return field.props(f"for=events-{label.lower()}")


def _cells(row: EventRow, key: int) -> dict[str, Any]:
    return {
        "key": key,
        "time": row.date,
        "kind": row.kind,
        "text": row.text,
        "axes": row.axes,
        "source": row.source,
    }
