"""What the page of trajectories says against running one."""

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")

from wmx_ros2_package.diagnosis.blockers import Blocker
from wmx_ros2_package.diagnosis.blockers import BlockerCode as Code
from wmx_ros2_package.panel.pages.trajectory import TrajectoryPage


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
