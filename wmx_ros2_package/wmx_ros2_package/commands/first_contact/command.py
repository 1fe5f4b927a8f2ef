"""`wmx_first_contact`: asks before each step, does it, and writes down what it finds."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...drivers.errors import WmxError
from ...drivers.options import DriverOptions
from . import crashing, looking, moving
from .bench import Bench, Settings, Unable
from .report import DONE, FAILED, SKIPPED, Finding, Report


class Step(NamedTuple):
    """A step and what is asked before it, with the settings filled in."""

    name: str
    question: str
    act: Callable[[Bench], dict[str, Any]]
    moves: bool = False
    """It needs axes that may move."""
    kills: bool = False
    """It needs to know the engine's process."""


STEPS = (
    Step(
        "environment",
        "Look at this process, import the module WMX3ApiPython and compare its names?",
        looking.environment,
    ),
    Step(
        "engine",
        "Start the engine and its communication, end both, and start them again? (The vendor's "
        "simulation mode, or a network whose drives may see it start and stop.)",
        looking.engine,
    ),
    Step("status", "Read the status {reads} times and measure what that costs?", looking.status),
    Step(
        "parameters",
        "Read the parameters and set the same again, with and without communication?",
        looking.parameters,
    ),
    Step(
        "one axis",
        "Switch the servo of axis {axis} on and MOVE it by {distance} u at {velocity} u/s, and "
        "jog it for 0.3 s?",
        moving.one_axis,
        moves=True,
    ),
    Step(
        "stops",
        "MOVE axis {axis} within {distance} u {rounds} times, while a second process stops it?",
        moving.stops,
        moves=True,
    ),
    Step("together", "MOVE the axes {axes} together, 20 times?", moving.together, moves=True),
    Step(
        "splines",
        "MOVE the axes {axes} along splines within {distance} u?",
        moving.splines,
        moves=True,
    ),
    Step(
        "killed process",
        "Kill a process that MOVES axis {axis} slowly, and see whether the axis stops?",
        crashing.killed_process,
        moves=True,
    ),
    Step(
        "killed engine",
        "KILL THE ENGINE, the process {engine_process!r}? What drives do then is not known.",
        crashing.killed_engine,
        kills=True,
    ),
)


def run(
    settings: Settings, ask: Callable[[str], bool], say: Callable[[str], None] = print
) -> Report:
    """Go through all steps; whatever happens, leave the axes stopped and the device closed."""
    report, bench = Report(settings.folder), Bench(settings)
    words = {
        "axis": settings.axes[0] if settings.axes else "",
        "axes": ", ".join(map(str, settings.axes)),
        "distance": settings.distance,
        "velocity": settings.velocity,
        "rounds": settings.rounds,
        "reads": looking.READS,
        "engine_process": settings.engine_process,
    }
    try:
        for step in STEPS:
            finding = _carry_out(step, bench, ask, step.question.format(**words))
            report.add(finding)
            say(f"  {finding.outcome}" + (f": {finding.error}" if finding.error else ""))
    finally:
        wrong = bench.leave()
        report.add(Finding(step="the end", outcome=FAILED if wrong else DONE, error=wrong))
    say(f"Written to {report.folder}: first_contact.txt, first_contact.json")
    return report


def _carry_out(step: Step, bench: Bench, ask: Callable[[str], bool], question: str) -> Finding:
    settings = bench.settings
    if step.moves and not settings.axes:
        return Finding(step=step.name, outcome=SKIPPED, error="no axis was named: --axes")
    if step.kills and not settings.engine_process:
        error = "the engine's process was not named: --engine-process"
        return Finding(step=step.name, outcome=SKIPPED, error=error)
    if not ask(f"{step.name}: {question}"):
        return Finding(step=step.name, outcome=SKIPPED, error="not wanted")
    began = time.monotonic()
    finding = Finding(step=step.name, outcome=DONE)
    try:
        finding.facts = step.act(bench)
    except Unable as reason:
        finding.outcome, finding.error = SKIPPED, str(reason)
    except Exception as error:  # whatever it is belongs in the report
        finding.outcome, finding.error = FAILED, f"{type(error).__name__}: {error}"
    if finding.outcome != DONE and (wrong := bench.make_safe()):
        finding.error += f" (making safe: {wrong})"
    finding.seconds = time.monotonic() - began
    return finding


def on_the_console(question: str) -> bool:
    """Ask a person; whoever is not there says no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def always_yes(question: str) -> bool:
    print(question)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from a terminal; 1 where a step failed."""
    parser = argparse.ArgumentParser(prog="wmx_first_contact", description=__doc__)
    parser.add_argument("--device-path", default=DriverOptions().device_path, help="the SDK's root")
    parser.add_argument(
        "--axes", default="", help="axes that may move, such as 0,1; none if left out"
    )
    parser.add_argument("--distance", type=float, default=1.0, help="how far they may go, u")
    parser.add_argument("--velocity", type=float, default=1.0, help="how fast, u/s")
    parser.add_argument("--rounds", type=int, default=1000, help="stops from a second process")
    parser.add_argument("--engine-process", default="", help="part of its command line, to kill it")
    parser.add_argument("--output", type=Path, default=Path("wmx_first_contact"))
    parser.add_argument(
        "--yes", action="store_true", help="say yes to everything: where no drive can do harm"
    )
    given = parser.parse_args(arguments)
    if not (0.0 < given.distance < float("inf") and 0.0 < given.velocity < float("inf")):
        parser.error("--distance and --velocity must be greater than 0")
    axes = tuple(int(axis) for axis in given.axes.split(",") if axis.strip())
    settings = Settings(
        device_path=given.device_path,
        axes=axes,
        distance=given.distance,
        velocity=given.velocity,
        rounds=given.rounds,
        engine_process=given.engine_process,
        folder=given.output,
    )
    for number in (signal.SIGINT, signal.SIGTERM):  # however it ends, axes are stopped first
        signal.signal(number, signal.default_int_handler)
    try:
        report = run(settings, always_yes if given.yes else on_the_console)
    except WmxError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: the axes were stopped, the device was closed", file=sys.stderr)
        return 1
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
