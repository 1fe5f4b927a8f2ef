"""Who moves an axis is shown as long as it does."""

from types import SimpleNamespace
from typing import Any

import pytest
from motion_events import begun, ended

from wmx_ros2_package.client import EndReason, MotionBegin
from wmx_ros2_package.client.explanation import Explanation
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.diagnosis.blockers import Blocker, BlockerCode
from wmx_ros2_package.panel.live import movers, waiting
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


def test_what_begins_on_an_axis_ends_what_has_moved_it_before(move: MotionBegin) -> None:
    """Whatever comes first of two nodes, and though no end came of what was before."""
    newer = begun(MotionKind.TRAJECTORY, 0, 1, time=move.time + 1.0)
    elsewhere = begun(MotionKind.POSITION, 2)
    for events in (move, newer), (newer, move):
        motions = OpenMotions()
        motions.take(elsewhere)
        for event in events:
            found = motions.take(event)
        assert found == (elsewhere, newer)


def test_a_motion_waits_unless_its_axes_are_known_to_rest_and_to_belong_to_nothing() -> None:
    """No end came of it: a node keeps a hundred, and refusals are ends."""
    path = begun(MotionKind.TRAJECTORY, 0, 1)
    link = MachineLink()
    link.take_motions([path])
    published, at_rest = link.published, [True, True]
    status: Any = SimpleNamespace(at_rest=at_rest)
    assert waiting(published, status) == [path], "what keeps the axes is not known"
    published.explanations = {axis: Explanation(text="") for axis in (0, 1)}
    assert waiting(published, None) == [path]
    assert waiting(published, status) == []
    at_rest[1] = False
    assert waiting(published, status) == [path]
    at_rest[1] = True
    owned = Blocker(axis=1, code=BlockerCode.OWNED, reason="", remedy="")
    published.explanations[1] = Explanation(text="", blockers=(owned,))
    assert waiting(published, status) == [path]


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
