"""What the page of trajectories says against running one, and how far one is."""

import asyncio
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui.client import Client

from wmx_ros2_package.client import EndReason, Motion, Result
from wmx_ros2_package.diagnosis.blockers import Blocker
from wmx_ros2_package.diagnosis.blockers import BlockerCode as Code
from wmx_ros2_package.panel.description import ShownAxis
from wmx_ros2_package.panel.joint_targets import JointsNotReady, joints_in
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


SERVER = {
    "joint_name": ["a"],
    "joint_trajectory_action": "follow",
    "position_lower": [None],
    "position_upper": [None],
    "velocity_limit": [1.0],
    "acceleration_limit": [None],
}


class Beside(SimpleNamespace):
    """The machine of a page."""

    @property
    def joint_positions(self) -> dict[str, float]:
        return joints_in(self.actuators, self.status)[0]


@pytest.fixture
def frame(frame: Any, client: Client) -> Any:
    """That of the page beside a machine whose one joint rests where the trajectory begins."""
    frame.stop_all_button, frame.show_on = list, lambda *_: None
    frame.link = Beside(
        joints=SERVER,
        actuators=[ShownAxis(name="a", unit="rad")],
        status=SimpleNamespace(command=[0.0], at_rest=[True]),
        published=SimpleNamespace(explanations={}),
        problem="no status",
    )

    async def build() -> None:
        with client:
            TrajectoryPage(frame).build()

    asyncio.run(build())
    return frame


def shown(frame: Any, client: Client) -> tuple[bool, str]:
    """Whether it runs what begins at 0, and what it says against that."""
    frame.acts["Example: every joint out and back"]()
    made: dict[str, Any] = {each.props.get("id", ""): each for each in client.elements.values()}
    return made["run"].enabled, made["trajectory-warning"].text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, ""),
        ({"status": None}, "no status"),
        ({"actuators": [ShownAxis(name="axis 0")]}, "a: it is not known where it is, in rad or m"),
        ({"actuators": [ShownAxis(name="a")]}, "a: it is not known where it is, in rad or m"),
    ],
    ids=["known", "no status", "no name", "no unit"],
)
def test_it_runs_nothing_while_it_is_not_known_where_the_joints_are(
    frame: Any, client: Client, change: dict[str, Any], why: str
) -> None:
    vars(frame.link).update(change)
    assert shown(frame, client) == (not why, why)


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (None, "it is not known where a is"),
        (SimpleNamespace(command=[0.0], at_rest=[False]), "a moves: stop it"),
        (SimpleNamespace(command=[0.1], at_rest=[True]), "a begins at 0.000: it is at 0.100"),
    ],
)
def test_it_runs_nothing_from_elsewhere_whatever_the_page_showed(
    frame: Any, client: Client, status: Any, why: str
) -> None:
    assert shown(frame, client) == (True, "")
    asyncio.run(frame.acts["Run"]())
    [(_, run)] = frame.orders
    frame.link.status = status
    frame.link.connected = SimpleNamespace(ros=None, axes=[])
    with pytest.raises(JointsNotReady, match=why):
        run()
