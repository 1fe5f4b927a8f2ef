"""`wmx plan`: what commands would do, computed on a copy of the machine; nothing moves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import add_speed, add_system, positive, speed
from .connection import connected
from .failures import Failure, wrong
from .figures import save_png
from .move import by_number, pairs
from .plotting import picture, unit_of
from .terminal import Terminal, table
from .traj import read_points, way

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..client import Machine, Plan, Step

FILES = ".csv", ".yaml", ".yml"
SAMPLES = 500


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.usage = "wmx plan (AXIS TARGET | AXIS=TARGET... | points.csv) [options]"
    parser.epilog = (
        "The exit code is 0 when every motion would arrive, 1 when something is refused or ends "
        "otherwise."
    )
    add = parser.add_argument
    add("word", nargs="*", metavar="AXIS=TARGET", help="as `wmx move`, or a file as `wmx traj`")
    add("--then", nargs="+", action="append", default=[], metavar="AXIS=TARGET",
        help="and then, once that has ended; may be given again")  # fmt: skip
    add("--jog", nargs="+", metavar="AXIS=V", help="run at velocities instead, u/s")
    add("--effort", nargs="+", metavar="AXIS=E", help="exert efforts instead, N*m or N")
    add("--for", dest="seconds", type=positive, metavar="T", help="s, of --jog and --effort")
    add("--line", action="store_true", help="the axes of a move go along a straight line")
    add_speed(parser)
    add("--longest", type=positive, metavar="T", help="s of motion that are computed (60)")
    add("--plot", action="store_true", help="draw the path of each axis")
    add("--png", type=Path, metavar="FILE", help="draw it into a file; needs matplotlib")
    add_system(parser)
    parser.set_defaults(run=run_plan)


def run_plan(out: Terminal, options: argparse.Namespace) -> None:
    """Print what would happen; a Failure where something is refused or ends otherwise."""
    if sum(map(bool, (options.word, options.jog, options.effort))) != 1:
        raise wrong("name targets, a file, --jog or --effort", remedy="wmx plan --help")
    if spare := _spare(options):
        raise wrong(f"{' and '.join(spare)}: no step of this plan takes it", "wmx plan --help")
    with connected(out, options) as machine:
        steps = [_first(machine, options), *(_move(machine, options, w) for w in options.then)]
        samples = SAMPLES if options.plot or options.png or out.as_json else 0
        with out.progress("plan"):
            plan = machine.plan(*steps, line=options.line, longest=options.longest, samples=samples)
        units = {name: machine.axes[each.axis].unit for name, each in plan.axes.items()}
    if not plan.accepted:
        step = f"step {plan.refused_step + 1}: " if len(steps) > 1 else ""
        raise Failure(f"would be refused: {step}{plan.message}")
    names, paths = [*plan.axes], [each.path for each in plan.axes.values()]
    label = f"position, {unit_of(units.values())}"
    if options.png:
        save_png(options.png, plan.times, paths, names, label=label)
    out.show(plan, lambda: summary(plan, units))
    if options.plot and not out.as_json:
        out.print(picture(out, label, plan.times, paths, names))
    if not plan.arrives:
        raise Failure("not every motion would arrive", shown=True)


def _of_file(options: argparse.Namespace) -> bool:
    return len(options.word) == 1 and options.word[0].endswith(FILES)


def _spare(options: argparse.Namespace) -> list[str]:
    """Return the options that no step takes: with them the plan would be one of something else."""
    moves = options.then or (options.word and not _of_file(options))
    rows = (
        ("--velocity", options.velocity, moves),
        ("--acceleration", options.acceleration, moves or options.jog),
        ("--duration", options.duration, moves),
        ("--for", options.seconds, options.jog or options.effort),
        ("--line", options.line or None, moves),
    )
    return [name for name, given, taken in rows if given is not None and not taken]


def _first(machine: Machine, options: argparse.Namespace) -> Step:
    from ..client import Step, exert, follow, jog

    if options.word:
        if _of_file(options):
            axes, times, positions = way(machine, read_points(Path(options.word[0])))
            return follow(axes.numbers, times, positions)
        return _move(machine, options, options.word)
    make = partial(jog, acceleration=options.acceleration) if options.jog else exert
    values = by_number(machine, pairs(options.jog or options.effort))
    steps = [make(axis, value, duration=options.seconds) for axis, value in values.items()]
    return Step({axis: fields for step in steps for axis, fields in step.commands.items()})


def _move(machine: Machine, options: argparse.Namespace, words: list[str]) -> Step:
    from ..client import move

    return move(by_number(machine, pairs(words)), **speed(options))


def summary(plan: Plan, units: Mapping[str, str]) -> RenderableType:
    """Return what people read: a sentence, the motions and the axes, whose `units` are named."""
    from rich.console import Group
    from rich.text import Text

    columns = (
        *("axis", "unit", "from", "to", "per s", "per s²", "per s³", "torque [%]"),
        *("behind", "settled [s]"),
    )
    rows = [
        (
            *(each.name, units[each.name], each.low, each.high, each.velocity, each.acceleration),
            each.jerk if isfinite(each.jerk) else "unbounded",
            *(each.torque, each.following_error),
            each.settled if isfinite(each.settled) else "-",
        )
        for each in plan.axes.values()
    ]
    return Group(Text("\n".join(_lines(plan))), table(columns, rows, title="greatest values"))


def _lines(plan: Plan) -> Iterator[str]:
    yield plan.message
    if not plan.exact:
        yield "computed from state and parameters: motor, friction and limit switches are assumed"
    for motion in plan.motions:
        ends = f"to {motion.end:.3f} s" if isfinite(motion.end) else "on"
        reason = f", {motion.reason.name}" if motion.reason else ""
        words = f": {motion.message}" if motion.message else ""
        yield f"  {', '.join(motion.names)} from {motion.begin:.3f} s {ends}{reason}{words}"
    for axis in plan.axes.values():
        for time, words in axis.limits:
            yield f"  {axis.name} at {time:.3f} s: {words}"
