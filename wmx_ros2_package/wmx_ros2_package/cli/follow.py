"""`wmx follow`: an axis follows another."""

from __future__ import annotations

import argparse
from math import isinf

from .arguments import add_for, add_system, number
from .completion import complete_axes
from .connection import connected, select_one
from .progress import follow
from .terminal import Terminal


def add_follow(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    for name, what in (("slave", "that follows"), ("master", "that it follows")):
        complete_axes(parser.add_argument(name, help=f"number or name of the axis {what}"))
    parser.add_argument(
        "--ratio",
        type=number,
        default=1.0,
        help="u of the slave for each u of the master, signed (default %(default)g)",
    )
    add_for(parser)
    add_system(parser)
    parser.set_defaults(run=run_follow)


def run_follow(out: Terminal, options: argparse.Namespace) -> None:
    """Let one axis follow another, until Ctrl-C or for so long; then it is brought to rest."""
    from ..client import NotAnswered

    with connected(out, options) as machine:
        slave, master = select_one(machine, options.slave), select_one(machine, options.master)
        motion = slave.follow_axis(master, options.ratio)
        out.say(f"{slave.name} follows {master.name} by {options.ratio:g}")
        if isinf(options.seconds):
            follow(out, motion, slave.name)
        else:
            try:
                motion.wait(options.seconds)
            except NotAnswered:
                motion.cancel()
                motion.wait()
        place = slave.position
        out.show(
            {"axis": slave.number, "name": slave.name, "position": place},
            lambda: f"{slave.name} is at {place:.6g} {slave.unit}",
        )
