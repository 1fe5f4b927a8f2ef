"""`wmx plot`: command, position, velocity or torque of axes over time, live in the terminal."""

from __future__ import annotations

import argparse
from collections import deque
from math import isinf
from typing import TYPE_CHECKING

import numpy as np

from .arguments import add_axes, add_for, add_system, positive
from .connection import connected, select
from .failures import wrong
from .plotting import COLOURS, picture, unit_of
from .terminal import Terminal

if TYPE_CHECKING:
    from rich.text import Text

    from ..client import Axes, Status

QUANTITIES = {
    "position": "{}",
    "command": "{}",
    "velocity": "{}/s",
    "command_velocity": "{}/s",
    "torque": "%",
}
"""What can be drawn, and its unit from that of the positions."""
PERIOD = 0.1


def add_plot(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_axes(parser)
    add = parser.add_argument
    add("--of", choices=QUANTITIES, default="position", help="what (default %(default)s)")
    add("--window", type=positive, default=10.0, help="s that are seen (default %(default)g)")
    add_for(parser)
    add_system(parser)
    parser.set_defaults(run=run_plot)


def run_plot(out: Terminal, options: argparse.Namespace) -> None:
    """Draw until Ctrl-C or for so long; where nothing can be drawn over, draw once in the end."""
    if out.as_json:
        raise wrong("a plot has no JSON", remedy="wmx watch --json")
    if not out.live and isinf(options.seconds):
        raise wrong("this is no terminal to draw in", remedy="wmx plot --for SECONDS")
    with connected(out, options) as machine, out.drawing() as draw, machine.states() as states:
        end = machine.clock.now() + options.seconds
        axes = select(machine, options.axis)
        if len(axes) > len(COLOURS):
            raise wrong(f"{len(COLOURS)} axes at a time, such as: wmx plot 0-{len(COLOURS) - 1}")
        seen: deque[Status] = deque()
        next_drawing = 0.0
        while machine.clock.now() < end:
            seen.append(states.get(machine.timeout))
            while seen[-1].time - seen[0].time > options.window:
                seen.popleft()
            if out.live and machine.clock.now() > next_drawing:
                next_drawing = machine.clock.now() + PERIOD
                draw(_drawn(out, [*seen], axes, options.of))
        if not out.live:
            draw(_drawn(out, [*seen], axes, options.of))


def _drawn(out: Terminal, seen: list[Status], axes: Axes, quantity: str) -> Text:
    """Return the curves of one quantity."""
    times = np.array([status.time - seen[-1].time for status in seen])
    unit = QUANTITIES[quantity].format(unit_of(axes.units))
    rows = [np.array([getattr(s, quantity)[axis] for s in seen]) for axis in axes.numbers]
    return picture(out, f"{quantity.replace('_', ' ')}, {unit}", times, rows, axes.names)
