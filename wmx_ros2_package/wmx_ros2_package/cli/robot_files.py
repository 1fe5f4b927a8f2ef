"""A robot that is named on the command line, and the machine that is simulated for it."""

import argparse
from pathlib import Path

from wmx_core.opening import default_driver, known_drivers
from wmx_core.options import MACHINE_FILES

from ..robots import needed_machine
from ..robots.catalogue import ROBOTS, Robot, find_robot
from ..validation import BadRequest
from .failures import wrong

HELP = f"{', '.join(ROBOTS)}, or the path of a folder"


def robot(text: str) -> Robot:
    """Return the robot of a name, or of a folder."""
    try:
        return find_robot(text)
    except (BadRequest, OSError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_driver(parser: argparse.ArgumentParser) -> None:
    """Add the driver whose engine is meant."""
    default = default_driver()
    words = f"fake: the simulated engine, wmx3: the vendor's (default {default})"
    parser.add_argument("--driver", choices=known_drivers(), default=default, help=words)


def require_machine_file(path: str) -> None:
    """A Failure where a machine file, which a device path may be, is not there."""
    if path.lower().endswith(MACHINE_FILES) and not Path(path).is_file():
        raise wrong(f"--device-path: there is no file {path}")


def machine_of(robot: Robot) -> str:
    """Return the machine file of the robot; a Failure where its parameters cannot be read."""
    try:
        return str(needed_machine.machine_of(robot))
    except (BadRequest, OSError) as error:
        raise wrong(str(error)) from None
