"""Trajectories of a robot's joints: read from a file, checked, and followed through the server."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml

from ..client import EndReason, Machine, MachineError, Motion, Refused, Result
from ..drivers.values import Floats

POINTS = 31
"""Of a move that is made here: enough for a spline to be smooth."""
MOST_POINTS = 10_000
SUCCEEDED, CANCELED = 4, 5
"""Status of a goal (action_msgs/GoalStatus)."""


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Positions of joints over time; starts and ends at rest."""

    joints: tuple[str, ...]
    times: Floats
    """Shape (points,), s, increasing, from 0 on."""
    positions: Floats
    """Shape (points, joints), rad or m."""

    @property
    def duration(self) -> float:
        """How long it lasts, s."""
        return float(self.times[-1])


def read_trajectory(text: str, name: str) -> Trajectory:
    """A trajectory from a CSV file (time_s, then a column for each joint) or a YAML file.

    YAML: `joint_names`, and `points` with `time` (s) and `positions` each. ValueError says what is
    wrong.
    """
    try:
        if name.lower().endswith((".yaml", ".yml")):
            joints, times, positions = _from_yaml(text)
        else:
            joints, times, positions = _from_csv(text)
        trajectory = Trajectory(
            joints, np.array(times, dtype=float), np.array(positions, dtype=float)
        )
    except (KeyError, TypeError, yaml.YAMLError, csv.Error) as error:
        raise ValueError(f"{name}: {error!r}") from None
    if not 2 <= len(times) <= MOST_POINTS:
        raise ValueError(f"{name}: has {len(times)} points: must have 2 to {MOST_POINTS}")
    if trajectory.positions.shape != (len(times), len(joints)):
        raise ValueError(
            f"{name}: each point must have a position for each of {len(joints)} joints"
        )
    if not np.isfinite(trajectory.positions).all() or not np.isfinite(trajectory.times).all():
        raise ValueError(f"{name}: must have finite numbers only")
    if trajectory.times[0] < 0.0 or not (np.diff(trajectory.times) > 0.0).all():
        raise ValueError(f"{name}: times must increase, from 0 on")
    return trajectory


def smooth_move(
    joints: Sequence[str], start: Sequence[float], end: Sequence[float], speed: Sequence[float]
) -> Trajectory:
    """From `start` to `end`, no joint faster than its `speed` (rad/s or m/s), at rest on both ends.

    Each joint follows (1 - cos) / 2, whose highest velocity is pi / 2 times its mean.
    """
    ways = np.asarray(end, dtype=float) - np.asarray(start, dtype=float)
    longest = max(abs(way) / fast for way, fast in zip(ways, speed, strict=True))
    duration = max(math.pi / 2.0 * longest, 0.5)
    shares = np.linspace(0.0, 1.0, POINTS)
    positions = np.asarray(start) + np.outer((1.0 - np.cos(math.pi * shares)) / 2.0, ways)
    return Trajectory(tuple(joints), shares * duration, positions)


def sways(server: Mapping[str, Any], start: Sequence[float], way: float) -> list[float]:
    """How far each joint goes from `start`: `way` (rad or m) or half of what its range leaves."""
    rooms = [
        (math.inf if high is None else high - place, math.inf if low is None else place - low)
        for place, low, high in zip(
            start, server["position_lower"], server["position_upper"], strict=True
        )
    ]
    return [
        min(way, up / 2.0) if up >= min(way, down) else -min(way, down / 2.0) for up, down in rooms
    ]


def sway(
    joints: Sequence[str], start: Sequence[float], ways: Sequence[float], duration: float
) -> Trajectory:
    """Each joint its way (rad or m) out and back within `duration` (s)."""
    shares = np.linspace(0.0, 1.0, POINTS)
    out = (1.0 - np.cos(2.0 * math.pi * shares)) / 2.0
    return Trajectory(tuple(joints), shares * duration, np.asarray(start) + np.outer(out, ways))


def doubts(
    trajectory: Trajectory, server: Mapping[str, Any], now: Mapping[str, float]
) -> list[str]:
    """What the server would refuse, in words; `now` is where the joints are."""
    known = list(server["joint_name"])
    if sorted(trajectory.joints) != sorted(known):
        return [f"its joints are {', '.join(trajectory.joints)}: the robot has {', '.join(known)}"]
    found = []
    velocities = np.abs(np.diff(trajectory.positions, axis=0) / np.diff(trajectory.times)[:, None])
    for i, joint in enumerate(trajectory.joints):
        place = known.index(joint)
        low, high = server["position_lower"][place], server["position_upper"][place]
        fastest = server["velocity_limit"][place]
        way = trajectory.positions[:, i]
        if (low is not None and way.min() < low) or (high is not None and way.max() > high):
            found.append(
                f"{joint} goes from {way.min():.3f} to {way.max():.3f}: "
                f"its range is {low:g} to {high:g}"
            )
        if fastest and velocities[:, i].max() > fastest:
            found.append(
                f"{joint} is as fast as {velocities[:, i].max():.2f}: its limit is {fastest:g}"
            )
        if abs(way[0] - now.get(joint, way[0])) > 0.01:
            found.append(f"{joint} begins at {way[0]:.3f}: it is at {now[joint]:.3f}")
    return found


def follow(machine: Machine, action: str, trajectory: Trajectory) -> Motion:
    """Have the server follow it; Refused where it does not accept that."""
    from control_msgs.action import FollowJointTrajectory
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    from ..messages.trajectories import duration

    points = [
        JointTrajectoryPoint(positions=row.tolist(), time_from_start=duration(float(time)))
        for time, row in zip(trajectory.times, trajectory.positions, strict=True)
    ]
    goal = FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(joint_names=list(trajectory.joints), points=points)
    )
    link = machine.ros
    handle = link.send_goal(FollowJointTrajectory, action, goal)
    axes = [axis.number for axis in machine.axes if axis.name in trajectory.joints]
    if not handle.accepted:
        explained = {}
        with suppress(MachineError):  # else the refusal itself would not be told
            explained = dict(zip(axes, machine.explain(axes) if axes else [], strict=True))
        blocked = {axis: each for axis, each in explained.items() if each.blocked}
        reasons = "; ".join(
            f"{machine.axes[axis].name}: {', '.join(blocker.reason for blocker in each.blockers)}"
            for axis, each in blocked.items()
        )
        raise Refused(
            f"the server of trajectories does not accept it. {reasons}".strip(),
            remedy="\n".join(each.remedy for each in blocked.values())
            or "the log of the server says why",
        )
    ended: Future[Result] = Future()
    ended.set_running_or_notify_cancel()

    def see(done: Future[Any]) -> None:
        answer = done.result()
        arrived = answer.status == SUCCEEDED
        reason = EndReason.CANCELED if answer.status == CANCELED else EndReason.STOPPED
        ended.set_result(
            Result(
                reason=EndReason.ARRIVED if arrived else reason,
                message=answer.result.error_string,
                code=answer.result.error_code,
            )
        )

    link.result_of(handle).add_done_callback(see)
    return Motion(
        "trajectory",
        ended,
        cancel=lambda: handle.cancel_goal_async() and None,
        progress=lambda: math.nan,
        check=lambda: None,
        remedy=lambda: machine.remedy(axes),
    )


def _from_csv(text: str) -> tuple[tuple[str, ...], list[float], list[list[float]]]:
    head, *rows = [row for row in csv.reader(io.StringIO(text)) if row]
    numbers = [[float(cell) for cell in row] for row in rows]
    joints = tuple(cell.strip() for cell in head[1:])
    if any(len(row) != len(head) for row in rows):
        raise ValueError("each line must have a time and a position for each joint")
    return joints, [row[0] for row in numbers], [row[1:] for row in numbers]


def _from_yaml(text: str) -> tuple[tuple[str, ...], list[float], list[list[float]]]:
    found = yaml.safe_load(text)
    points = found["points"]
    joints = tuple(map(str, found["joint_names"]))
    return joints, [point["time"] for point in points], [point["positions"] for point in points]
