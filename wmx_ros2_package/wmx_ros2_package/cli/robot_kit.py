"""`wmx robot new`: a folder for a robot of one's own, from its URDF."""

import argparse
import re
from pathlib import Path

from ..robots.robot_kit import FASTEST_MOTOR, TURN, drives_of, make_robot
from ..validation import BadRequest
from .arguments import positive, whole
from .failures import wrong
from .terminal import Terminal, table

NAME = re.compile(r"[a-z][a-z0-9_]*")


def add_robot(parser: argparse.ArgumentParser) -> None:
    """Add the verbs below this one."""
    below = parser.add_subparsers(metavar="new", required=True)
    new = below.add_parser("new", help="make the folder of a robot from its URDF")
    add = new.add_argument
    add("folder", type=Path, help="where it is made, such as my_arm; its last part is the name")
    add("--urdf", type=Path, required=True, metavar="FILE")
    add(
        "--counts",
        type=whole(1, 2**32),
        nargs="+",
        required=True,
        metavar="N",
        help="encoder counts of a motor revolution: of all joints, or one for each",
    )
    add(
        "--ratio",
        type=positive,
        nargs="+",
        required=True,
        metavar="R",
        help="motor revolutions of a revolution of the joint, or of 1 m: of all, or one for each",
    )
    add("--joints", nargs="+", default=(), metavar="JOINT", help="in the order of the axes")
    new.set_defaults(run=run_new)


def run_new(out: Terminal, options: argparse.Namespace) -> None:
    """Make the folder, and say what was taken for each joint and what to do next."""
    folder: Path = options.folder
    if not NAME.fullmatch(folder.name):
        raise wrong(f"the robot's name is {folder.name!r}: must be like my_arm, for ROS has it")
    try:
        drives = drives_of(options.urdf, options.counts, options.ratio, options.joints)
        not_drawn = make_robot(folder, options.urdf, drives)
    except (BadRequest, OSError) as error:
        raise wrong(str(error)) from None
    for text in not_drawn:
        out.warn(f"the panel does not draw {text}")
    rows = [
        (
            axis,
            drive.joint.name,
            "rad" if drive.unit == TURN else "m",
            *drive.ends,
            drive.joint.velocity,
            drive.fastest,
        )
        for axis, drive in enumerate(drives)
    ]
    columns = "axis", "joint", "unit", "from", "to", "velocity", f"at {FASTEST_MOTOR:g} rpm"
    out.show([dict(zip(columns, row, strict=True)) for row in rows], lambda: table(columns, rows))
    path = folder if folder.is_absolute() else f"./{folder}"
    out.say(
        f"made {folder}; next: wmx doctor --robot {path}, and, simulated: bringup --robot {path}"
    )
    out.say("before driver:=wmx3 check the signs (AxisPolarity), HomeType and the rated torques")
