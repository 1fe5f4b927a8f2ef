"""A robot that is named on the command line, and the machine that is simulated for it."""

import argparse
from pathlib import Path

import yaml

from ..robots.catalogue import ROBOTS, Robot, find_robot
from ..robots.needed_machine import needed_machine
from ..validation import BadRequest

HELP = f"{', '.join(ROBOTS)}, or the path of a folder"


def robot(text: str) -> Robot:
    """Return the robot of a name, or of a folder."""
    try:
        return find_robot(text)
    except (BadRequest, OSError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def machine_of(robot: Robot) -> Path:
    """Return the robot's own machine file, or one with the axes and I/O that its parameters need.

    OSError where the parameters cannot be read.
    """
    if robot.machine is not None:
        return robot.machine
    content = yaml.safe_load(robot.parameters.read_text())
    sections = [each["ros__parameters"] for each in content.values()]
    return needed_machine(sections, robot.wmx_parameters)
