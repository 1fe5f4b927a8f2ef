"""The tool of a robot: where it is, and buttons that move it along its axes while they are held."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from nicegui import ui

from ...robots.chain import Chain
from ..frame import Frame
from ..stops import ALL_AXES
from ..tool_jog import SPEED, TURN_SPEED
from .jog_buttons import HoldButton, hold_button, speed

PERIOD = 0.2
"""How often it is shown where the tool is, s."""
FIRST_SPEED, FIRST_TURN_SPEED = 0.05, 0.2
"""At first, m/s and rad/s."""
SPEEDS = " ".join(["tool-speed"] * 3 + ["tool-turn-speed"] * 3)
"""The field of each of the six directions."""
OF_ROOT, OF_TOOL = "root", "tool"
UNKNOWN = "where it is is not known: there is no status, or an axis has another unit than the URDF"
HELP = (
    "Hold: the tool goes straight on along an axis, or turns about it, each joint at a quarter of "
    "its highest velocity at most. It ends at the limit of a joint and near a singular pose."
)


def tool(frame: Frame, chains: Sequence[Chain]) -> None:
    """Make the part of the page."""
    by_link = {chain.link: chain for chain in chains}
    root = chains[0].root
    with ui.row().classes("items-center w-full no-wrap gap-2"):
        frame.stop_button("Stop", ALL_AXES)
        link = ui.select(list(by_link), value=chains[0].link, label="Tool").classes("w-36")
        axes = ui.select(
            {OF_ROOT: f"of {root}", OF_TOOL: "of the tool"}, value=OF_ROOT, label="Axes"
        ).classes("w-40")
        link.props("id=tool-link")
        axes.props("id=tool-axes")
    pose = ui.label("…").classes("mono tool-pose").props("id=tool-pose")
    with ui.row().classes("items-center w-full no-wrap gap-2"):
        speed("Move at, m/s", "tool-speed", FIRST_SPEED, rule=SPEED)
        speed("Turn at, rad/s", "tool-turn-speed", FIRST_TURN_SPEED, rule=TURN_SPEED)
    buttons = ui.html("", sanitize=False).classes("w-full")
    said = ui.label().classes("tool-said").props("id=tool-said role=status")
    ui.label(HELP).classes("text-caption")

    def show_buttons() -> None:
        buttons.content = tool_buttons(str(link.value), of_tool=axes.value == OF_TOOL)

    def update() -> None:
        found = frame.panel.tool.pose(by_link[str(link.value)])
        if found is None:
            text = UNKNOWN
        else:
            x, y, z = found.position.tolist()
            roll, pitch, yaw = found.rpy
            degrees = "   ".join(f"{math.degrees(angle):10.2f}°" for angle in found.rpy)
            text = (
                f"   x {x:8.4f} m     y {y:8.4f} m   z {z:8.4f} m\n"
                f"roll {roll:8.4f} pitch {pitch:8.4f} yaw {yaw:8.4f} rad\n{degrees}"
            )
        for label, new in (pose, text), (said, frame.panel.tool.said):
            if label.text != new:
                label.text = new

    link.on_value_change(show_buttons)
    axes.on_value_change(show_buttons)
    show_buttons()
    update()
    ui.timer(PERIOD, update)


def tool_buttons(link: str, *, of_tool: bool) -> str:
    """A row of two for each axis that the tool moves along, and beside it about."""
    sent = {"link": link, "of_tool": of_tool}
    cells = []
    for axis in range(3):
        for turn in (False, True):
            for way, sign in (-1, "-"), (1, "+"):
                directions = [0] * 6
                directions[axis + 3 * turn] = way
                name = "xyz"[axis]
                label = f"↻ {name} {sign}" if turn else f"{name} {sign}"
                what = f"{'Turn' if turn else 'Move'} {link} {'about' if turn else 'along'} {name}"
                of = "of the tool" if of_tool else "of the root"
                about = f"{what} {of}, {'down' if way < 0 else 'up'}"
                button = HoldButton(label, tuple(directions), "")
                cells.append(hold_button(None, button, about, tool=sent))
    # Beside the buttons it says what they do, whatever is being chosen above them.
    shown = f"{escape(link)}, along and about the axes {'of itself' if of_tool else 'of the root'}"
    return (
        f'<div class="text-caption">{shown}</div>'
        f'<div class="tool-buttons" data-speeds="{SPEEDS}">{"".join(cells)}</div>'
    )
