"""Inputs and outputs by the bit, with names from a file."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import yaml
from nicegui import ui

from wmx_core.regular_file import read_regular_file

from ...client import MachineError
from ..frame import Frame

BYTES = 4
PERIOD = 0.5
MOST_FIRST = 7996
MOST_NAMES_BYTES = 1 << 20


def names_from(path: Path | None) -> Mapping[str, Mapping[str, str]]:
    """Names by place: {"inputs": {"0.3": "door closed"}, "outputs": {"0.0": "gripper"}}.

    ValueError for a file of another form.
    """
    if path is None:
        return {}
    try:
        found = yaml.safe_load(read_regular_file(f"{path.absolute()}", MOST_NAMES_BYTES)) or {}
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: {error}") from None
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
    images: dict[str, bytes] = {}
    """What was read last, from byte `read_from[0]` on; empty while that is not known."""
    read_from = [0]
    with ui.row().classes("items-center"):
        first = ui.number("First byte", value=0, min=0, max=MOST_FIRST, precision=0).classes("w-28")
        ui.label("Outputs are switched by a click.")

    def is_on(part: str, byte: int, bit: int) -> bool:
        return bool(images[part][byte] >> bit & 1)

    def shown(part: str, byte: int, bit: int) -> str:
        """What a lamp shows: the place, and the state that a click changes; empty if unknown."""
        if part not in images:
            return ""
        return f"{read_from[0] + byte}.{bit} {'on' if is_on(part, byte, bit) else 'off'}"

    async def click(byte: int, bit: int) -> None:
        place, on = read_from[0] + byte, not is_on("outputs", byte, bit)

        def switch() -> None:
            frame.link.connected.io.outputs[place, bit] = on

        await frame.order(f"set output {place}.{bit} to {int(on)}", switch)
        await update()

    def text(part: str, byte: int, bit: int) -> str:
        place = f"{read_from[0] + byte}.{bit}"
        name = frame.panel.names.get(part, {}).get(place, "")
        return f"{place} {name} {'● on' if is_on(part, byte, bit) else '○ off'}"

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
                                frame.on_click(
                                    switch,
                                    partial(click, byte, bit),
                                    shown=partial(shown, part, byte, bit),
                                )
                                lamps[part, byte, bit] = switch
    problem = ui.label().classes("level-error")

    def show() -> None:
        for (part, byte, bit), lamp in lamps.items():
            known = part in images
            on = known and is_on(part, byte, bit)
            lamp.set_text(text(part, byte, bit) if known else "…")
            if isinstance(lamp, ui.label):
                lamp.classes(add="on" if on else "", remove="" if on else "on")
                continue
            frame.show_on(lamp, shown(part, byte, bit))
            lamp.set_enabled(known)
            lamp.props(remove="outline" if on else "", add="" if on else "outline")

    def forget(why: str = "") -> None:
        """Show no state: that of now is not known."""
        images.clear()
        problem.text = why
        show()

    async def update() -> None:
        start = int(first.value or 0)
        try:
            io = frame.link.connected.io
            found = {
                "inputs": await asyncio.to_thread(lambda: io.inputs[start : start + BYTES]),
                "outputs": await asyncio.to_thread(lambda: io.outputs[start : start + BYTES]),
            }
        except (MachineError, ValueError) as error:
            forget(str(getattr(error, "text", error)))
            return
        if start != int(first.value or 0):
            return  # what was read is not what is asked for by now
        problem.text = ""
        read_from[0] = start
        images.update({part: bytes(image) for part, image in found.items()})
        show()

    async def choose() -> None:
        forget()
        await update()

    first.on_value_change(choose)
    ui.timer(PERIOD, update)
