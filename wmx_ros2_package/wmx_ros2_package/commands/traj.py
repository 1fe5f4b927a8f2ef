"""`wmx traj`: axes along the points of a CSV or YAML file, shown before they move.

time, joint1, joint2            points:
0.0, 0.0, 0.0                     - {time: 1.0, joint1: 0.1, joint2: -0.1}
1.0, 0.1, -0.1                    - {time: 2.0, joint1: 0.0, joint2: 0.0}
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from ..drivers.values import Floats
from .arguments import add_system, number
from .connection import connected, select
from .failures import Failure, wrong
from .plotting import COLOURS, curves, legend, unit_of
from .progress import follow
from .terminal import Terminal

TIME = "time"
WIDTH, HEIGHT = 64, 10
MOST_POINTS = 100_000
NEAR = 0.01
"""How far from its first point an axis may be, u."""


class Points(NamedTuple):
    """The points of a file: times (points,) in s, positions (points, axes) in u."""

    axes: tuple[str, ...]
    times: Floats
    positions: Floats


def add_traj(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add = parser.add_argument
    add("file", type=Path, help="CSV with a header, or YAML: time in s, a column for each axis")
    add("--plot", action="store_true", help="show it, and move nothing")
    add("--yes", action="store_true", help="move without being asked")
    add_system(parser)
    parser.set_defaults(run=run_traj)


def run_traj(out: Terminal, options: argparse.Namespace) -> None:
    """Show the points, ask, and lead the axes along a spline through them; they end at rest."""
    points = read_points(options.file)
    if options.plot:
        out.say("\n".join(picture(points)))
        return
    with connected(out, options) as machine:
        axes = select(machine, points.axes)
        out.say("\n".join(picture(points, unit_of(axes.units))))
        if not (options.yes or out.as_json or _agreed(points)):
            raise Failure("nothing was moved")
        start = machine.status().position[list(axes.numbers)]
        times, positions = from_start(points, start)
        motion = axes.follow(times.tolist(), positions.tolist())
        result = follow(out, motion, options.file.name)
        places = dict(zip(axes.names, map(float, positions[-1]), strict=True))
        out.show(
            {"reason": result.reason, "positions": places},
            lambda: f"followed to its end, {times[-1]:g} s",
        )


def read_points(path: Path) -> Points:
    """Return the points of a file; a Failure with the line and the rule that it breaks."""
    try:
        text = path.read_text()
    except OSError as error:
        raise wrong(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise wrong(f"{path}: {error}") from None
    rows = _yaml_rows(path, text) if path.suffix in (".yaml", ".yml") else _csv_rows(text)
    if len(rows) < 2 or len(rows) > MOST_POINTS:
        raise wrong(f"{path}: has {len(rows)} points, must have 2 to {MOST_POINTS}")
    axes = tuple(name for name in rows[0] if name != TIME)
    if not axes:
        raise wrong(f"{path}: names no axis beside {TIME!r}")
    table = []
    for i, row in enumerate(rows, start=1):
        if {*row} != {TIME, *axes}:
            raise wrong(f"{path}: point {i} has {sorted(row)}, must have {[TIME, *axes]}")
        try:
            table.append([number(str(row[name])) for name in (TIME, *axes)])
        except argparse.ArgumentTypeError as error:
            raise wrong(f"{path}: point {i}: {error}") from None
    numbers = np.array(table)
    if numbers[0, 0] < 0.0 or (np.diff(numbers[:, 0]) <= 0.0).any():
        raise wrong(f"{path}: {TIME} must begin at 0 or later, and increase")
    return Points(axes, numbers[:, 0], numbers[:, 1:])


def _csv_rows(text: str) -> list[dict[str, Any]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    reader = csv.DictReader(lines, skipinitialspace=True, restkey="?", restval="")
    return [{str(name).strip(): str(value).strip() for name, value in row.items()}
            for row in reader]  # fmt: skip


def _yaml_rows(path: Path, text: str) -> list[dict[str, Any]]:
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise wrong(f"{path}: {' '.join(str(error).split())}") from None
    rows = content.get("points") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise wrong(f"{path}: must be a list of points, such as {{time: 1.0, joint1: 0.1}}")
    return [{str(name): value for name, value in row.items()} for row in rows]


def from_start(points: Points, start: Floats) -> tuple[Floats, Floats]:
    """Return times and positions after the start; a Failure where the axes are elsewhere.

    A point at time 0 is where the axes have to be already: nothing jumps there.
    """
    if points.times[0] > 0.0:
        return points.times, points.positions
    apart = np.abs(points.positions[0] - start)
    if (apart > NEAR).any():
        axis = int(apart.argmax())
        target = f"{points.axes[axis]}={points.positions[0, axis]:g}"
        raise Failure(
            f"{points.axes[axis]} is at {start[axis]:.4f}, and the file begins at "
            f"{points.positions[0, axis]:g}",
            remedy=f"wmx move {target}",
        )
    return points.times[1:], points.positions[1:]


def picture(points: Points, unit: str = "u") -> list[str]:
    """Return the curves as text, without colours; the unit is known once the axes are."""
    shown = points.positions.T[: len(COLOURS)]
    lines = curves(points.times, [*shown], width=WIDTH, height=HEIGHT, colour=False)
    seconds = f"{len(points.times)} points, {points.times[-1]:g} s"
    return [f"position, {unit}: {legend(points.axes, colour=False)}; {seconds}", *lines]


def _agreed(points: Points) -> bool:
    """Ask whoever is at the terminal; without one there is no consent."""
    if not sys.stdin.isatty():
        raise wrong("nobody can be asked whether the axes may move", remedy="--yes")
    return input(f"Move {', '.join(points.axes)} so? [y/N] ").strip().lower() in ("y", "yes")
