"""What the page of trajectories says against running one, and how far one is."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")

from wmx_ros2_package.client import EndReason, Motion, Result
from wmx_ros2_package.diagnosis.blockers import Blocker
from wmx_ros2_package.diagnosis.blockers import BlockerCode as Code
from wmx_ros2_package.panel.pages.trajectory import TrajectoryPage
from wmx_ros2_package.panel.trajectories import follow, progress_text
from wmx_ros2_package.trajectories.point_files import Trajectory


def test_its_own_run_is_nothing_against_itself() -> None:
    codes = Code.OWNED, Code.BUSY, Code.SLOWING_DOWN, Code.PAUSED, Code.DRIVE_ALARM
    blockers = [Blocker(axis=0, code=code, reason=code.value, remedy="") for code in codes]
    link = SimpleNamespace(
        status=object(),
        joints={"joint_name": ["a"]},
        actuators=[SimpleNamespace(name="a")],
        published=SimpleNamespace(
            explanations={0: SimpleNamespace(blocked=True, blockers=blockers)}
        ),
    )
    frame: Any = SimpleNamespace(link=link)
    page = TrajectoryPage(frame)
    assert page.blocked() == [f"a: {code.value}" for code in codes]
    motion: Any = SimpleNamespace(done=False)
    page.begun = motion, "run x", 1.0
    assert page.blocked() == ["a: DRIVE_ALARM"]
    motion.done = True
    assert len(page.blocked()) == len(codes)


class Link:
    """A server of trajectories that accepts all, and tells what the test has it tell."""

    def __init__(self) -> None:
        self.answer: Future[Any] = Future()

    def send_goal(self, *_: Any, feedback: Any = None, ended: Any = None) -> Any:
        self.feedback, self.ended = feedback, ended
        return SimpleNamespace(accepted=True)

    def result_of(self, _: Any) -> Any:
        return self.answer

    def tell(self, sec: int, nanosec: int) -> None:
        since = SimpleNamespace(sec=sec, nanosec=nanosec)
        desired = SimpleNamespace(time_from_start=since)
        self.feedback(SimpleNamespace(feedback=SimpleNamespace(desired=desired)))


def followed(link: Link) -> Motion:
    """A motion of 4 s by the server."""
    positions = np.array([[0.0], [1.0]])
    trajectory = Trajectory(joints=("a",), times=np.array([0.0, 4.0]), positions=positions)
    machine: Any = SimpleNamespace(ros=link, axes=[], send_goal=link.send_goal)
    return follow(machine, {"joint_trajectory_action": "follow"}, trajectory)


def test_a_motion_whose_server_has_died_ends() -> None:
    """No result comes of its goal."""
    link = Link()
    motion = followed(link)
    link.ended(Result(reason=EndReason.ARRIVED))
    assert not motion.done, "what its server returns says more"
    lost = Result(reason=EndReason.OWNER_LOST, message="its node has died")
    link.ended(lost)
    assert motion.result == lost


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (4, 0, EndReason.ARRIVED),
        (5, 0, EndReason.CANCELED),
        (6, -5, EndReason.NOT_ARRIVED),
        (6, -4, EndReason.STOPPED),
    ],
)
def test_a_motion_ends_as_its_server_says(status: int, code: int, reason: EndReason) -> None:
    link = Link()
    motion = followed(link)
    answer = SimpleNamespace(error_code=code, error_string="why")
    link.answer.set_result(SimpleNamespace(status=status, result=answer))
    assert motion.result == Result(reason=reason, message="why", code=code)


def test_progress_is_the_time_on_the_path_that_the_server_tells() -> None:
    link = Link()
    motion = followed(link)
    assert motion.progress == 0.0
    link.tell(0, 800_000_000)  # a fifth, however long that took
    assert motion.progress == pytest.approx(0.2)
    assert progress_text(motion.progress, 4.0, paused=False) == "0.8 of 4.0 s of its path"
    assert progress_text(motion.progress, 4.0, paused=True) == "0.8 of 4.0 s of its path, paused"
    link.tell(4, 100_000_000)
    assert motion.progress == 1.0
