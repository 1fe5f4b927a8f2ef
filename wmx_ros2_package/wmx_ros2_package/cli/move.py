"""`wmx move`: axes to positions, starting in the same cycle."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from math import tau
from typing import TYPE_CHECKING

from wmx_core.values import Floats

from .arguments import add_speed, add_system, number, speed
from .completion import complete_axes
from .connection import connected, select
from .failures import Failure, wrong
from .progress import follow
from .terminal import Terminal

if TYPE_CHECKING:
    from ..actuators.description import Actuator
    from ..client import Axes, Machine

NO_LIMITS = 100
"""An axis whose limits of position are more turns apart has none: those of wheels may be."""
MOST_WAYS = 3
"""Of so many axes the bar says where they go."""


def add_move(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.usage = "wmx move (AXIS TARGET | AXIS=TARGET...) [options]"
    parser.epilog = (
        "Positions are in the unit of the axis, which `wmx status` shows. "
        "Ctrl-C lets the axes slow down."
    )
    add = parser.add_argument
    complete_axes(
        add("word", nargs="+", metavar="AXIS=TARGET", help="`joint1=0.5`, or `joint1 0.5`")
    )
    add("--by", action="store_true", help="by so much, from where the axis is commanded to be")
    add("--yes", action="store_true", help="turn further than once without being asked")
    add_speed(parser)
    add_system(parser)
    parser.set_defaults(run=run_move)


def run_move(out: Terminal, options: argparse.Namespace) -> None:
    """Move, show how far the axes are, and print where they are in the end."""
    words = pairs(options.word)
    with connected(out, options) as machine:
        targets = by_number(machine, words)
        start = machine.status().command
        if options.by:
            targets = {axis: float(start[axis]) + by for axis, by in targets.items()}
        units = {axis: machine.axes[axis].unit for axis in targets}
        far = {i: to for i, to in targets.items() if abs(to - start[i]) > one_turn(units[i])}
        if far and (turns := far_turns(machine.actuators, far, start, units)):
            question = f"{turns}. Move so?"
            if not (options.yes or out.agrees(question, f"axes may turn so far: {turns}")):
                raise Failure("nothing was moved")
        motion = machine.move_together(targets, **speed(options))
        axes = machine.axes[list(targets)]
        result = follow(out, motion, ways(axes, targets))
        places = result.positions
        out.show(
            {
                "reason": result.reason,
                "positions": {axis.name: places[axis.number] for axis in axes},
                "units": {axis.name: axis.unit for axis in axes},
            },
            lambda: ", ".join(
                f"{axis.name} is at {places[axis.number] + 0.0:.4f} {axis.unit}" for axis in axes
            ),
        )


def ways(axes: Axes, targets: dict[int, float]) -> str:
    """Return where each axis goes, and in which unit: 90 rad is not what 90 was meant to be."""
    if len(axes) > MOST_WAYS:
        return ", ".join(axes.names)
    return ", ".join(f"{each.name} to {targets[each.number]:g} {each.unit}" for each in axes)


def one_turn(unit: str) -> float:
    """Return one turn of an axis in its unit; one whose unit is not known may be in radians."""
    return 360.0 if unit == "deg" else tau


def far_turns(
    actuators: Mapping[str, Actuator],
    targets: Mapping[int, float],
    start: Floats,
    units: Mapping[int, str],
) -> str:
    """Return which axes turn how often, in words; none that has limits of position.

    Who types 90 where the unit is rad may mean degrees.
    """
    of_axis = {each.axis: each for each in actuators.values()}
    return ", ".join(
        f"{each.name} turns {times(abs(to - start[axis]) / turn)} times, from {start[axis]:g} to "
        f"{to:g} {'deg' if units[axis] == 'deg' else each.unit}"
        for axis, to in targets.items()
        if (each := of_axis.get(axis))
        and each.unit == "rad"
        and each.position_max - each.position_min > NO_LIMITS * (turn := one_turn(units[axis]))
    )


def times(count: float) -> str:
    """Return a count of turns with one decimal, and with fewer digits where it is absurd."""
    return f"{count:.1f}" if count < 1e6 else f"{count:.3g}"


def pairs(words: list[str]) -> dict[str, float]:
    """Return the axes and targets of `joint1=0.5 joint2=1`, or of `joint1 0.5`."""
    if not any("=" in word for word in words):
        if len(words) == 2:
            words = ["=".join(words)]
        elif len(words) % 2 == 0:
            meant = " ".join(map("=".join, zip(words[::2], words[1::2], strict=True)))
            raise wrong(f"several axes are AXIS=TARGET each: {meant}", "wmx move --help")
    targets: dict[str, float] = {}
    for word in words:
        axis, found, text = word.rpartition("=")
        if not (found and axis):
            raise wrong(
                f"{word!r} must be AXIS=TARGET, such as 0=0.5; one axis alone is AXIS TARGET",
                "wmx move --help",
            )
        if axis in targets:
            raise wrong(f"axis {axis} is named twice")
        try:
            targets[axis] = number(text)
        except argparse.ArgumentTypeError as error:
            raise wrong(f"the target of axis {axis}: {error}") from None
    return targets


def by_number(machine: Machine, values: dict[str, float]) -> dict[int, float]:
    """Return the values of `pairs` by the numbers of their axes."""
    axes = select(machine, [*values])
    if len(axes) != len(values):
        raise wrong("each value is for one axis")
    return dict(zip(axes.numbers, values.values(), strict=True))
