"""What is asked of axes, as the fields of ActuatorCommand by axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, TypeVar

from trajectory_msgs.msg import JointTrajectoryPoint
from wmx_ros2_message.msg import ActuatorCommand

from ..messages.times import duration_message

Key = int | str
"""What names an axis: its number, or the name of its actuator or joint."""
Targets = Mapping[int, float] | Mapping[str, float] | Mapping[Key, float]
"""Positions of axes, u, by what names them."""
K = TypeVar("K", int, str, Key)


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
    return {axis: {**options, "value": float(target)} for axis, target in targets.items()}


def continuous_command(
    type: int, value: float, duration: float | None, acceleration: float | None = None
) -> dict[str, Any]:
    """A velocity or an effort, see `Axis.jog`; ValueError for an option that cannot be meant."""
    return {
        "type": type,
        "value": float(value),
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
    """A trajectory of `axes`, see `Axes.follow`; ValueError for a row of another length."""
    if velocities is None or len(velocities) == 0:  # an array has no truth value
        velocities = [()] * len(times)
    rows = zip(times, positions, velocities, strict=True)
    points: list[list[JointTrajectoryPoint]] = [[] for _ in axes]
    for time, at, speeds in rows:
        for i, column in enumerate(points):
            if len(at) != len(axes) or len(speeds) not in (0, len(axes)):
                raise ValueError(f"the point at {time} s must have {len(axes)} numbers")
            point = JointTrajectoryPoint(positions=[float(at[i])])
            point.velocities = [float(speeds[i])] if len(speeds) else []
            point.time_from_start = duration_message(option(time, "a time"))
            column.append(point)
    return {
        axis: {"type": ActuatorCommand.TRAJECTORY, "points": column, "repeat": repeat}
        for axis, column in zip(axes, points, strict=True)
    }


def option(value: float | None, name: str) -> float:
    """`value` as a message has it, where 0 stands for the default; ValueError for one that is 0."""
    if value is None:
        return 0.0
    if not 0.0 < value < inf:
        raise ValueError(f"{name} is {value}: must be finite and above 0")
    return float(value)
