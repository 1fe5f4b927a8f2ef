"""The diagnostics of engine, axes and slaves, the worst first."""

from __future__ import annotations

from html import escape
from time import monotonic
from typing import Any

from nicegui import ui

from ..frame import Frame
from ..machine_link import DIAGNOSTICS_TIMEOUT
from .tables import row_filter

LEVELS = {0: "ok", 1: "warn", 2: "error", 3: "stale"}
MARKS = {"ok": "✓ OK", "warn": "! WARN", "error": "✕ ERROR", "stale": "? STALE"}
PERIOD = 1.0


def build(frame: Frame) -> None:
    """Make the page."""
    with ui.row().classes("items-center"):
        only = ui.switch("Only what is not OK")
        row_filter("Axis, slave, or words of a message")
    table = ui.html("", sanitize=False).classes("w-full")

    def update() -> None:
        entries = [
            (level_of(status, came_at), status)
            for status, came_at in list(frame.link.published.diagnostics.values())
        ]
        entries.sort(key=lambda entry: (-list(MARKS).index(entry[0]), entry[1].name))
        rows = "".join(
            f'<tr><td data-head="level" class="level-{level}">{MARKS[level]}</td>'
            f'<td class="wide"><b>{escape(status.name)}</b></td>'
            f'<td class="wide">{escape(status.message)}</td>'
            f'<td class="wide"><details data-name="{escape(status.name)}">'
            f"<summary>▸ {len(status.values)} values</summary>"
            + "".join(f"<div>{escape(v.key)}: {escape(v.value)}</div>" for v in status.values)
            + "</details></td></tr>"
            for level, status in entries
            if level != "ok" or not only.value
        )
        content = rows or "<tr><td>nothing to show</td></tr>"
        text = f'<table class="grid-table cards"><tbody>{content}</tbody></table>'
        if table.content != text:
            table.content = text

    ui.timer(PERIOD, update)


def level_of(status: Any, came_at: float) -> str:
    """The level in words; stale where the status is older than its validity."""
    if monotonic() - came_at > DIAGNOSTICS_TIMEOUT:
        return "stale"
    level = status.level
    return LEVELS.get(ord(level) if isinstance(level, bytes) else level, "stale")
