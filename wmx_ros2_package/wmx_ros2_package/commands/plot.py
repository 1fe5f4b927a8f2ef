"""`wmx plot`: command, position, velocity or torque of axes over time, live in the terminal."""

from __future__ import annotations

import argparse
import time
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from .arguments import add_axes, add_system, positive
from .connection import connected, select
from .failures import wrong
from .plotting import COLOURS, curves, legend, unit_of
from .terminal import Terminal

if TYPE_CHECKING:
    from rich.text import Text

    from ..client import Status

QUANTITIES = {
    "position": "{}",
    "command": "{}",
    "velocity": "{}/s",
    "command_velocity": "{}/s",
    "torque": "%",
}
"""What can be drawn, and its unit from that of the positions."""
PERIOD = 0.1
WIDTH, HEIGHT = 72, 14
"""Of the picture, characters, where the terminal is no smaller."""


def add_plot(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_axes(parser)
    add = parser.add_argument
    add("--of", choices=QUANTITIES, default="position", help="what (default %(default)s)")
    add("--window", type=positive, default=10.0, help="s that are seen (default %(default)g)")
    add("--for", dest="seconds", type=positive, help="s; until Ctrl-C without")
    add_system(parser)
    parser.set_defaults(run=run_plot)


def run_plot(out: Terminal, options: argparse.Namespace) -> None:
    """Draw until Ctrl-C or for so long; where nothing can be drawn over, draw once in the end."""
    if out.as_json:
        raise wrong("a plot has no JSON", remedy="wmx watch --json")
    if not out.live and not options.seconds:
        raise wrong("this is no terminal to draw in", remedy="wmx plot --for SECONDS")
    with connected(out, options) as machine, out.drawing() as draw, machine.states() as states:
        end = time.monotonic() + (options.seconds or float("inf"))
        axes = select(machine, options.axis)
        names = [*axes.names]
        if len(names) > len(COLOURS):
            raise wrong(f"{len(COLOURS)} axes at a time, such as: wmx plot 0-{len(COLOURS) - 1}")
        seen: deque[Status] = deque()
        next_drawing = 0.0
        while time.monotonic() < end:
            seen.append(states.get(options.timeout))
            while seen[-1].time - seen[0].time > options.window:
                seen.popleft()
            if out.live and time.monotonic() > next_drawing:
                next_drawing = time.monotonic() + PERIOD
                draw(picture(out, [*seen], axes.numbers, names, options.of))
        if not out.live:
            draw(picture(out, [*seen], axes.numbers, names, options.of))


def picture(
    out: Terminal, seen: list[Status], axes: tuple[int, ...], names: list[str], quantity: str
) -> Text:
    """Return the curves of one quantity, as text in colours."""
    from rich.text import Text

    colour = out.live
    times = np.array([status.time - seen[-1].time for status in seen])
    unit = QUANTITIES[quantity].format(unit_of(seen[-1].units[axis] for axis in axes))
    rows = [np.array([getattr(status, quantity)[axis] for status in seen]) for axis in axes]
    width = max(16, min(WIDTH, out.console.width - 14))
    height = max(4, min(HEIGHT, out.console.height - 4)) if out.live else HEIGHT
    lines = [
        f"{quantity.replace('_', ' ')}, {unit}:  {legend(names, colour=colour)}",
        *curves(times, rows, width=width, height=height, colour=colour),
    ]
    return Text.from_markup("\n".join(lines)) if colour else Text("\n".join(lines))
