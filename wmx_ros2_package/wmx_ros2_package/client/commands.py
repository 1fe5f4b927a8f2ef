"""What is asked of axes, as the fields of ActuatorCommand by axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from math import inf, isfinite
from typing import Any, TypeVar

from trajectory_msgs.msg import JointTrajectoryPoint
from wmx_ros2_message.msg import ActuatorCommand

from ..messages.times import duration_message
from .checked import real, whole

Key = int | str
"""What names an axis: its number, or the name of its actuator or joint."""
Targets = Mapping[int, float] | Mapping[str, float] | Mapping[Key, float]
"""Positions of axes, u, by what names them."""
K = TypeVar("K", int, str, Key)
T = TypeVar("T")
E = TypeVar("E", bound=Enum)


def position_commands(
    targets: Mapping[K, float],
    velocity: float | None,
    acceleration: float | None,
    duration: float | None,
) -> dict[K, dict[str, Any]]:
    """Moves to `targets` (u), see `Axis.move`; ValueError for an option that cannot be meant."""
    options = {
        "type": ActuatorCommand.POSITION,
        "velocity": option(velocity, "velocity"),
        "acceleration": option(acceleration, "acceleration"),
        "duration": duration_message(option(duration, "duration")),
    }
    return {
        axis: {**options, "value": real(target, f"the target of axis {axis}")}
        for axis, target in targets.items()
    }


def continuous_command(
    type: int, value: float, duration: float | None, acceleration: float | None = None
) -> dict[str, Any]:
    """A velocity or an effort, see `Axis.jog`; ValueError for an option that cannot be meant.

    So is a velocity of 0, which has no direction and no end.
    """
    name = "effort" if type == ActuatorCommand.EFFORT else "velocity"
    value = real(value, name)
    if type == ActuatorCommand.VELOCITY and not value:
        raise ValueError("velocity is 0: must not be 0; stop or hold bring an axis to rest")
    return {
        "type": type,
        "value": value,
        "acceleration": option(acceleration, "acceleration"),
        "duration": duration_message(option(duration, "duration")),
    }


def trajectory_commands(
    axes: Sequence[K],
    times: Sequence[float],
    positions: Sequence[Sequence[float]],
    velocities: Sequence[Sequence[float]] | None,
    repeat: int,
) -> dict[K, dict[str, Any]]:
    """A trajectory of `axes`, see `Axes.follow`.

    ValueError for a row of another length, and for an axis that is named twice.
    """
    if again := [axis for i, axis in enumerate(axes) if axis in axes[:i]]:
        raise ValueError(f"axis {again[0]} is named twice")
    times = _rows(times, "times")
    rows_of_positions = _rows(positions, "positions", len(times))
    if velocities is None or len(velocities) == 0:  # an array has no truth value
        velocities = [()] * len(times)
    if (repeat := whole(repeat, "repeat")) == 0:  # which in a message stands for once
        raise ValueError("repeat is 0: must be 1 or more, or -1 until it is canceled")
    rows = zip(times, rows_of_positions, _rows(velocities, "velocities", len(times)), strict=True)
    points: list[list[JointTrajectoryPoint]] = [[] for _ in axes]
    for time, at, speeds in rows:
        for i, column in enumerate(points):
            where = f"the point at {time} s"
            at, speeds = _rows(at, where), _rows(speeds, where)
            if len(at) != len(axes) or len(speeds) not in (0, len(axes)):
                raise ValueError(f"{where} has {len(at)} numbers: must have {len(axes)}")
            point = JointTrajectoryPoint(positions=[real(at[i], where)])
            point.velocities = [real(speeds[i], where)] if len(speeds) else []
            point.time_from_start = duration_message(_time(time))
            column.append(point)
    return {
        axis: {"type": ActuatorCommand.TRAJECTORY, "points": column, "repeat": repeat}
        for axis, column in zip(axes, points, strict=True)
    }


def _time(value: float) -> float:
    """The time of a point; ValueError for one before the start."""
    if not 0.0 <= (number := real(value, "a time")) < inf:
        raise ValueError(f"a time is {value}: must be finite, and 0 or above")
    return number


def option(value: float | None, name: str) -> float:
    """`value` as a message has it, where 0 stands for the default; ValueError for one that is 0."""
    return 0.0 if value is None else positive(value, name)


def positive(value: float, name: str) -> float:
    """A number above 0; ValueError for anything else."""
    if not 0.0 < (number := real(value, name)) < inf:
        raise ValueError(f"{name} is {value}: must be finite and above 0")
    return number


def finite(value: float, name: str) -> float:
    """`value` as a message has it; ValueError for what is no number, and for inf and NaN."""
    if not isfinite(number := real(value, name)):
        raise ValueError(f"{name} is {value}: must be finite")
    return number


def word(kind: type[E], value: E | str, name: str) -> E:
    """The member of an enumeration that `value` is or names; ValueError for what is none."""
    if isinstance(value, str) and value.upper() in kind.__members__:
        return kind[value.upper()]
    if isinstance(value, kind):
        return value
    known = ", ".join(each.lower() for each in kind.__members__)
    raise ValueError(f"{name} is {value!r}: must be one of {known}")


def numbered(named: Iterable[tuple[int, K, T]]) -> dict[int, T]:
    """Values by the numbers of their axes, from rows of number, what names it, and value.

    ValueError where an axis is named twice, as by its number and by its name.
    """
    names: dict[int, K] = {}
    values: dict[int, T] = {}
    for number, key, value in named:
        if number in names:
            raise ValueError(f"axis {number} is named twice: {names[number]!r} and {key!r}")
        names[number], values[number] = key, value
    return values


def _rows(rows: Any, name: str, count: int | None = None) -> Sequence[Any]:
    """`rows`, which must be a list, of `count` elements if that is given."""
    if isinstance(rows, str) or not hasattr(rows, "__len__"):
        raise ValueError(f"{name} is {rows!r}: must be a list")
    if count is not None and len(rows) != count:
        raise ValueError(f"{name} has {len(rows)} rows, and times has {count}")
    return rows  # type: ignore[no-any-return]
