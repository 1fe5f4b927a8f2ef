"""Homing: what is homed, how each axis will be, and a button for each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from html import escape

from nicegui import ui

from ...client import MachineError
from ..frame import Frame
from ..homing import Homing, home_as_shown, read_homing
from .tables import row_filter

HELP = (
    "A new engine knows no zero: what was homed before is 'reference lost' then, and moves when it "
    "is homed again. Axes with absolute encoders need no homing."
)


def build(frame: Frame) -> None:
    """Make the page."""
    if not frame.link.actuators:
        ui.label(frame.link.problem)
        return
    with ui.row().classes("items-center"):
        frame.stop_all_button()
        read_button = ui.button("Read again", icon="refresh").props("outline")
        row_filter("Axis, or: not homed, lost")
    ui.label(HELP).classes("text-caption")
    problem = ui.label().classes("level-error steady-line").props("id=homing-error")
    listed = ui.html("", sanitize=False).classes("w-full overflow-auto")

    async def read() -> None:
        """Read how the axes are homed: nothing stands below an error that may be of before."""
        try:
            axes = range(len(frame.link.actuators))
            ways, text = await asyncio.to_thread(read_homing, frame.link.connected, axes), ""
        except MachineError as error:
            ways, text = [], error.text
        if not listed.is_deleted:
            problem.text, listed.content = text, table_of(frame, ways)

    listed.content = table_of(frame, [])
    read_button.on_click(read)
    ui.timer(0.0, read, once=True)


async def ask_to_home(frame: Frame, axis: int) -> None:
    """Show what homing an axis will do, and do just that when the user agrees."""
    try:
        machine = frame.link.connected
        if not 0 <= axis < len(frame.link.actuators):
            raise MachineError(f"there is no axis {axis}")

        def read() -> tuple[Homing, float]:
            [found] = read_homing(machine, [axis])
            return found, machine.axes[axis].position

        homing, place = await asyncio.to_thread(read)
    except MachineError as error:
        ui.notify(error.text, type="negative", position="bottom-right", multi_line=True)
        return
    frame.confirm(
        homing.words(f"Axis {frame.link.axis_labels[axis]}", frame.link.units[axis], place),
        "Move and home" if homing.moves else "Set the position here",
        f"home axis {axis}",
        lambda: home_as_shown(machine, axis, homing, place),
    )


def table_of(frame: Frame, ways: Sequence[Homing]) -> str:
    """`ways` has how each axis is homed; nothing where that is not known."""
    rows = []
    for axis, actuator in enumerate(frame.link.actuators):
        way = ways[axis] if axis < len(ways) else None
        unit = escape(actuator.unit)
        value = escape(json.dumps({"axis": axis}), quote=True)
        cells = {
            "axis": f'<a href="/axes?axis={axis}">{axis} · {escape(actuator.name)}</a>',
            "state": f'<span data-live="home:{axis}">…</span>',
            "position": f'<span data-live="position:{axis}">…</span> {unit}',
            "homing": escape(way.summary(actuator.unit)) if way is not None else "not known",
            "": f'<button class="clear needs-control" data-emit="home" data-value="{value}" '
            f'aria-label="Home axis {axis}">Home ...</button>',
        }
        row = "".join(f'<td data-head="{name}">{cell}</td>' for name, cell in cells.items())
        rows.append(f"<tr>{row}</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("axis", "state", "position", "homing", ""))
    return (
        f'<table class="grid-table cards"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
