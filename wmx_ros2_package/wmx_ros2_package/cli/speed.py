"""`wmx speed`, `wmx pause` and `wmx resume`: how fast axes move in the whole system."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from ..control.axis_file.records import FULL_SPEED, LEAST_SPEED
from .arguments import add_system, whole
from .connection import connected
from .orders import done_with_all
from .terminal import Terminal


def add_speed(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "percent",
        nargs="?",
        type=whole(LEAST_SPEED, FULL_SPEED),
        help="of the speed that is asked for, 1 to 100",
    )
    add_system(parser)
    parser.set_defaults(run=run_speed)


def run_speed(out: Terminal, options: argparse.Namespace) -> None:
    """Set the speed of the system where one is given, and print what it is."""
    with connected(out, options) as machine:
        if options.percent is not None:
            with out.progress("speed: waiting for the answer", told=True):
                machine.set_speed(options.percent)
        speed = machine.speed
        words = f"speed: {speed.percent} %{', PAUSED: wmx resume' if speed.paused else ''}"
        out.show(asdict(speed), lambda: out.typed(words))


def add_pause(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_system(parser)
    parser.set_defaults(run=run_pause)


def run_pause(out: Terminal, options: argparse.Namespace) -> None:
    """Bring all that moves to rest where it can go on from."""
    with connected(out, options, to_stop=True) as machine:
        with out.progress("pause: the axes slow down", told=True):
            machine.pause()
        said = out.typed("paused: all axes rest; wmx resume lets them go on")
        done_with_all(out, said, machine, to_stop=True)


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_system(parser)
    parser.set_defaults(run=run_resume)


def run_resume(out: Terminal, options: argparse.Namespace) -> None:
    """Let what was paused go on."""
    with connected(out, options) as machine:
        with out.progress("resume: waiting for the answer", told=True):
            machine.resume()
        out.show({"done": "resumed"}, lambda: "resumed: the pause is over")
