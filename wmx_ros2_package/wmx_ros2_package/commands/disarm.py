"""`wmx_disarm`: makes the axes of a device safe with no node running.

For whoever supervises the machine: it stops every axis, switches every servo off, sets outputs to
safe values, and says what it could not do. An engine that does not run is left alone.
"""

import argparse
import os
import sys

from ..drivers import default_driver, open_driver
from ..drivers.disarming import disarm, safe_output
from ..drivers.errors import WmxError
from ..drivers.options import DriverOptions
from ..drivers.values import DEFAULT_DEVICE_PATH


def main() -> int:
    """Disarm; the exit code is 1 when something could not be done."""
    parser = argparse.ArgumentParser(prog="wmx_disarm", description=__doc__)
    parser.add_argument("--driver", default=default_driver(), help="fake or wmx3")
    parser.add_argument("--device-path", default=DEFAULT_DEVICE_PATH, help="as that of the nodes")
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
    try:
        driver = open_driver(arguments.driver, DriverOptions(device_path=arguments.device_path))
        driver.engine.create_device(arguments.device_path, f"wmx_disarm-{os.getpid()}")
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
    if not troubles:
        done = "every axis rests and every servo is off"
        print(f"wmx_disarm: {done if communicating else 'the engine does not communicate'}")
    return 1 if troubles else 0
