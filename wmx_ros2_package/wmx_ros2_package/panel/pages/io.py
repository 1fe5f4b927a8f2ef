"""Inputs and outputs by the bit, with names from a file."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import yaml
from nicegui import ui

from ...client import MachineError
from ..frame import Frame

BYTES = 4
PERIOD = 0.5


def names_from(path: Path | None) -> Mapping[str, Mapping[str, str]]:
    """Names by place: {"inputs": {"0.3": "door closed"}, "outputs": {"0.0": "gripper"}}.

    ValueError for a file of another form.
    """
    if path is None:
        return {}
    found = yaml.safe_load(path.read_text()) or {}
    right = isinstance(found, dict) and set(found) <= {"inputs", "outputs"}
    if not right or not all(isinstance(part, dict) for part in found.values()):
        raise ValueError(f"{path} must have inputs and outputs, each a name by BYTE.BIT")
    return {
        part: {str(place): str(name) for place, name in names.items()}
        for part, names in found.items()
    }


def build(frame: Frame) -> None:
    """Make the page."""
    lamps: dict[tuple[str, int, int], ui.button | ui.label] = {}
    shown: dict[tuple[str, int, int], bool] = {}
    with ui.row().classes("items-center"):
        first = ui.number("First byte", value=0, min=0, max=7996, precision=0).classes("w-28")
        ui.label("Outputs are switched by a click.")

    async def click(byte: int, bit: int) -> None:
        byte += int(first.value or 0)
        on = not shown.get(("outputs", byte, bit), False)

        def switch() -> None:
            frame.link.connected.io.outputs[byte, bit] = on

        await frame.order(f"set output {byte}.{bit} to {int(on)}", switch)
        await update()

    def text(part: str, byte: int, bit: int, on: bool) -> str:
        name = frame.panel.names.get(part, {}).get(f"{byte}.{bit}", "")
        return f"{byte}.{bit} {name} {'● on' if on else '○ off'}"

    with ui.element("div").classes("two-columns even"):
        for part in ("inputs", "outputs"):
            with ui.card().classes("card"):
                ui.label(part.capitalize()).classes("text-h6")
                for byte in range(BYTES):
                    with ui.element("div").classes("bits"):
                        for bit in range(8):
                            if part == "inputs":  # which nobody can click
                                lamps[part, byte, bit] = ui.label("…").classes("lamp")
                            else:
                                switch = ui.button("…").props("no-caps dense outline")
                                frame.on_click(switch, partial(click, byte, bit))
                                lamps[part, byte, bit] = switch
    problem = ui.label().classes("level-error")

    async def update() -> None:
        start = int(first.value or 0)
        try:
            io = frame.link.connected.io
            images = {
                "inputs": await asyncio.to_thread(lambda: io.inputs[start : start + BYTES]),
                "outputs": await asyncio.to_thread(lambda: io.outputs[start : start + BYTES]),
            }
        except MachineError as error:
            problem.text = error.text
            return
        problem.text = ""
        for (part, byte, bit), lamp in lamps.items():
            on = bool(images[part][byte] >> bit & 1)
            shown[part, start + byte, bit] = on
            lamp.set_text(text(part, start + byte, bit, on))
            if isinstance(lamp, ui.label):
                lamp.classes(add="on" if on else "", remove="" if on else "on")
            else:
                lamp.props(remove="outline" if on else "", add="" if on else "outline")

    ui.timer(PERIOD, update)
