"""Buttons that move something as long as they are held; panel.js sends what is held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from nicegui import ui

HELP = (
    "Moves while a button is held, or an arrow key here. Stops when it is released, when this "
    "window is left, and when the connection is slow or cut."
)


class HoldButton(NamedTuple):
    """One button to hold."""

    label: str
    directions: tuple[int, ...]
    """What the speeds are multiplied with: -1, 0 or 1 for each."""
    keys: str
    """Names of keys that do the same while the focus is in the area."""


def speed(label: str, id: str, value: float, highest: float | None = None) -> None:
    """Make the input of a speed."""
    made = ui.number(label, value=round(value, 3), min=0.0, max=highest, step=0.05)
    made.classes("w-32").props(f"for={id} dense")


def jog_area(axis: int | None, speeds: str, buttons: Sequence[HoldButton]) -> None:
    """Make the buttons; `axis` None is the base. `speeds` are the ids of the inputs."""

    def button(each: HoldButton) -> str:
        held = escape(json.dumps({"axis": axis, "directions": each.directions}), quote=True)
        return (
            f'<button data-hold="{held}" data-keys="{each.keys}" class="needs-control">'
            f"{each.label}</button>"
        )

    ui.html(
        f'<div class="jog-area" data-speeds="{speeds}" tabindex="0" role="group" '
        f'aria-label="Hold to move">{"".join(map(button, buttons))}</div>',
        sanitize=False,
    )
    ui.label(HELP).classes("text-caption")
