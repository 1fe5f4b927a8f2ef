"""The arrival that a begin has is right within two cycles, for every profile."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from held_engine import position_move
from profile_shapes import shaped
from tracked import Tracked

from wmx_core.profile_types import ProfileType
from wmx_core.values import LinearMove, OperationState, SplineMove
from wmx_ros2_package.control.request import EndReason, MotionKind

CYCLES = 0.002
"""Two of the engine, s."""


def arrives_in_time(tracked: Tracked) -> None:
    """That the newest motion lasts until its arrival, and has ended at its targets then."""
    begin = tracked.node.begins()[-1]
    assert begin.arrival is not None
    left, axes = begin.arrival - tracked.node.now(), list(begin.axes)
    if left > 2.0 * CYCLES:
        before = tracked.held.after(left - CYCLES)
        assert (before.op_state[axes] != OperationState.IDLE).any(), "it still moves"
    after = tracked.held.after(begin.arrival + CYCLES - tracked.node.now())
    assert (after.op_state[axes] == OperationState.IDLE).all(), "it has arrived"
    tracked.after(1.0)
    end = tracked.node.ends()[-1]
    assert (end.id, end.reason) == (begin.id, EndReason.ARRIVED)
    for final, target in zip(end.final, begin.targets, strict=True):
        assert isnan(target) or final == pytest.approx(target, abs=1e-6)


@pytest.mark.parametrize("target", [1.0, -0.037, 12.5, 1e-4])
@pytest.mark.parametrize("kind", ProfileType, ids=lambda kind: kind.name.lower())
def test_a_move_from_rest_arrives_in_time(
    tracked: Tracked, kind: ProfileType, target: float
) -> None:
    move = replace(position_move(target=target), profile=shaped(kind))
    tracked.held.motion.move_absolute([move])
    tracked.begin(0, targets=(target,))
    arrives_in_time(tracked)


FROM_REST_ALONE = ProfileType.CONSTANT_DEC, ProfileType.PARABOLIC_VELOCITY


@pytest.mark.parametrize("target", [5.0, 1.2, -2.0])
@pytest.mark.parametrize(
    "kind",
    [kind for kind in ProfileType if kind not in FROM_REST_ALONE],
    ids=lambda kind: kind.name.lower(),
)
def test_a_move_that_takes_over_arrives_in_time(
    tracked: Tracked, kind: ProfileType, target: float
) -> None:
    tracked.move(0, 3.0)
    tracked.after(0.3137)
    tracked.held.motion.move_absolute([replace(position_move(target=target), profile=shaped(kind))])
    tracked.begin(0, targets=(target,))
    arrives_in_time(tracked)


def test_lines_splines_and_velocities_for_a_time_arrive_in_time(tracked: Tracked) -> None:
    tracked.held.motion.move_linear(
        LinearMove(axes=(0, 1), targets=(1.0, -0.4), velocity=2.0, acc=10.0, dec=5.0)
    )
    tracked.begin(0, 1, targets=(1.0, -0.4))
    arrives_in_time(tracked)
    points = np.array([[1.0, -0.4], [0.6, 0.0], [0.7, 0.3]])
    times = np.array([0.0, 0.5, 1.25])
    tracked.held.motion.move_spline(SplineMove(axes=(0, 1), times=times, positions=points))
    tracked.begin(0, 1, targets=(0.7, 0.3))
    arrives_in_time(tracked)
    tracked.jog(0, run_time=1.5, kind=MotionKind.VELOCITY)
    arrives_in_time(tracked)
