"""Shows a robot move: a trajectory that takes every joint a little way out and back."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

import rclpy
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.action import ActionClient
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ..messages.trajectories import duration

PATIENCE = 15.0
"""How long anything may take that is not the motion itself, s."""
SECONDS = 4.0
POINTS = 21
SUFFIX = "/follow_joint_trajectory/_action/status"

T = TypeVar("T")


class TrajectoryFailed(Exception):
    """The trajectory cannot be shown; the text says why."""


def show_trajectory(node: Node, sway: float) -> None:
    """Find the robot, take its joints `sway` (u) out and back, and print how they follow."""
    states: list[JointTrajectoryControllerState] = []
    topic = "follow_joint_trajectory_server/controller_state"
    node.create_subscription(JointTrajectoryControllerState, topic, states.append, 1)
    state = _wait(node, lambda: states, f"no {topic} (`make run ROBOT=arm`?)")[-1]
    name = _wait(node, lambda: _action_name(node), "no server of trajectories")
    client: Any = ActionClient(node, FollowJointTrajectory, name)
    _wait(node, client.server_is_ready, f"{name} does not answer")
    joints = list(state.joint_names)
    print(f"Found {', '.join(joints)}. Sending a trajectory to {name}...")
    goal = FollowJointTrajectory.Goal(
        trajectory=_out_and_back(joints, list(state.reference.positions), sway)
    )
    sent = client.send_goal_async(goal, feedback_callback=_print_feedback)
    handle = _result(node, sent, PATIENCE)
    if not handle.accepted:
        raise TrajectoryFailed("the goal was rejected: the log of the server says why")
    ended = _result(node, handle.get_result_async(), SECONDS + PATIENCE)
    if ended.result.error_code != FollowJointTrajectory.Result.SUCCESSFUL:
        raise TrajectoryFailed(ended.result.error_string)
    print("Done: the trajectory was followed to its end.")


def _out_and_back(joints: list[str], start: list[float], sway: float) -> JointTrajectory:
    """A smooth way that begins and ends at rest."""
    points = []
    for i in range(POINTS):
        share = i / (POINTS - 1)
        out = sway * (1.0 - math.cos(2.0 * math.pi * share)) / 2.0
        points.append(
            JointTrajectoryPoint(
                positions=[position + out for position in start],
                time_from_start=duration(share * SECONDS),
            )
        )
    return JointTrajectory(joint_names=joints, points=points)


def _print_feedback(message: Any) -> None:
    feedback = message.feedback
    now = feedback.desired.time_from_start
    worst = max(map(abs, feedback.error.positions))
    actual = " ".join(f"{position:8.4f}" for position in feedback.actual.positions)
    print(f"{now.sec + now.nanosec * 1e-9:6.2f} s  {actual}   behind {worst:.4f}", flush=True)


def _action_name(node: Node) -> str:
    """That of the first server of trajectories there is."""
    topics = (topic for topic, _ in node.get_topic_names_and_types())
    return next((t.removesuffix("/_action/status") for t in topics if t.endswith(SUFFIX)), "")


def _wait(node: Node, look: Callable[[], T], otherwise: str) -> T:
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        if time.monotonic() > deadline:
            raise TrajectoryFailed(f"{otherwise} within {PATIENCE:g} s")
        rclpy.spin_once(node, timeout_sec=0.05)
    return found


def _result(node: Node, future: Any, timeout: float) -> Any:
    rclpy.spin_until_future_complete(node, future, timeout_sec=timeout)
    if not future.done():
        raise TrajectoryFailed(f"no answer within {timeout:g} s")
    return future.result()
