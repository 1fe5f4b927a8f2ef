"""Faults of the simulated engine: what its user lets go wrong. Never on hardware."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from ..frame import Frame
from ..numbers import NumberRule
from .number_field import NumberField

SWITCHES = ["home", "positive", "negative"]
ALARMS = {
    0x7121: "0x7121 motor blocked",
    0x3220: "0x3220 undervoltage",
    0x2310: "0x2310 overcurrent",
    0x4310: "0x4310 drive too hot",
    0x8611: "0x8611 following error",
}
HELP = """[{raise_alarm: {axis: 0, code: 0x7121}},
 {after: 2000, crash_engine: {}}]"""


def build(frame: Frame) -> None:
    """Make the page."""
    if not frame.link.simulated:
        ui.label("Faults are offered by the simulated engine only.").classes("text-h6")
        return

    def button(label: str, act: Callable[[], Awaitable[None]]) -> None:
        frame.on_click(ui.button(label).props("color=purple no-caps"), act)

    async def cause(kind: str, **arguments: Any) -> None:
        what = ", ".join(
            f"{key} {value:#06x}" if key == "code" else f"{key} {value}"
            for key, value in arguments.items()
        )
        await frame.order(
            f"cause the fault {kind}: {what}".removesuffix(": "),
            lambda: frame.link.connected.simulation.fault(kind, **arguments),
        )

    with ui.column().classes("simulation-only w-full"):
        ui.label("SIMULATION ONLY: these buttons break the simulated machine").classes("text-h6")
        with ui.row().classes("items-center"):
            axis = ui.select(frame.link.axis_labels, value=0, label="Axis").classes("w-48")
            code = ui.select(ALARMS, value=0x7121, label="Alarm").classes("w-56")
            button(
                "Alarm of the drive", lambda: cause("raise_alarm", axis=axis.value, code=code.value)
            )
        with ui.row().classes("items-center"):
            switch = ui.select(SWITCHES, value="positive", label="Switch").classes("w-48")
            button(
                "Switch sticks",
                lambda: cause("stick_switch", axis=axis.value, switch=switch.value, state=True),
            )
            button(
                "Switch works again",
                lambda: cause("free_switch", axis=axis.value, switch=switch.value),
            )
            button("Encoder freezes", lambda: cause("freeze_encoder", axis=axis.value))
            button("Encoder works again", lambda: cause("free_encoder", axis=axis.value))
        with ui.row().classes("items-center"):
            slave = NumberField("Slave", 0, NumberRule(name="slave", low=0, whole=True))
            slave.input.classes("w-48")
            number = slave.read_whole

            button("Slave loses power", lambda: cause("drop_slave", slave=number()))
            button("Slave has power again", lambda: cause("return_slave", slave=number()))
            button("Cut the cable to it", lambda: cause("cut_cable", slave=number()))
            button("Mend the cable", lambda: cause("mend_cable", slave=number()))
            button("Lose 10 packets", lambda: cause("lose_packets", count=10))
            button("Crash the engine", lambda: cause("crash_engine"))
        ui.label("A slave that is back joins by Hot connect, on the page EtherCAT.")
        script = ui.textarea("Script (docs/faults.md)", value=HELP).classes("w-full mono")

        async def play() -> None:
            await frame.order(
                "play a script of faults",
                lambda: frame.link.connected.simulation.play(script.value),
            )

        button("Play the script", play)
