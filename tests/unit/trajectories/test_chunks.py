"""What a stream of chunks asks joints for: which points there are, and which they go to when."""

from dataclasses import replace

import numpy as np
import pytest
from robot_goals import goal

from wmx_ros2_package.trajectories.chunks import KEPT, Timeline
from wmx_ros2_package.trajectories.segments import MOST_POINTS
from wmx_ros2_package.validation import BadRequest


def extended(before: Timeline, *points: tuple[float, float], at: float, append: bool) -> Timeline:
    """The timeline with a chunk of one joint, (time, position) each, that is sent and read `at`."""
    times, places = zip(*points, strict=True)
    chunk = goal(joint_names=("a",), times=times, positions=[[place] for place in places])
    return before.extended(chunk, at, at, append=append)


LINE = extended(Timeline.empty(), (0.1, 1.0), (0.2, 2.0), (0.3, 3.0), at=10.0, append=False)


@pytest.mark.parametrize(
    ("at", "append", "times", "places"),
    [
        (10.15, False, [10.1, 10.15, 10.25], [1.0, 9.0, 4.0]),
        (10.15, True, [10.1, 10.2, 10.3, 10.4], [1.0, 2.0, 3.0, 4.0]),
        (10.35, True, [10.1, 10.2, 10.3, 10.35, 10.45], [1.0, 2.0, 3.0, 9.0, 4.0]),
        (10.25 + KEPT, False, [10.3, 10.25 + KEPT, 10.35 + KEPT], [3.0, 9.0, 4.0]),
    ],
)
def test_a_chunk_replaces_what_is_later_or_follows_it(
    at: float, append: bool, times: list[float], places: list[float]
) -> None:
    line = extended(LINE, (0.0, 9.0), (0.1, 4.0), at=at, append=append)
    assert line.times == pytest.approx(times)
    assert line.positions[:, 0].tolist() == places


def test_no_more_points_wait_than_one_spline_has() -> None:
    points = [(0.01 * (i + 1), 0.0) for i in range(MOST_POINTS - 1)]
    line = extended(Timeline.empty(), *points, at=10.0, append=False)
    line = extended(line, (0.1, 1.0), at=10.0, append=True)
    assert len(line.times) == MOST_POINTS
    with pytest.raises(BadRequest, match=f"{MOST_POINTS + 1} points .*: must be {MOST_POINTS}"):
        extended(line, (0.1, 1.0), at=10.0, append=True)


def test_joints_join_it_at_points_that_are_not_due_yet() -> None:
    assert LINE.goal_from(10.09, 0.0).times == pytest.approx([0.11, 0.21])
    assert LINE.goal_from(10.09, 0.0, skip=9).positions == [[3.0]]
    assert LINE.goal_from(10.09, 0.0, stretch=2.0).times == pytest.approx([0.22, 0.42])
    assert LINE.goal_from(10.0, 0.1).times == pytest.approx([0.1, 0.2, 0.35]), "to rest"
    with pytest.raises(BadRequest, match=r"was due 0\.010 s ago"):
        LINE.goal_from(10.29, 0.0)


@pytest.mark.parametrize(("place", "lag"), [(1.2, 0.03), (1.7, -0.02)])
def test_joints_lag_behind_it_or_are_ahead(place: float, lag: float) -> None:
    assert LINE.lag(10.15, np.array([place])) == pytest.approx(lag)
    for before_or_after in 10.1, 10.3:
        assert LINE.lag(before_or_after, np.array([place])) is None
    stands = replace(LINE, positions=np.ones((3, 1)))
    assert stands.lag(10.15, np.array([place])) is None
