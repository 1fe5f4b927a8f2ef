"""A scope: any quantities of any axes over one time, with cursors, a trigger, and all samples."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

from nicegui import ui

from ..frame import Frame
from ..history import LENGTH
from ..numbers import NoNumber, NumberRule
from ..scope import MOST_CHANNELS, QUANTITIES_SHOWN, Channel, read_channels, unit_of
from .curves import DASHES
from .number_field import NumberField

COLORS = ("#3b82f6", "#d97706", "#65a30d", "#c026d3", "#0891b2", "#dc2626", "#7c3aed", "#059669")
"""Of the curves: to be seen on white and on black; their dashes differ, too."""
WINDOWS = {2: "2 s", 10: "10 s", 30: "30 s", 60: "1 min", 300: "5 min", int(LENGTH): "10 min"}
EDGES = {"": "no trigger", "rising": "rises above", "falling": "falls below"}
HELP = (
    "Click: cursor A, then B, then A again. Shift and wheel: zoom; double click: all. The trigger "
    "freezes the scope when the first curve crosses the level, which is in the middle then."
)


def build(frame: Frame) -> None:
    """Make the page, for the curves that its address names."""
    actuators = frame.link.actuators
    if not actuators:
        ui.label(frame.link.problem)
        return
    channels = {
        channel.key: channel
        for axis in range(len(actuators))
        for channel in (Channel(axis, quantity) for quantity in QUANTITIES_SHOWN)
    }
    names = {key: _name(frame, channel) for key, channel in channels.items()}
    with ui.row().classes("items-center w-full"):
        chosen = ui.select(
            names, value=_named(frame), multiple=True, with_input=True, label="Curves"
        )
        chosen.classes("w-96 max-w-full").props("id=curves use-chips")
        window = ui.select(WINDOWS, value=10, label="Window").classes("w-28")
        pause = ui.button("Freeze", icon="ac_unit").props("outline id=pause")
        csv = ui.button("CSV", icon="download").props("outline id=csv")
        mcap = ui.button("MCAP", icon="download").props("outline id=mcap")
    with ui.row().classes("items-center w-full"):
        edge = ui.select(EDGES, value="", label="Trigger").classes("w-36").props("id=edge")
        level = NumberField("Level", 0.0, NumberRule(name="level"), "trigger-level")
        level.input.classes("w-28")
        arm = ui.button("Arm", icon="bolt").props("outline id=arm")
        forget = ui.button("No cursors", icon="clear").props("outline")
        ui.html('<span id="scope-state" role="status"></span>', sanitize=False)
    chart = ui.echart({"animation": False, "series": []}).classes("w-full live-plot")
    chart.style("height: 520px")
    ui.html('<table class="grid-table" id="scope-values"></table>', sanitize=False)
    ui.label(HELP).classes("text-caption")

    def curves() -> list[dict[str, Any]]:
        return [
            {
                "key": key,
                "name": names[key],
                "unit": _unit(frame, channels[key]),
                "color": COLORS[number % len(COLORS)],
                "dash": DASHES[number % len(DASHES)],
            }
            for number, key in enumerate(chosen.value)
        ]

    def show() -> None:
        if len(chosen.value) > MOST_CHANNELS:
            ui.notify(f"At most {MOST_CHANNELS} curves are shown", type="warning")
            chosen.value = chosen.value[:MOST_CHANNELS]
            return  # which shows them
        ui.navigate.history.replace(f"/scope?show={','.join(chosen.value)}")
        ui.run_javascript(f"window.wmxScope?.curves({json.dumps(curves())})")

    def trigger() -> None:
        try:
            asked = {"edge": edge.value, "level": level.read()}
        except NoNumber as error:
            ui.notify(str(error), type="negative")
            return
        ui.run_javascript(f"window.wmxScope?.arm({json.dumps(asked)})")

    chosen.on_value_change(show)
    window.on_value_change(lambda: ui.run_javascript(f"window.wmxScope?.window({window.value})"))
    pause.on("click", js_handler="() => wmxScope.pause()")
    csv.on("click", js_handler="() => wmxScope.save('csv')")
    mcap.on("click", js_handler="() => wmxScope.save('mcap')")
    forget.on("click", js_handler="() => wmxScope.forget()")
    arm.on_click(trigger)
    options = {"chart": chart.id, "seconds": window.value, "curves": curves()}
    ui.run_javascript(
        f"import('/panel/scope.js').then(() => wmxScope.start({json.dumps(options)}))"
    )


def _named(frame: Frame) -> list[str]:
    """The curves that the address names, else command and position of the first axis."""
    path = str(ui.context.client.sub_pages_router.current_path)
    asked = parse_qs(path.partition("?")[2]).get("show", [""])[0]
    try:
        found = read_channels(asked, len(frame.link.actuators))
    except ValueError:
        found = [Channel(frame.axis, "command"), Channel(frame.axis, "position")]
        found = [each for each in found if each.axis < len(frame.link.actuators)]
    return [channel.key for channel in found]


def _name(frame: Frame, channel: Channel) -> str:
    return f"{frame.link.axis_labels[channel.axis]} {channel.quantity.replace('_', ' ')}"


def _unit(frame: Frame, channel: Channel) -> str:
    return unit_of(channel.quantity, frame.link.actuators[channel.axis].unit)
