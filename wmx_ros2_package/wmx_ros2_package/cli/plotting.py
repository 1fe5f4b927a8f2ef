"""Curves in a terminal: each character is two points wide and four high, in braille."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from wmx_core.values import Floats

from .terminal import Terminal

if TYPE_CHECKING:
    from rich.text import Text

COLOURS = "cyan", "magenta", "yellow", "green", "blue", "red", "white"
DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""The bit of each point of a braille character, by row and column (Unicode 0x2800 and on)."""
BLANK = 0x2800
WIDTH, HEIGHT = 72, 14
"""Of a picture, characters, where the terminal is no smaller."""
LEAST_RANGE = 1e-9
Canvas: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.int64]]"


def picture(
    out: Terminal, label: str, times: Floats, rows: Sequence[Floats], names: Sequence[str]
) -> Text:
    """Return curves with what they show and their names above them, in colours in a terminal.

    Of more than there are colours the first are drawn.
    """
    from rich.text import Text

    colour, rows, names = out.live, rows[: len(COLOURS)], names[: len(COLOURS)]
    width = max(16, min(WIDTH, out.console.width - 14))
    height = max(4, min(HEIGHT, out.console.height - 4)) if out.live else HEIGHT
    lines = curves(times, rows, width=width, height=height, colour=colour)
    text = "\n".join([f"{label}:  {legend(names, colour=colour)}", *lines])
    return Text.from_markup(text) if colour else Text(text)


def unit_of(units: Iterable[str]) -> str:
    """Return the unit of what is drawn of axes with these `units`: "rad", or "rad/m"."""
    return "/".join(dict.fromkeys(units))


def curves(
    times: Floats, rows: Sequence[Floats], *, width: int, height: int, colour: bool = True
) -> list[str]:
    """Return lines of text that show `rows` over `times`, both axes labelled.

    With `colour` each row has its own, as markup of rich; `legend` names them in the same order.
    """
    finite = [row[np.isfinite(row)] for row in rows]
    every = np.concatenate(finite) if finite else np.zeros(0)
    low, high = (every.min(), every.max()) if every.size else (0.0, 0.0)
    if high - low < LEAST_RANGE:
        low, high = low - 0.5, high + 0.5
    canvas = np.zeros((height, width), dtype=int)
    owner = np.full((height, width), -1)
    for number, row in enumerate(rows):
        _draw(canvas, owner, number, times, row, (low, high))
    label = max(len(f"{value:.4g}") for value in (low, high))
    lines = []
    for i in range(height):
        at = {0: f"{high:.4g}", height - 1: f"{low:.4g}"}.get(i, "")
        cells = "".join(
            _cell(int(bits), int(who), colour)
            for bits, who in zip(canvas[i], owner[i], strict=True)
        )
        lines.append(f"{at:>{label}} │{cells}")
    first, last = (times[0], times[-1]) if len(times) else (0.0, 0.0)
    scale = f"{first:.1f} s"
    lines.append(f"{'':>{label}} └{scale}{f'{last:.1f} s':>{max(1, width - len(scale))}}")
    return lines


def legend(names: Sequence[str], *, colour: bool = True) -> str:
    """Return the names, each in the colour of its curve."""
    from rich.markup import escape

    if not colour:
        return "  ".join(names)
    return "  ".join(f"[{_colour(i)}]{escape(name)}[/]" for i, name in enumerate(names))


def _draw(
    canvas: Canvas,
    owner: Canvas,
    number: int,
    times: Floats,
    row: Floats,
    limits: tuple[float, float],
) -> None:
    """Set the points of one curve: one for each column of points, at the value of that time."""
    if not len(times):
        return
    height, width = canvas.shape
    places = np.linspace(times[0], times[-1], 2 * width)
    values = np.interp(places, times, row)
    low, high = limits
    levels = np.rint((high - values) / (high - low) * (4 * height - 1))
    for column, level in enumerate(levels):
        if np.isfinite(level):
            y, x = divmod(int(level), 4), divmod(column, 2)
            canvas[y[0], x[0]] |= DOTS[y[1], x[1]]
            owner[y[0], x[0]] = number


def _cell(bits: int, owner: int, colour: bool) -> str:
    text = chr(BLANK + bits) if bits else " "
    return f"[{_colour(owner)}]{text}[/]" if bits and colour else text


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]
