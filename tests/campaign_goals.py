"""Goals for trajectories of joints, at random; only where control_msgs is."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from action_msgs.msg import GoalStatus
from arms import ACTION, SERVER, duration
from builtin_interfaces.msg import Time
from control_msgs.action import FollowJointTrajectory
from ros import WAIT_TIMEOUT, Client
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

AXES = 6
"""Joint i is on axis i - 1, as with the named actuators."""
ENDINGS = {
    GoalStatus.STATUS_SUCCEEDED: "succeeded",
    GoalStatus.STATUS_CANCELED: "canceled",
    GoalStatus.STATUS_ABORTED: "aborted",
    GoalStatus.STATUS_UNKNOWN: "unknown",  # to a server that has been killed and started since
}
PREEMPTED = "another trajectory has taken over"
"""What a goal that was preempted says."""

__all__ = ["SERVER", "JointGoals"]


class JointGoals:
    """A client of the arm's server; what came of its goals is in `counts`."""

    def __init__(self, client: Client, random: random.Random) -> None:
        self._client = client
        self._random = random
        self._action: Any = client.action(FollowJointTrajectory, ACTION)
        self.counts: Counter[str] = Counter()

    def meet(self) -> None:
        """Wait until the server is there."""
        assert self._action.wait_for_server(WAIT_TIMEOUT)

    def send(self, start: Time | None = None) -> None:
        """One goal, for some of the joints; now and then another preempts it."""
        axes = self._random.sample(range(AXES), self._random.choice([1, 1, 2, 3]))
        for _ in range(self._random.choice([1, 1, 2])):
            self._send(axes, start or Time())

    def _send(self, axes: Sequence[int], start: Time) -> None:
        """A goal, which may be wrong, and may be canceled."""
        here = self._client.states.latest(lambda _: True).pos_cmd
        goal = FollowJointTrajectory.Goal(trajectory=self._trajectory(axes, here))
        goal.trajectory.header.stamp = start
        cancels = self._random.random() < 0.3

        def answered(future: Any) -> None:
            handle = future.result()
            self.counts["accepted" if handle.accepted else "refused"] += 1
            if handle.accepted:
                handle.get_result_async().add_done_callback(ended)
                if cancels:
                    handle.cancel_goal_async()

        def ended(future: Any) -> None:
            answer = future.result()
            preempted = PREEMPTED in answer.result.error_string
            self.counts["preempted" if preempted else ENDINGS[answer.status]] += 1

        self._action.send_goal_async(goal).add_done_callback(answered)

    def _trajectory(self, axes: Sequence[int], here: Sequence[float]) -> JointTrajectory:
        names = [f"joint{axis + 1}" for axis in axes]
        points = [
            JointTrajectoryPoint(
                positions=[here[axis] + self._random.uniform(-0.2, 0.2) for axis in axes],
                time_from_start=duration(0.15 * i),
            )
            for i in range(1, self._random.randint(2, 5))
        ]
        if self._random.random() < 0.1:
            names[0] = "nose"
        elif self._random.random() < 0.1:
            points[-1].positions[0] = float("nan")
        return JointTrajectory(joint_names=names, points=points)
