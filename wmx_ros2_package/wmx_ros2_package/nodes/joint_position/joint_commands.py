"""Positions as ros2_control's hardware on topics sends them: as JointState."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ...messages.times import duration_message
from ...validation import BadRequest


def as_trajectory(message: JointState, due: float) -> JointTrajectory | None:
    """Return `message` as a trajectory of one point, `due` s after it was sent.

    Before a controller has written a command, the hardware publishes NaN for every joint: that asks
    for nothing, so it is None. BadRequest for what asks for more than positions.
    """
    if reasons := list(_wrong(message)):
        raise BadRequest(reasons)
    if all(map(isnan, message.position)):
        return None
    point = JointTrajectoryPoint(positions=message.position, time_from_start=duration_message(due))
    return JointTrajectory(header=message.header, joint_names=message.name, points=[point])


def _wrong(message: JointState) -> Iterator[str]:
    if not message.position:
        yield "position is empty: must have one of each joint (a command_interface position)"
    for name, values in (("velocity", message.velocity), ("effort", message.effort)):
        if values:
            yield (
                f"{name} has {len(values)} elements: must be empty, for positions are followed "
                f"(no command_interface {name})"
            )
