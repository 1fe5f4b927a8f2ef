"""Trajectories as points of axes over time: read from a file, or made of a few numbers.

time, joint1, joint2            points:
0.0, 0.0, 0.0                     - {time: 1.0, joint1: 0.1, joint2: -0.1}
1.0, 0.1, -0.1                    - {time: 2.0, joint1: 0.0, joint2: 0.0}

The time may also be named `time_s`, and YAML may have `joint_names`, and `positions` in each point.
"""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml

from wmx_core.numerals import decimal
from wmx_core.values import Floats

from .plain_yaml import read_plain_yaml

TIMES = "time", "time_s"
POSITIONS = "positions"
MOST_POINTS = 100_000
MADE_POINTS = 31
"""Of a trajectory that is made here: enough for a spline to be smooth."""


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Positions of joints, or of other axes, over time."""

    joints: tuple[str, ...]
    times: Floats
    """Shape (points,), s, increasing, from 0 on."""
    positions: Floats
    """Shape (points, joints), u."""

    @property
    def duration(self) -> float:
        """How long it lasts, s."""
        return float(self.times[-1])


def read_trajectory(text: str, name: str) -> Trajectory:
    """The trajectory in `text`, that of the file `name`: YAML by its ending, else CSV.

    ValueError has the file, the point and the rule that it breaks.
    """
    is_yaml = name.lower().endswith((".yaml", ".yml"))
    try:
        return _trajectory(*(_from_yaml(text) if is_yaml else _from_csv(text)))
    except (ValueError, csv.Error, yaml.YAMLError) as error:
        raise ValueError(f"{name}: {' '.join(str(error).split())}") from None


def smooth_move(
    joints: Sequence[str], start: Sequence[float], end: Sequence[float], speed: Sequence[float]
) -> Trajectory:
    """From `start` to `end`, no joint faster than its `speed` (u/s), at rest on both ends.

    Each joint follows (1 - cos) / 2, whose highest velocity is pi / 2 times its mean.
    """
    ways = np.asarray(end, dtype=float) - np.asarray(start, dtype=float)
    longest = max(abs(way) / fast for way, fast in zip(ways, speed, strict=True))
    duration = max(math.pi / 2.0 * longest, 0.5)
    return _along((1.0 - np.cos(math.pi * _SHARES)) / 2.0, joints, start, ways, duration)


def sway(
    joints: Sequence[str], start: Sequence[float], ways: Sequence[float], duration: float
) -> Trajectory:
    """Each joint its way (u) out and back within `duration` (s)."""
    return _along((1.0 - np.cos(2.0 * math.pi * _SHARES)) / 2.0, joints, start, ways, duration)


_SHARES = np.linspace(0.0, 1.0, MADE_POINTS)


def _along(
    out: Floats, joints: Sequence[str], start: Sequence[float], ways: Any, duration: float
) -> Trajectory:
    """Each joint from `start` along the shares `out` of its way."""
    return Trajectory(tuple(joints), _SHARES * duration, np.asarray(start) + np.outer(out, ways))


def _trajectory(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Trajectory:
    """The trajectory of rows whose columns `head` names."""
    if not 2 <= len(rows) <= MOST_POINTS:
        count = "1 point" if len(rows) == 1 else f"{len(rows)} points"
        raise ValueError(f"has {count}, must have 2 to {MOST_POINTS}")
    times = [column for column, name in enumerate(head) if name in TIMES]
    if len(times) != 1:
        raise ValueError(f"has the columns {', '.join(head)}, must have one named {TIMES[0]!r}")
    if twice := [name for name in dict.fromkeys(head) if head.count(name) > 1]:
        raise ValueError(f"has {twice[0]!r} more than once, must have each axis once")
    joints = tuple(name for name in head if name not in TIMES)
    if not joints:
        raise ValueError(f"names no axis beside {TIMES[0]!r}")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(head):
            raise ValueError(f"point {number} has {len(row)} numbers, must have {[*head]}")
    table = np.array([[_number(i, cell) for cell in row] for i, row in enumerate(rows, start=1)])
    at, given = table[:, times[0]], [row[times[0]] for row in rows]
    if at[0] < 0.0:
        raise ValueError(f"point 1: {TIMES[0]} {given[0]} must be 0 or later")
    if (early := np.flatnonzero(np.diff(at) <= 0.0)).size:
        i = int(early[0]) + 1
        raise ValueError(f"point {i + 1}: {TIMES[0]} {given[i]} must be more than {given[i - 1]}")
    return Trajectory(joints, at, np.delete(table, times[0], axis=1))


def _number(point: int, cell: object) -> float:
    try:
        value = decimal(str(cell))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"point {point}: {cell!r} must be a finite number")
    return value


def _from_csv(text: str) -> tuple[list[str], list[list[str]]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if lines and ";" in lines[0] and "," not in lines[0]:
        raise ValueError("has columns that semicolons separate, must be commas")
    head, *rows = csv.reader(lines or [TIMES[0]], skipinitialspace=True)
    return [name.strip() for name in head], rows


def _from_yaml(text: str) -> tuple[list[str], list[list[Any]]]:
    content = read_plain_yaml(text)
    content = content if isinstance(content, dict) else {"points": content}
    joints, points = content.get("joint_names", []), content.get("points")
    if not (isinstance(joints, list) and isinstance(points, list)) or not all(
        isinstance(point, dict) for point in points
    ):
        raise ValueError("must be a list of points, such as {time: 1.0, joint1: 0.1}")
    known = [*points[0]] if points else []
    columns = [name for name in known if name != POSITIONS]
    rows = []
    for number, point in enumerate(points, start=1):
        positions = point.get(POSITIONS, [])
        if {*point} != {*known} or not isinstance(positions, list):
            raise ValueError(f"point {number} has {point}, must have {known}")
        rows.append([*(point[name] for name in columns), *positions])
    return [*map(str, columns), *map(str, joints)], rows
