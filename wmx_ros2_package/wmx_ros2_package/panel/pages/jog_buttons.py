"""Buttons that move something as long as they are held; panel.js sends what is held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from math import inf
from typing import Any, NamedTuple

from nicegui import ui

from ..numbers import NumberRule
from .number_field import NumberField

HELP = (
    "Moves while a button is held, or an arrow key here. Stops when it is released or the finger "
    "slides off it, when this window is left, and when the connection is slow or cut."
)


class HoldButton(NamedTuple):
    """One button to hold."""

    label: str
    directions: tuple[int, ...]
    """What the speeds are multiplied with: -1, 0 or 1 for each."""
    keys: str
    """Names of keys that do the same while the focus is in the area."""


def speed(
    label: str,
    id: str,
    value: float,
    highest: float = inf,
    rule: NumberRule | None = None,
    *,
    of: str = "",
) -> NumberField:
    """Make the field of a speed, which is above 0: the button decides which way it goes.

    The tab keeps what is typed, for the axis `of` this name where it is that of one.
    """
    rule = rule or NumberRule(name="velocity", above=0.0, high=highest)
    field = NumberField(label, round(value, 3), rule, id, kept=f"{id} {of}")
    field.input.classes("w-32").props("dense")
    return field


def jog_area(axis: int | None, speeds: str, buttons: Sequence[HoldButton]) -> None:
    """Make the buttons; `axis` None is the base. `speeds` are the ids of the fields."""
    ui.html(
        f'<div class="jog-area" data-speeds="{speeds}" tabindex="0" role="group" '
        f'aria-label="Hold to move">{"".join(hold_button(axis, each) for each in buttons)}</div>',
        sanitize=False,
    )
    ui.label(HELP).classes("text-caption")


def hold_button(axis: int | None, button: HoldButton, about: str = "", **more: Any) -> str:
    """One button, to stand in an element with `data-speeds`; `about` says what it moves.

    `more` is sent with what is held, as `Hold.read` takes it.
    """
    sent = {"axis": axis, "directions": button.directions, **more}
    held = escape(json.dumps(sent), quote=True)
    title = f' aria-label="{escape(about, quote=True)}"' if about else ""
    return (
        f'<button data-hold="{held}" data-keys="{button.keys}" class="needs-control"{title}>'
        f"{button.label}</button>"
    )
