"""`wmx traj`: axes along the points of a CSV or YAML file, shown before they move."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from ..drivers.values import Floats
from ..trajectories.points import Trajectory, read_trajectory
from .arguments import add_system
from .connection import connected, select
from .consent import agreed
from .failures import Failure, wrong
from .plotting import COLOURS, curves, legend, unit_of
from .progress import follow
from .terminal import Terminal

WIDTH, HEIGHT = 64, 10
NEAR = 0.01
"""How far from its first point an axis may be, u."""


def add_traj(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add = parser.add_argument
    add("file", type=Path, help="CSV with a header, or YAML: time in s, a column for each axis")
    add("--plot", action="store_true", help="show it, and move nothing")
    add("--yes", action="store_true", help="move without being asked")
    add_system(parser)
    parser.set_defaults(run=run_traj)


def run_traj(out: Terminal, options: argparse.Namespace) -> None:
    """Show the points, ask, and move the axes along a spline through them; they end at rest."""
    points = read_points(options.file)
    if options.plot:
        out.say("\n".join(picture(points)))
        return
    with connected(out, options) as machine:
        axes = select(machine, points.joints)
        out.say("\n".join(picture(points, unit_of(axes.units))))
        question = f"Move {', '.join(points.joints)} so?"
        if not (options.yes or out.as_json or agreed(question, "the axes may move")):
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


def read_points(path: Path) -> Trajectory:
    """Return the points of a file; a Failure with the point and the rule that it breaks."""
    try:
        return read_trajectory(path.read_text(), str(path))
    except OSError as error:
        raise wrong(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise wrong(f"{path}: {error}") from None
    except ValueError as error:
        raise wrong(str(error)) from None


def from_start(points: Trajectory, start: Floats) -> tuple[Floats, Floats]:
    """Return times and positions after the start; a Failure where the axes are elsewhere.

    A point at time 0 is where the axes have to be already: nothing jumps there.
    """
    if points.times[0] > 0.0:
        return points.times, points.positions
    apart = np.abs(points.positions[0] - start)
    if (apart > NEAR).any():
        axis = int(apart.argmax())
        target = f"{points.joints[axis]}={points.positions[0, axis]:g}"
        raise Failure(
            f"{points.joints[axis]} is at {start[axis]:.4f}, and the file begins at "
            f"{points.positions[0, axis]:g}",
            remedy=f"wmx move {target}",
        )
    return points.times[1:], points.positions[1:]


def picture(points: Trajectory, unit: str = "u") -> list[str]:
    """Return the curves as text, without colours; the unit is known once the axes are."""
    shown = points.positions.T[: len(COLOURS)]
    lines = curves(points.times, [*shown], width=WIDTH, height=HEIGHT, colour=False)
    seconds = f"{len(points.times)} points, {points.times[-1]:g} s"
    return [f"position, {unit}: {legend(points.joints, colour=False)}; {seconds}", *lines]
