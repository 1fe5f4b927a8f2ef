"""How far a trajectory is, as the panel shows it: by the time on its path."""

from types import SimpleNamespace

import numpy as np
import pytest

from wmx_ros2_package.panel.trajectories import follow, progress_text
from wmx_ros2_package.trajectories.point_files import Trajectory


class Link:
    """A server of trajectories that accepts all, and tells what the test has it tell."""

    def send_goal(self, kind, action, goal, axes, *, feedback=None):  # type: ignore[no-untyped-def]
        self.feedback = feedback
        return SimpleNamespace(accepted=True)

    def result_of(self, handle):  # type: ignore[no-untyped-def]
        return SimpleNamespace(add_done_callback=lambda call: None)

    def tell(self, sec: int, nanosec: int) -> None:
        since = SimpleNamespace(sec=sec, nanosec=nanosec)
        desired = SimpleNamespace(time_from_start=since)
        self.feedback(SimpleNamespace(feedback=SimpleNamespace(desired=desired)))


def test_progress_is_the_time_on_the_path_that_the_server_tells() -> None:
    link, trajectory = (
        Link(),
        Trajectory(joints=("a",), times=np.array([0.0, 4.0]), positions=np.array([[0.0], [1.0]])),
    )
    machine = SimpleNamespace(ros=link, axes=[], send_goal=link.send_goal)
    motion = follow(
        machine,  # type: ignore[arg-type]
        {"joint_trajectory_action": "follow"},
        trajectory,
    )
    assert motion.progress == 0.0
    link.tell(0, 800_000_000)  # a fifth, however long that took
    assert motion.progress == pytest.approx(0.2)
    assert progress_text(motion.progress, 4.0, paused=False) == "0.8 of 4.0 s of its path"
    assert progress_text(motion.progress, 4.0, paused=True) == "0.8 of 4.0 s of its path, paused"
    link.tell(4, 100_000_000)
    assert motion.progress == 1.0
