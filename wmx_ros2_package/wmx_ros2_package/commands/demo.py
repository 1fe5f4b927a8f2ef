"""`wmx demo`: switches servos on, moves all axes there and back, and leaves them as they were."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..trajectories.points import sway
from .arguments import add_system, number
from .connection import connected
from .failures import Failure
from .looking import status_table
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Axes, Machine, Motion, Refused

DISTANCES = 1.0, -1.0, 0.1, -0.1, 0.05, 0.01, -0.01
"""How far the axes go unless told otherwise, u: the first that none of their limits refuses."""
LONGEST = 1000.0
SWAY, SECONDS = 0.05, 4.0
"""How far joints go along a trajectory, u, and how long that takes, s."""
REFRESH_PERIOD = 0.1
"""How often the table is drawn, s."""


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add = parser.add_argument
    add("--distance", type=_distance, help="how far every axis goes, u (default 1, or what it may)")
    add("--trajectory", action="store_true", help="a robot: lead it along a trajectory instead")
    add("--real", action="store_true", help="allow real hardware to move")
    add_system(parser)
    parser.set_defaults(run=run_demo)


def run_demo(out: Terminal, options: argparse.Namespace) -> None:
    """Show the system move; a Failure when something refuses, fails or stops it."""
    with connected(out, options) as machine:
        _require_simulation(machine, options)
        axes = machine.arm.joints if options.trajectory else machine.axes
        out.say(f"found {len(axes)} axes: {', '.join(axes.names)}")
        axes.clear()
        limits = _limits(machine, axes)
        here = [float(machine.status().command[axis]) for axis in axes.numbers]
        start = [
            min(max(place, low), high) for place, (low, high) in zip(here, limits, strict=True)
        ]
        with _servos_on(out, axes):
            if start != here:
                _watch(out, machine, axes.move(start), "into the limits of the axes")
            if options.trajectory:
                ways = _ways(start, limits, options.distance or SWAY)
                out_and_back = sway(axes.names, start, ways, SECONDS)
                times, positions = out_and_back.times[1:], out_and_back.positions[1:]
                motion = axes.follow(times.tolist(), positions.tolist())
                _watch(out, machine, motion, "along a trajectory")
            else:
                distances = [options.distance] if options.distance else DISTANCES
                _watch(out, machine, _begin(axes, start, distances), "there")
                _watch(out, machine, axes.move(start), "and back")
        text = "done: all axes are back, and servos are as they were"
        out.show({"done": text, "axes": len(axes)}, lambda: text)


def _limits(machine: Machine, axes: Axes) -> list[tuple[float, float]]:
    """Return how far each axis may go, in its unit; the others may go anywhere."""
    known = {each.axis: each for each in machine.actuators.values()}
    anywhere = -math.inf, math.inf
    return [
        (known[axis].position_min, known[axis].position_max) if axis in known else anywhere
        for axis in axes.numbers
    ]


def _ways(
    start: Sequence[float], limits: Sequence[tuple[float, float]], distance: float
) -> list[float]:
    """Return how far each axis sways: the other way where its limit is too near, or not at all."""
    return [
        next((way for way in (distance, -distance) if low <= place + way <= high), 0.0)
        for place, (low, high) in zip(start, limits, strict=True)
    ]


def _require_simulation(machine: Machine, options: argparse.Namespace) -> None:
    """Refuse real hardware, unless it may move."""
    if not machine.simulated and not options.real:
        raise Failure(
            f"this is REAL hardware: every axis would move by {options.distance or DISTANCES[0]} u",
            remedy="wmx demo --real --distance D",
        )


@contextmanager
def _servos_on(out: Terminal, axes: Axes) -> Iterator[None]:
    """Switch on the servos that are off; off again however the block is left."""
    off = axes[[axis.number for axis in axes if not axis.status.servo_on]]
    try:
        if off:
            off.on()
            out.say(f"switched on: {', '.join(off.names)}")
        yield
    finally:
        if off:
            off.off()
            out.say(f"switched off: {', '.join(off.names)}")


def _begin(axes: Axes, start: Sequence[float], distances: Sequence[float]) -> Motion:
    """Begin to move by the first of `distances` that is not refused; a refusal moves nothing."""
    from ..client import Refused

    refused: Refused | None = None
    for distance in distances:
        try:
            return axes.move([place + distance for place in start])
        except Refused as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _watch(out: Terminal, machine: Machine, motion: Motion, what: str) -> None:
    """Draw the axes until the motion has ended and they rest; raise what ended it before."""
    out.say(f"{what}...")
    with out.drawing() as draw:
        while not (motion.done and machine.status().at_rest.all()):
            if out.live:
                draw(status_table(machine, machine.axes, machine.status()))
            time.sleep(REFRESH_PERIOD)
            if motion.done:
                motion.wait()
        if out.live:
            draw(status_table(machine, machine.axes, machine.status()))
    motion.wait()


def _distance(text: str) -> float:
    """Return how far every axis goes."""
    distance = number(text)
    if not 0.0 < abs(distance) <= LONGEST:
        raise argparse.ArgumentTypeError(f"{text} must be -{LONGEST:g} to {LONGEST:g} and not 0")
    return distance


_distance.__name__ = "distance"
