"""Who moves an axis is shown as long as it does."""

from types import SimpleNamespace
from typing import Any

import pytest
from motion_events import begun, ended

from wmx_ros2_package.client import EndReason, MotionBegin
from wmx_ros2_package.client.explanation import Explanation
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.diagnosis.blockers import Blocker, BlockerCode
from wmx_ros2_package.panel.live import movers
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.open_motions import OpenMotions


@pytest.fixture
def move() -> MotionBegin:
    return begun(MotionKind.POSITION, 1)


def test_a_begin_that_comes_after_its_end_is_of_no_open_motion(move: MotionBegin) -> None:
    motions = OpenMotions()
    assert motions.take(move) == (move,)
    assert motions.take(ended(move, EndReason.STOPPED)) == ()
    assert motions.take(move) == ()
    other = begun(MotionKind.POSITION, 1)
    assert motions.take(other) == (other,)


def test_an_axis_that_rests_is_moved_by_nobody_though_no_end_came(move: MotionBegin) -> None:
    link = MachineLink()
    link.take_motions([move])
    published, status = link.published, SimpleNamespace(at_rest=[True, False])

    def moved_by() -> dict[int, str]:
        shown: Any = status
        return movers(published, shown)

    assert moved_by() == {1: "/node (position)"}
    status.at_rest[1] = True
    assert moved_by() == {}
    owned = Blocker(axis=1, code=BlockerCode.OWNED, reason="", remedy="")
    published.explanations[1] = Explanation(text="", blockers=(owned,))
    assert moved_by() == {1: "/node (position)"}, "it is paused, or holds"
