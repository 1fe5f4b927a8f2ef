"""`wmx demo`: switches servos on, moves all axes there and back, and leaves them as they were."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .arguments import add_system, number
from .connection import connected
from .failures import Failure
from .looking import status_table
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Machine, Motion, Refused

DISTANCES = 1.0, -1.0, 0.1, -0.1, 0.05, 0.01, -0.01
"""How far the axes go unless told otherwise, u: the first that none of their limits refuses."""
LONGEST = 1000.0
SWAY, SECONDS, POINTS = 0.05, 4.0, 20
"""How far joints go along a trajectory, u, how long that takes, s, and its points."""
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
        if options.trajectory:
            return _trajectory(out, machine, options.distance or SWAY)
        out.say(f"found {len(machine.axes)} axes: {', '.join(machine.axes.names)}")
        machine.axes.clear()
        start = [float(place) for place in machine.status().command]
        with _servos_on(out, machine):
            there = _begin(machine, start, [options.distance] if options.distance else DISTANCES)
            _watch(out, machine, there, "there")
            _watch(out, machine, _to(machine, start), "and back")
        machine.axes.clear()
        text = "done: all axes are back, and servos are as they were"
        out.show({"done": text, "axes": len(start)}, lambda: text)
    return None


def _trajectory(out: Terminal, machine: Machine, sway: float) -> None:
    """Lead the joints of a robot out and back along a smooth trajectory."""
    joints = machine.arm.joints
    start = [machine.status().command[axis] for axis in joints.numbers]
    shares = [(i + 1) / POINTS for i in range(POINTS)]
    outs = [sway * (1.0 - math.cos(2.0 * math.pi * share)) / 2.0 for share in shares]
    out.say(f"a trajectory of {', '.join(joints.names)}, {SECONDS:g} s")
    _watch(
        out,
        machine,
        joints.follow(
            [share * SECONDS for share in shares],
            [[place + way for place in start] for way in outs],
        ),
        "out and back",
    )
    text = "done: the trajectory was followed to its end"
    out.show({"done": text, "axes": len(joints)}, lambda: text)


def _require_simulation(machine: Machine, options: argparse.Namespace) -> None:
    """Refuse real hardware, unless it may move."""
    if not machine.simulated and not options.real:
        raise Failure(
            f"this is REAL hardware: every axis would move by {options.distance or DISTANCES[0]} u",
            remedy="wmx demo --real --distance D",
        )


@contextmanager
def _servos_on(out: Terminal, machine: Machine) -> Iterator[None]:
    """Switch on the servos that are off; off again however the block is left."""
    off = [axis.number for axis in machine.axes if not machine.status().servo_on[axis.number]]
    axes = machine.axes[off]
    try:
        if off:
            axes.on()
            out.say(f"switched on: {', '.join(axes.names)}")
        yield
    finally:
        if off:
            axes.off()
            out.say(f"switched off: {', '.join(axes.names)}")


def _begin(machine: Machine, start: Sequence[float], distances: Sequence[float]) -> Motion:
    """Begin to move by the first of `distances` that is not refused; a refusal moves nothing."""
    from ..client import Refused

    refused: Refused | None = None
    for distance in distances:
        try:
            return _to(machine, [place + distance for place in start])
        except Refused as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _to(machine: Machine, places: Sequence[float]) -> Motion:
    return machine.axes.move(places)


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
