"""`wmx demo`: switches servos on, moves all axes there and back, and leaves them as they were."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ..control.disarming import REST_TIMEOUT
from .arguments import add_system, positive
from .connection import connected
from .failures import Failure
from .interrupts import undisturbed
from .progress import follow
from .status import status_table
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Axes, Motion

DISTANCE = 0.5
"""How far every axis goes by default, u."""


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add = parser.add_argument
    add("--distance", type=positive, default=DISTANCE,
        help="how far every axis goes within its limits, u (default %(default)g)")  # fmt: skip
    add("--real", action="store_true", help="allow real hardware to move")
    add_system(parser)
    parser.set_defaults(run=run_demo)


def run_demo(out: Terminal, options: argparse.Namespace) -> None:
    """Show the system move; a Failure when something refuses, fails or stops it."""
    with connected(out, options) as machine:
        if not (machine.simulated or options.real):
            raise Failure("this is REAL hardware: every axis would move", remedy="wmx demo --real")
        actuators = [*machine.actuators.values()]
        axes = machine.axes[[each.name for each in actuators]]
        low, high = np.array([(each.position_min, each.position_max) for each in actuators]).T
        start = np.clip(machine.status().command[list(axes.numbers)], low, high)
        off = [axis.number for axis in axes if not axis.status.servo_on]
        motion: Motion | None = None
        axes.clear()
        try:
            axes.on()
            there = np.clip(start + options.distance, low, high)
            for what, targets in (("there", there), ("and back", start)):
                out.say(f"{', '.join(axes.names)}: {what}")
                motion = axes.move(targets.tolist())
                follow(out, motion, what)
        finally:
            if off:
                with undisturbed():  # another Ctrl-C does not take the servos off while axes turn
                    _rest(motion)
                    _switch_off(out, machine.axes[off])
        text = "done: all axes are back, and servos are as they were"
        out.show(
            {"done": text, "axes": len(axes)},
            lambda: status_table(out, machine, axes, machine.status()),
        )
        out.say(text)


def _rest(motion: Motion | None) -> None:
    """Let the axes of a motion come to rest, unless that takes REST_TIMEOUT or fails."""
    from ..client import MachineError

    if motion is not None:
        with suppress(MachineError):
            motion.cancel()
            motion.wait(REST_TIMEOUT)


def _switch_off(out: Terminal, axes: Axes) -> None:
    """Switch servos off, all by one request; a warning where they may be on still."""
    from ..client import MachineError

    try:
        axes.off()
    except MachineError:
        out.warn(f"servos that were off may be on: {', '.join(axes.names)}")
        raise
