"""`wmx disarm`: makes the axes of one engine safe with no node running.

It is for a program that supervises the machine, and for the person in front of it: it stops every
axis, switches every servo off, sets outputs to safe values, and prints what could not be done.
The engine is that of a device path, which is named: axes of other engines are not touched. Where no
engine communicates there is nothing to do, or the machine is on another device path.
"""

import argparse
import os

from wmx_core.errors import CommandRefused, ErrorCode, WmxError
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
    place.add_argument(
        "--device-path",
        default=default_device_path(),
        help="as that of the nodes; the default is %(default)s",
    )
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
    if options.robot and options.driver != "fake":
        raise wrong(
            f"--robot is of the simulated engine, and the driver is {options.driver!r}",
            remedy="--driver fake, or --device-path in the place of --robot",
        )
    path = machine_of(options.robot) if options.robot else options.device_path
    require_machine_file(path)
    try:
        driver = open_driver(options.driver, DriverOptions(device_path=path, starts_engine=False))
        with (
            out.progress("disarm"),
            device_stops(driver, path, f"wmx_disarm-{os.getpid()}") as stops,
        ):
            engine = f"the {'simulated ' if driver.simulated else ''}engine of {path or repr(path)}"
            try:
                failures = disarm(driver, stops, outputs)  # first: it needs no status
            except CommandRefused:
                raise Failure(
                    f"nothing was done: {engine} does not communicate",
                    remedy="a machine on another device path needs --device-path or --robot",
                    exit_code=Exit.NOT_ASKED,
                ) from None
            try:
                status = stops.status()
            except WmxError as error:
                failures.append(f"what the engine does now is not known: {error}")
            nodes = stops.nodes()
    except WmxError as error:
        none_runs = error.code == ErrorCode.SystemIsNoRunning
        raise Failure(
            str(error),
            exit_code=Exit.NOT_ASKED if none_runs else Exit.REFUSED,
            code=error.code,
            name=error.name,
        ) from None
    if failures:
        raise Failure("\n".join([f"on {engine}:", *failures]))
    if nodes:
        out.warn(
            f"nodes run on {engine}, and their clients may switch on again: {', '.join(nodes)}"
        )
    text = f"the {status.axes} axes of {engine} rest, and their servos are off"
    data = {"disarmed": True, "device_path": path, "axes": status.axes, "nodes": nodes}
    out.show(data, lambda: text)
