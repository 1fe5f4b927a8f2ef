"""What has happened: begin, end and refusal of motions, errors, and orders of this panel."""

from __future__ import annotations

from datetime import datetime
from math import isnan
from typing import Any

from nicegui import ui

from ...client import EndReason, MotionBegin, MotionEnd
from ..frame import Frame
from ..orders import Order
from .tables import table

KINDS = ("order", "begin", "end", "refused", "error")
COLUMNS = ("time", "kind", "text", "axes", "source")
MOST_ROWS = 200
PERIOD = 0.5


def build(frame: Frame) -> None:
    """Make the page."""
    with ui.row().classes("items-center w-full"):
        kinds = ui.select(list(KINDS), value=list(KINDS), multiple=True, label="Kinds").classes(
            "w-72"
        )
        wanted = ui.input("Filter", placeholder="words of a row").props("clearable id=filter")
        pause = ui.switch("Pause")
    listed = table(COLUMNS).classes("events")
    listed.props('wrap-cells no-data-label="nothing has happened that matches"')
    shown: list[Any] = [None]

    def update() -> None:
        orders = tuple(frame.panel.orders.kept)
        newest = orders[-1] if orders else None
        state = (frame.link.events_count, newest, wanted.value, tuple(kinds.value))
        if pause.value or state == shown[0]:
            return
        shown[0] = state
        rows = [_row(event) for event in (*tuple(frame.link.events), *orders)]
        words = (wanted.value or "").lower().split()
        chosen = [
            row
            for row in rows
            if row["kind"] in kinds.value
            and all(word in " ".join(map(str, row.values())).lower() for word in words)
        ]
        chosen.sort(key=lambda row: row["at"], reverse=True)
        listed.rows = [{**row, "key": i} for i, row in enumerate(chosen[:MOST_ROWS])]

    ui.timer(PERIOD, update)


def _row(event: Any) -> dict[str, Any]:
    """One event as texts."""
    if isinstance(event, Order):
        text = f"{event.what}: {event.outcome}"
        return _texts(event.time.timestamp(), "order", "", event.who, text)
    if isinstance(event, MotionBegin):
        goals = ", ".join(f"{round(t, 4) + 0.0:g}" for t in event.targets if not isnan(t))
        text = event.kind.name.lower() + (f" to {goals}" if goals else "")
        return _texts(event.time, "begin", _axes(event), event.source, text)
    if isinstance(event, MotionEnd):
        kind = "refused" if event.reason is EndReason.REFUSED else "end"
        text = f"{event.reason.name}: {event.message}" if event.message else event.reason.name
        return _texts(event.time, kind, _axes(event), event.source, text)
    stamp = event.header.stamp
    text = f"{event.message or event.name}{'' if event.active else ': over'}"
    return _texts(stamp.sec + stamp.nanosec * 1e-9, "error", "", "/".join(event.path), text)


def _axes(event: MotionBegin | MotionEnd) -> str:
    return ", ".join(event.names or map(str, event.axes))


def _texts(at: float, kind: str, axes: str, source: str, text: str) -> dict[str, Any]:
    time = datetime.fromtimestamp(at).strftime("%H:%M:%S.%f")[:-3]
    return {"at": at, "time": time, "kind": kind, "axes": axes, "source": source, "text": text}
