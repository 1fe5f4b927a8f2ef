"""`wmx drive` and `wmx gripper`: a base on two wheels, and a gripper on an output."""

from __future__ import annotations

import argparse

from .arguments import add_system, number, positive
from .connection import connected
from .failures import wrong
from .progress import follow
from .terminal import Terminal


def add_drive(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add = parser.add_argument
    add("--forward", type=number, metavar="M", help="m straight on, backward below 0")
    add("--turn", type=number, metavar="RAD", help="rad on the spot, counterclockwise; after that")
    add("--velocity", type=positive, metavar="V", help="m/s; 0.2 without, or the base's limit")
    add("--turning", type=positive, metavar="W", help="rad/s; 0.5 without, or the base's limit")
    add_system(parser)
    parser.set_defaults(run=run_drive)


def run_drive(out: Terminal, options: argparse.Namespace) -> None:
    """Go straight on, then turn; print where the base is by its odometry."""
    if not (options.forward or options.turn):
        raise wrong("say how far, such as: wmx drive --forward 0.5 --turn 1.57")
    with connected(out, options) as machine:
        base = machine.base
        base.check(velocity=options.velocity, turning=options.turning)  # before anything moves
        if options.forward:
            follow(out, base.forward(options.forward, velocity=options.velocity), "forward")
        if options.turn:
            follow(out, base.turn(options.turn, velocity=options.turning), "turn")
        pose = base.pose
        out.show(
            {"x": pose.x, "y": pose.y, "heading": pose.heading},
            lambda: f"x {pose.x:.3f} m, y {pose.y:.3f} m, heading {pose.heading:.3f} rad",
        )


def add_gripper(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("what", choices=("open", "close"))
    add_system(parser)
    parser.set_defaults(run=run_gripper)


def run_gripper(out: Terminal, options: argparse.Namespace) -> None:
    """Open or close the gripper, and wait until it confirms that."""
    with connected(out, options) as machine:
        gripper = machine.gripper
        act, done = (gripper.open, "open") if options.what == "open" else (gripper.close, "closed")
        with out.progress("gripper"):
            act()
        out.show({"gripper": done}, lambda: f"the gripper is {done}")
