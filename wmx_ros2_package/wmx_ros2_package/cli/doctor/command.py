"""`wmx doctor`: carries out all checks, and prints what is right and what is wrong."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wmx_core.opening import default_device_path

from ...robots.catalogue import CONFIG
from ..failures import Exit
from ..failures import wrong as wrong_argument
from ..robot_files import HELP, add_driver, machine_of, require_machine_file
from ..robot_files import robot as robot_named
from ..terminal import Terminal
from . import computer, controllers, installation, machine, network, node_parameters, robot, systems
from .finding import Check, Finding, Level, Subject

if TYPE_CHECKING:
    from rich.table import Table

CHECKS: tuple[Check, ...] = (
    *installation.CHECKS,
    *network.CHECKS,
    *systems.CHECKS,
    *computer.CHECKS,
    *node_parameters.CHECKS,
    *machine.CHECKS,
    *robot.CHECKS,
    *controllers.CHECKS,
)
MARKS = {
    Level.RIGHT: ("ok", "green"),
    Level.NOTE: ("note", "yellow"),
    Level.WRONG: ("WRONG", "bold red"),
}


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.epilog = (
        "The exit code is 0 when nothing is wrong, 1 when something is. Nothing is changed."
    )
    add = parser.add_argument
    add_driver(parser)
    add("--robot", type=robot_named, help=f"check the files of this robot: {HELP}")
    add("--params-file", type=Path, metavar="YAML", help="parameters of the nodes")
    add("--wmx-parameters", type=Path, metavar="XML", help="parameters of the engine")
    add("--urdf", type=Path, help="the robot's description")
    add("--device-path", help="the SDK's folder, or the machine file of the simulated engine")
    parser.set_defaults(run=run_doctor)


def run_doctor(out: Terminal, options: argparse.Namespace) -> int:
    """Print all findings; 1 when something is wrong."""
    subject = _subject(options)
    findings = [finding for check in out.steps("doctor", CHECKS) for finding in check(subject)]
    out.show(
        {
            "wrong": sum(each.level is Level.WRONG for each in findings),
            "findings": [{**each._asdict(), "level": each.level.name.lower()} for each in findings],
        },
        lambda: report(findings),
    )
    return Exit.REFUSED if any(each.level is Level.WRONG for each in findings) else Exit.DONE


def report(findings: list[Finding]) -> "Table":
    """Return the findings as a table, each with its remedy below it."""
    from rich.table import Table
    from rich.text import Text

    made = Table.grid(padding=(0, 2))
    for finding in findings:
        mark, style = MARKS[finding.level]
        made.add_row(Text(mark, style), Text(finding.check, "bold"), Text(finding.text))
        if finding.remedy:
            made.add_row("", "", Text(f"  {finding.remedy}", "cyan"))
    count = sum(finding.level is Level.WRONG for finding in findings)
    made.add_row()
    nothing = "nothing is wrong with what was checked"
    if not any(each.check == "system" and each.level is Level.RIGHT for each in findings):
        nothing += "; no system runs that could be"
    made.add_row("", "", Text(f"{count} wrong" if count else nothing, "bold"))
    return made


def _subject(options: argparse.Namespace) -> Subject:
    """Return what the options name: a robot's files, those of their own, or those shipped."""
    for name in ("params_file", "wmx_parameters", "urdf"):
        path = getattr(options, name)
        if path is not None and not path.is_file():
            raise wrong_argument(f"--{name.replace('_', '-')}: there is no file {path}")
    device = options.device_path
    require_machine_file(device or "")
    chosen = options.robot
    simulated = options.driver == "fake"
    robot_machine = machine_of(chosen) if chosen and simulated else default_device_path()
    return Subject(
        driver=options.driver,
        device_path=device or robot_machine,
        parameters=options.params_file
        or (chosen.parameters if chosen else CONFIG / "wmx_ros2.yaml"),
        wmx_parameters=options.wmx_parameters or (chosen.wmx_parameters if chosen else None),
        urdf=options.urdf or (chosen.urdf if chosen else None),
        controllers=chosen.controllers if chosen else None,
    )
