"""Messages of control_msgs and trajectory_msgs <-> the values of `trajectories`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajectory_msgs.msg import JointTrajectoryPoint

from wmx_core.values import Floats, MotionStatus

from ..trajectories.goal import Goal, JointTolerance
from ..trajectories.segments import MOST_POINTS
from .times import duration_message, seconds


def goal_of_trajectory(trajectory: Any, now: int, **more: Any) -> Goal:
    """The goal of a JointTrajectory that arrives at the ROS time `now` (ns)."""
    given = trajectory.header.stamp
    starts_in = (given.sec * 1_000_000_000 + given.nanosec - now) * 1e-9
    # One more than are allowed is enough to find that they are too many.
    points = trajectory.points[: MOST_POINTS + 1]
    return Goal(
        joint_names=tuple(trajectory.joint_names),
        times=[seconds(point.time_from_start) for point in points],
        positions=[point.positions for point in points],
        velocities=[point.velocities for point in points],
        accelerations=[point.accelerations for point in points],
        effort=any(any(point.effort) for point in points),
        starts_in=starts_in if given.sec or given.nanosec else 0.0,
        **more,
    )


def goal_of_action(message: Any, now: int) -> Goal:
    """The goal of a FollowJointTrajectory.Goal that arrives at the ROS time `now` (ns)."""
    others = (
        message.multi_dof_trajectory.points,
        message.multi_dof_trajectory.joint_names,
        message.component_path_tolerance,
        message.component_goal_tolerance,
    )
    return goal_of_trajectory(
        message.trajectory,
        now,
        several_degrees=any(map(len, others)),
        path_tolerance=_tolerances(message.path_tolerance),
        goal_tolerance=_tolerances(message.goal_tolerance),
        goal_time_tolerance=seconds(message.goal_time_tolerance),
    )


def _tolerances(messages: Sequence[Any]) -> tuple[JointTolerance, ...]:
    return tuple(
        JointTolerance(
            name=message.name,
            position=message.position,
            velocity=message.velocity,
            acceleration=message.acceleration,
        )
        for message in messages
    )


def points(
    status: MotionStatus, axes: Sequence[int], time: float
) -> tuple[JointTrajectoryPoint, JointTrajectoryPoint, JointTrajectoryPoint]:
    """Where `axes` are commanded to be `time` s after the start, where they are, how far apart."""
    chosen = list(axes)
    position, velocity = status.pos_cmd[chosen], status.velocity_cmd[chosen]
    actual_position, actual_velocity = status.actual_pos[chosen], status.actual_velocity[chosen]
    return (
        _point(position, velocity, time),
        _point(actual_position, actual_velocity, time),
        _point(position - actual_position, velocity - actual_velocity, time),
    )


def _point(positions: Floats, velocities: Floats, time: float) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(
        positions=positions.tolist(),
        velocities=velocities.tolist(),
        time_from_start=duration_message(time),
    )
