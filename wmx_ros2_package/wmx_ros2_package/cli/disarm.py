"""`wmx disarm`: makes the axes of a device safe with no node running.

It is for a program that supervises the machine, and for the person in front of it: it stops every
axis, switches every servo off, sets outputs to safe values, and prints what could not be done.
Where no engine communicates there is nothing to do, or the machine is on another device path.
"""

import argparse
import os

from wmx_core.errors import WmxError
from wmx_core.opening import default_device_path, open_driver
from wmx_core.options import DriverOptions

from ..control.disarming import disarm, safe_outputs
from ..control.stops import device_stops
from .failures import Exit, Failure, wrong
from .robot_files import HELP, add_driver, machine_of, require_machine_file, robot
from .terminal import Terminal


def add_disarm(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_driver(parser)
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--device-path", default=default_device_path(), help="as that of the nodes")
    place.add_argument(
        "--robot",
        type=robot,
        help=f"instead: that of `bringup --robot`, on the simulated engine: {HELP}",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="BYTE.BIT=VALUE",
        help="an output and its safe value, such as 2.0=0; may be given more than once",
    )
    parser.set_defaults(run=run_disarm)


def run_disarm(out: Terminal, options: argparse.Namespace) -> None:
    """Disarm; a Failure when something could not be done, or when there was nothing to do."""
    try:
        outputs = safe_outputs(options.output)
    except ValueError as error:
        raise wrong(str(error)) from None
    path = machine_of(options.robot) if options.robot else options.device_path
    require_machine_file(path)
    try:
        driver = open_driver(options.driver, DriverOptions(device_path=path, starts_engine=False))
        with (
            out.progress("disarm"),
            device_stops(driver, path, f"wmx_disarm-{os.getpid()}") as stops,
        ):
            communicating = stops.status().communicating
            failures = disarm(driver, stops, outputs)
    except WmxError as error:
        raise Failure(str(error), code=error.code, name=error.name) from None
    if failures:
        raise Failure("\n".join(failures))
    if not communicating:
        raise Failure(
            f"nothing was done: the engine of {path} does not communicate",
            remedy="a machine on another device path needs --device-path or --robot",
            exit_code=Exit.NOT_ASKED,
        )
    text = "every axis rests and every servo is off"
    out.show({"disarmed": True}, lambda: text)
