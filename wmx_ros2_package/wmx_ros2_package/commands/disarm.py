"""`wmx_disarm`: makes the axes of a device safe with no node running.

For whoever supervises the machine: it stops every axis, switches every servo off, sets outputs to
safe values, and says what it could not do. Where no engine communicates there is nothing to do, or
the machine is on another device path.
"""

import argparse
import os
import sys

from ..drivers import default_driver, open_driver
from ..drivers.disarming import disarm, safe_output
from ..drivers.errors import WmxError
from ..drivers.options import DriverOptions
from ..drivers.values import DEFAULT_DEVICE_PATH
from ..robots.catalogue import ROBOTS

NOTHING_THERE = 2
"""The exit code when no engine communicates on the device path."""


def main() -> int:
    """Disarm; the exit code is 1 when something could not be done, 2 when there was nothing."""
    parser = argparse.ArgumentParser(prog="wmx_disarm", description=__doc__)
    parser.add_argument("--driver", default=default_driver(), help="fake or wmx3")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--device-path", default=DEFAULT_DEVICE_PATH, help="as that of the nodes")
    place.add_argument(
        "--robot",
        choices=ROBOTS,
        help="instead: that of `bringup --robot`, on the simulated engine",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="BYTE.BIT=VALUE",
        help="an output and its safe value, such as 2.0=0; may be given more than once",
    )
    arguments = parser.parse_args()
    try:
        outputs = [safe_output(text) for text in arguments.output]
    except ValueError as error:
        parser.error(str(error))
    path = str(ROBOTS[arguments.robot].machine) if arguments.robot else arguments.device_path
    try:
        driver = open_driver(arguments.driver, DriverOptions(device_path=path))
        driver.engine.create_device(path, f"wmx_disarm-{os.getpid()}")
    except WmxError as error:
        print(f"wmx_disarm: {error}", file=sys.stderr)
        return 1
    try:
        communicating = driver.motion.status().communicating
        troubles = disarm(driver, outputs)
    except WmxError as error:
        communicating, troubles = True, [str(error)]
    finally:
        driver.engine.close_device()
    for trouble in troubles:
        print(f"wmx_disarm: {trouble}", file=sys.stderr)
    if troubles:
        return 1
    if not communicating:
        print(
            f"wmx_disarm: nothing was done: the engine of {path} does not communicate. "
            "A machine on another device path needs --device-path or --robot",
            file=sys.stderr,
        )
        return NOTHING_THERE
    print("wmx_disarm: every axis rests and every servo is off")
    return 0
