"""Inputs and outputs by the bit, with names that are given here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from nicegui import ui

from ...client import MachineError
from ..file_reader import FileError
from ..frame import Frame
from ..io_names import MOST_CHARACTERS, PARTS, Names, checked_place, read_names
from ..numbers import NoNumber, NumberRule
from .number_field import NumberField

BYTES = 4
PERIOD = 0.5
LONGEST = 1.0
"""How long an answer may take, s, until what was read before it is not shown as that of now."""
SILENT = "wmx_io_node does not answer"
NAMES_PERIOD = 2.0
"""How often the file of names is read, s: another panel may have changed it."""
FIRST = NumberRule(name="first byte", low=0, high=7996, whole=True)


def build(frame: Frame) -> None:
    """Make the page."""
    lamps: dict[tuple[str, int, int], ui.button | ui.label] = {}
    images: dict[str, bytes] = {}
    """What was read last, from byte `read_from[0]` on; empty while that is not known."""
    read_from = [0]
    names: Names = {part: {} for part in PARTS}
    with ui.row().classes("items-center"):
        first = NumberField("First byte", 0, FIRST)
        first.input.classes("w-28")
        ui.label("Outputs are switched by a click.")
    with ui.row().classes("items-center"):
        which = ui.select(list(PARTS), value=PARTS[0], label="Name one of the").classes("w-36")
        where = ui.input("Byte.bit", placeholder="0.3").classes("w-24")
        name = ui.input("Name").classes("w-56").props(f"maxlength={MOST_CHARACTERS}")
        give = ui.button("Give it this name", icon="edit")

    def is_on(part: str, byte: int, bit: int) -> bool:
        return bool(images[part][byte] >> bit & 1)

    def shown(part: str, byte: int, bit: int) -> str:
        """What a lamp shows: place, name, and the state that a click changes; empty if unknown."""
        if part not in images:
            return ""
        place = f"{read_from[0] + byte}.{bit}"
        state = "on" if is_on(part, byte, bit) else "off"
        return " ".join(filter(None, (place, names[part].get(place, ""), state)))

    async def click(byte: int, bit: int) -> None:
        place, on = read_from[0] + byte, not is_on("outputs", byte, bit)

        def switch() -> None:
            frame.link.connected.io.outputs[place, bit] = on

        await frame.order(f"set output {place}.{bit} to {int(on)}", switch)
        await update()

    def text(part: str, byte: int, bit: int) -> str:
        place = f"{read_from[0] + byte}.{bit}"
        state = "● on" if is_on(part, byte, bit) else "○ off"
        return f"{place} {state} {names[part].get(place, '')}"  # a long name is cut at its end

    with ui.element("div").classes("two-columns even"):
        for part in PARTS:
            with ui.card().classes("card"):
                ui.label(part.capitalize()).classes("text-h6")
                for byte in range(BYTES):
                    with ui.element("div").classes("bits"):
                        for bit in range(8):
                            if part == "inputs":  # which nobody can click
                                lamps[part, byte, bit] = ui.label("…").classes("lamp")
                            else:
                                switch = ui.button("…").props("no-caps dense outline")
                                switch.classes("switch")
                                frame.on_click(
                                    switch,
                                    partial(click, byte, bit),
                                    shown=partial(shown, part, byte, bit),
                                )
                                lamps[part, byte, bit] = switch
    problem = ui.label().classes("level-error")
    wrong = ui.label().classes("level-error").props("id=names-error")

    async def read() -> None:
        try:
            found, wrong.text = await frame.panel.files.run(read_names, frame.panel.names.path), ""
        except FileError as error:
            found, wrong.text = {part: {} for part in PARTS}, str(error)
        if not wrong.is_deleted and found != names:
            names.update(found)
            show()

    async def rename() -> None:
        part, text = str(which.value), str(name.value or "")
        try:
            place = checked_place(where.value)
        except ValueError as error:
            raise NoNumber(str(error)) from None
        before = names[part].get(place, "")
        what = f"name {part.removesuffix('s')} {place} {text.strip()!r}"
        work = partial(frame.panel.names.give, part, place, text, before)
        if (await frame.order(what, work)).done:
            await read()

    frame.on_click(give, rename)

    def show() -> None:
        for (part, byte, bit), lamp in lamps.items():
            known = part in images
            on = known and is_on(part, byte, bit)
            words = text(part, byte, bit) if known else "…"
            lamp.set_text(words)
            lamp.props["title"] = words
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

    async def answer(read: Callable[[], bytes]) -> bytes:
        """What the node of inputs and outputs answers; no state is shown where that takes long."""
        asked = asyncio.create_task(asyncio.to_thread(read))
        if not (await asyncio.wait({asked}, timeout=LONGEST))[0]:
            forget(SILENT)
        return await asked

    async def update() -> None:
        asked = first.text
        try:
            start = first.read_whole()
            io = frame.link.connected.io
            found = {
                "inputs": await answer(lambda: io.inputs[start : start + BYTES]),
                "outputs": await answer(lambda: io.outputs[start : start + BYTES]),
            }
        except (MachineError, ValueError) as error:
            forget(str(getattr(error, "text", error)))
            return
        if first.text != asked:
            return  # what was read is not what is asked for by now
        problem.text = ""
        read_from[0] = start
        images.update({part: bytes(image) for part, image in found.items()})
        show()

    async def choose() -> None:
        forget()
        await update()

    first.input.on_value_change(choose)
    ui.timer(PERIOD, update)
    ui.timer(NAMES_PERIOD, read)
