"""What pages share to show axes: cells that the browser fills, and the buttons that clear."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import events, ui

from ..description import ShownAxis
from ..frame import Frame
from ..remedies import remedy


def cell(quantity: str, axis: int, head: str = "", kind: str = "n") -> str:
    """A cell of a table that shows a quantity of the newest status."""
    return (
        f'<td class="{kind}" data-head="{head}"><span data-live="{quantity}:{axis}">…</span></td>'
    )


def bar(axis: int, actuator: ShownAxis) -> str:
    """Where in its range an axis is."""
    if actuator.low is None or actuator.high is None or not actuator.low < actuator.high:
        return '<span class="range">no range</span>'
    return (
        f'<div class="bar" data-live="bar:{axis}" data-low="{actuator.low}" '
        f'data-high="{actuator.high}"><i></i></div>'
        f'<div class="range"><span>{actuator.low:g}</span><span>{actuator.high:g}</span></div>'
    )


def row(axis: int, actuator: ShownAxis) -> str:
    """One axis: all that is known of it at a glance."""
    unit, name = escape(actuator.unit), f"{axis} · {escape(actuator.name)}"
    return (
        f'<tr><td data-head="axis"><a href="/axes?axis={axis}">{name}</a></td>'
        f"{cell('position', axis, f'position, {unit}')}"
        f'<td data-head="range" class="wide">{bar(axis, actuator)}</td>'
        f"{cell('velocity', axis, f'velocity, {unit}/s')}{cell('torque', axis, 'torque, %')}"
        f'<td data-head="state" class="wide"><span data-live="flags:{axis}"></span></td>'
        f"{cell('owner', axis, 'moved by', '')}"
        f'<td data-head="blocked by" class="wide"><div data-live="blocks:{axis}"></div></td></tr>'
    )


HEAD = (
    "<thead><tr><th>axis</th><th>position</th><th>range</th><th>velocity</th><th>torque, %</th>"
    "<th>state</th><th>moved by</th><th>blocked by</th></tr></thead>"
)


def clears(frame: Frame) -> None:
    """Let the buttons beside what blocks an axis clear it."""

    async def clear(event: events.GenericEventArguments) -> None:
        axis, reason = int(event.args["axis"]), str(event.args["reason"])
        found = remedy(reason)
        if found is None:
            text = next(
                (b.clear for b in _blockers(frame, axis) if b.reason == reason),
                "no remedy is known",
            )
            ui.notify(text, position="bottom", multi_line=True, timeout=9000)
            return
        label, act = found
        await frame.order(
            f"{label} (axis {axis})", lambda: act(frame.plant.connected, axis, reason)
        )

    ui.on("clear", clear)


def _blockers(frame: Frame, axis: int) -> list[Any]:
    explanation = frame.plant.seen.explanations.get(axis)
    return explanation.blockers if explanation else []
