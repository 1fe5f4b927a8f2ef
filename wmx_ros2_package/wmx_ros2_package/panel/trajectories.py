"""Trajectories of a robot's joints: made, and followed through the server."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

from ..client import EndReason, Machine, Motion, Result
from ..trajectories.point_files import Trajectory
from .joint_targets import JointsNotReady, require_ready

SUCCEEDED, CANCELED = 4, 5
"""Status of a goal (action_msgs/GoalStatus)."""
OFF_GOAL = -5
"""GOAL_TOLERANCE_VIOLATED of FollowJointTrajectory."""
_REASONS = {SUCCEEDED: EndReason.ARRIVED, CANCELED: EndReason.CANCELED}
START_TOLERANCE = 0.01
"""How far from where a trajectory begins a joint may be, rad or m."""


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


def check_start(trajectory: Trajectory, now: Mapping[str, float]) -> list[str]:
    """Which joints are elsewhere than where it begins, in words."""
    return [
        f"{joint} begins at {first:.3f}: it is at {now[joint]:.3f}"
        if joint in now
        else f"{joint}: it is not known where it is, in rad or m"
        for joint, first in zip(trajectory.joints, trajectory.positions[0], strict=True)
        if not abs(first - now.get(joint, math.inf)) <= START_TOLERANCE
    ]


def require_start(
    trajectory: Trajectory, now: Mapping[str, float], moving: Sequence[str]
) -> Trajectory:
    """The trajectory; JointsNotReady unless its joints rest `now` where it begins."""
    require_ready(trajectory.joints, now, moving)
    if reasons := check_start(trajectory, now):
        raise JointsNotReady("; ".join(reasons))
    return trajectory


class PathTime:
    """How far along a trajectory of some `duration` (s) the joints are, as its server says."""

    def __init__(self, duration: float) -> None:
        self._duration = duration
        self._share = 0.0

    def take(self, time: float) -> None:
        """Take in how much time on the path has passed, s."""
        self._share = min(1.0, time / self._duration)

    def share(self) -> float:
        """The part of the time on the path that has passed."""
        return self._share


def progress_text(share: float, duration: float, *, paused: bool) -> str:
    """How far along the path the joints are, in words."""
    text = f"{share * duration:.1f} of {duration:.1f} s of its path"
    return f"{text}, paused" if paused else text


def follow(machine: Machine, server: Mapping[str, Any], trajectory: Trajectory) -> Motion:
    """Have the server follow it as long as this program runs; Refused with the reason."""
    from control_msgs.action import FollowJointTrajectory
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    from ..messages.times import duration_message, seconds

    points = [
        JointTrajectoryPoint(positions=row.tolist(), time_from_start=duration_message(float(time)))
        for time, row in zip(trajectory.times, trajectory.positions, strict=True)
    ]
    goal = FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(joint_names=list(trajectory.joints), points=points)
    )
    link = machine.ros
    path = PathTime(trajectory.duration)
    axes = [axis.number for axis in machine.axes if axis.name in trajectory.joints]
    ended: Future[Result] = Future()
    ended.set_running_or_notify_cancel()

    def end(result: Result) -> None:
        with suppress(InvalidStateError):  # it has ended already
            ended.set_result(result)

    def end_where_lost(result: Result) -> None:
        if result.reason is EndReason.OWNER_LOST:  # its server returns no result any more
            end(result)

    handle = machine.send_goal(
        FollowJointTrajectory,
        server["joint_trajectory_action"],
        goal,
        axes,
        feedback=lambda message: path.take(seconds(message.feedback.desired.time_from_start)),
        ended=end_where_lost,
    )

    def see(done: Future[Any]) -> None:
        answer = done.result()
        reason = _REASONS.get(answer.status, EndReason.STOPPED)
        if answer.result.error_code == OFF_GOAL and reason is EndReason.STOPPED:
            reason = EndReason.NOT_ARRIVED
        end(
            Result(
                reason=reason,
                message=answer.result.error_string,
                code=answer.result.error_code,
            )
        )

    link.result_of(handle).add_done_callback(see)
    return Motion(
        "trajectory",
        ended,
        cancel=lambda: machine.cancel_goal(handle),
        progress=path.share,
        check=lambda: None,
        remedy=lambda: machine.remedy(axes),
    )
