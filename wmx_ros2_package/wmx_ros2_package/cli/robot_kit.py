"""`wmx robot new`: a folder for a robot of one's own, from its URDF."""

import argparse
import re
from pathlib import Path

from ..robots.kit.base import Wheels, wheels_of
from ..robots.kit.drives import FASTEST_MOTOR, TURN, Drive, drives_of
from ..robots.kit.making import make_robot
from ..robots.urdf import read_urdf_file
from ..validation import BadRequest
from .arguments import positive, whole
from .failures import wrong
from .terminal import Terminal, table

MEASURES = {
    "wheel-radius": "the cylinder of a wheel",
    "wheel-separation": "the distance between the wheels",
    "robot-radius": "the circle around all shapes",
}
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
    add(
        "--joints",
        nargs="+",
        default=(),
        metavar="JOINT",
        help="those that are axes, in the order of the axes; without, all that move by themselves",
    )
    add(
        "--wheels",
        nargs=2,
        metavar=("LEFT", "RIGHT"),
        help="it is a base, which these joints drive: axes 0 and 1; --joints are an arm on it",
    )
    add(
        "--ros2-control",
        action="store_true",
        help="it is the hardware of ros2_control, whose controllers lead its joints",
    )
    for name, what in MEASURES.items():
        add(f"--{name}", type=positive, metavar="M", help=f"m; without, {what} in the URDF")
    new.set_defaults(run=run_new)


def run_new(out: Terminal, options: argparse.Namespace) -> None:
    """Make the folder, and say what was taken for each joint and what to do next."""
    folder: Path = options.folder
    if not NAME.fullmatch(folder.name):
        raise wrong(f"the robot's name is {folder.name!r}: must be like my_arm, for ROS has it")
    try:
        drives, wheels = _motors(options)
        not_drawn = make_robot(
            folder, options.urdf, drives, wheels, ros2_control=options.ros2_control
        )
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
    if wheels is not None:
        out.say(
            f"wheels of radius {wheels.radius:g} m, {wheels.separation:g} m apart; a robot of "
            f"radius {wheels.reach:.3g} m; at most {wheels.linear:.3g} m/s and "
            f"{wheels.angular:.3g} rad/s"
        )
    path = folder if folder.is_absolute() else f"./{folder}"
    out.say(
        f"made {folder}; next: wmx doctor --robot {path}, and, simulated: bringup --robot {path}"
    )
    out.say("its servos are off until `wmx on all`")
    out.say("before driver:=wmx3 check the signs (AxisPolarity), HomeType and the rated torques")


def _motors(options: argparse.Namespace) -> tuple[list[Drive], Wheels | None]:
    """Return the drives of the robot, and its wheels, which are the first two, if it is a base."""
    model = read_urdf_file(options.urdf)
    names = *(options.wheels or ()), *options.joints
    measures = {name: getattr(options, name) for name in (m.replace("-", "_") for m in MEASURES)}
    if options.wheels is None and any(measures.values()):
        raise wrong("measures of a base need --wheels LEFT RIGHT")
    drives = drives_of(model, options.counts, options.ratio, names)
    return drives, wheels_of(model, drives, **measures) if options.wheels else None
