"""`wmx traj`: axes along the points of a CSV or YAML file, shown before they move."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wmx_core.values import Floats

from ..trajectories.point_files import Trajectory, read_trajectory
from .arguments import add_system
from .connection import connected, select
from .failures import Failure, text_of, wrong
from .plotting import picture, unit_of
from .progress import follow
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Axes, Machine

NEAR = 0.01
"""How far from its first point, or from where it was drawn, an axis may be, u."""


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
        if out.as_json:
            raise wrong("a plot has no JSON", remedy="leave --plot out")
        draw(out, points)
        return
    with connected(out, options) as machine:
        axes = axes_of(machine, points)
        start = machine.status().position[list(axes.numbers)]
        draw(out, points, unit_of(axes.units), start)
        if not options.yes:
            question = f"{foreseen(out, machine, points)}Move {', '.join(points.joints)} so?"
            if not out.agrees(question, "the axes may move"):
                raise Failure("nothing was moved")
            _require_still_at(start, machine.status().position[list(axes.numbers)], axes)
        axes, times, positions = way(machine, points)
        result = follow(out, axes.follow(times, positions), options.file.name)
        places = {axis.name: result.positions[axis.number] for axis in axes}
        out.show(
            {"reason": result.reason, "positions": places},
            lambda: "followed to its end",
        )


def read_points(path: Path) -> Trajectory:
    """Return the points of a file; a Failure with the point and the rule that it breaks."""
    text = text_of(path)
    try:
        return read_trajectory(text, str(path))
    except ValueError as error:
        raise wrong(str(error)) from None


def axes_of(machine: Machine, points: Trajectory) -> Axes:
    """Return the axis of each column; a Failure where one names none, or several."""
    axes = select(machine, points.joints)
    if len(axes.numbers) != len(points.joints):
        columns = ", ".join(points.joints)
        raise wrong(f"the columns {columns} name {len(axes.numbers)} axes: must name one each")
    return axes


def way(machine: Machine, points: Trajectory) -> tuple[Axes, list[float], list[list[float]]]:
    """Return the axes of a file, and its points after where these are now, see `from_start`."""
    axes = axes_of(machine, points)
    times, positions = from_start(points, machine.status().position[list(axes.numbers)])
    return axes, times.tolist(), positions.tolist()


def foreseen(out: Terminal, machine: Machine, points: Trajectory) -> str:
    """Return a line for each axis with how fast it would be, and one for how it would fail.

    A Failure where it would be refused.
    """
    from ..client import EndReason
    from ..client import follow as step

    axes, times, positions = way(machine, points)
    with out.progress("plan"):
        plan = machine.plan(step(axes.numbers, times, positions))
    if not plan.accepted:
        raise Failure(f"would be refused: {plan.message}")
    lines = [
        f"{each.name}: up to {each.velocity:.4g} {unit}/s and {each.acceleration:.4g} {unit}/s²\n"
        for each in plan.axes.values()
        if (unit := machine.axes[each.axis].unit)
    ]
    for motion in plan.motions:
        if motion.reason not in (None, EndReason.ARRIVED):
            lines.append(f"would end with {motion.reason.name}: {motion.message}\n")
    return "".join(lines)


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


def _require_still_at(drawn: Floats, now: Floats, axes: Axes) -> None:
    """Raise a Failure where an axis has left the place from which its way was drawn."""
    apart = np.abs(now - drawn)
    if (apart > NEAR).any():
        axis = int(apart.argmax())
        raise Failure(
            f"nothing was moved: {axes.names[axis]} is at {now[axis]:.4f}, and was at "
            f"{drawn[axis]:.4f} when its way was shown"
        )


def draw(out: Terminal, points: Trajectory, unit: str = "u", start: Floats | None = None) -> None:
    """Print the curves, with the way from where the axes `start` to the first point.

    Unit and start are known once the axes are.
    """
    if out.as_json:
        return
    times, positions = points.times, points.positions
    count = "1 point" if len(times) == 1 else f"{len(times)} points"
    label = f"{count} of a file, {times[-1]:g} s; position, {unit}"
    if start is not None and times[0] > 0.0:
        label += f"; from where the axes are, {times[0]:g} s to the first point"
        times, positions = np.r_[0.0, times], np.vstack([start, positions])
    out.print(picture(out, label, times, [*positions.T], points.joints))
