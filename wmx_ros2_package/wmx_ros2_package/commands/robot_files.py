"""A robot that is named on the command line, and the machine that is simulated for it."""

import argparse

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


def machine_of(robot: Robot) -> str:
    """Return the machine file of the robot; a Failure where its parameters cannot be read."""
    try:
        return str(needed_machine.machine_of(robot))
    except (BadRequest, OSError) as error:
        raise wrong(str(error)) from None
