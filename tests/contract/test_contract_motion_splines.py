"""Motion: cubic splines of several axes through points at given times."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.values import Floats, OperationState, SplineMove

IDLE, INTPL = OperationState.IDLE, OperationState.INTPL
TIMES = np.array([0.0, 0.2, 0.5, 0.6, 1.0])
POINTS = np.array([[0.0, 0.0], [0.1, -0.2], [0.5, 0.1], [0.6, 0.1], [0.3, 0.4]])
ACCELERATION = 60.0
"""More than this spline needs, u/s^2; straight pieces would jump by 1 u/s or more."""


def spline(backend: Backend) -> SplineMove:
    return SplineMove(axes=tuple(backend.axes[:2]), times=TIMES, positions=POINTS)


@pytest.mark.over_process("move_spline")
@pytest.mark.parametrize("points", [[0, 1, 2, 3, 4], [0, 2]], ids=["five", "two"])
def test_it_goes_through_its_points_at_their_times(powered: Backend, points: list[int]) -> None:
    axes, times, places = list(powered.axes[:2]), TIMES[points], POINTS[points]
    move = SplineMove(axes=tuple(axes), times=times, positions=places)
    order = powered.order(lambda: powered.motion.move_spline(move))
    for time, point in zip(times, places, strict=True):
        (status,) = powered.seen(order, [time])
        late = (status.cycle - order.starts[0]) * powered.cycle_time - time  # at most
        for axis, position in zip(axes, point, strict=True):
            passed = abs(status.velocity_cmd[axis]) * late + ACCELERATION * late**2
            assert status.pos_cmd[axis] == pytest.approx(position, abs=powered.tolerance + passed)
        if time == 0.0:
            running = powered.advance(0.05)
            assert running.op_state[axes].tolist() == [INTPL, INTPL]
            assert not running.motion_complete[axes].any()
    status = powered.at_rest()
    end = places[-1].tolist()
    assert status.pos_cmd[axes].tolist() == pytest.approx(end, abs=powered.tolerance)
    assert (status.velocity_cmd[axes] == 0.0).all()


def clamped(column: Floats, time: float) -> float:
    """Where the cubic spline through a column of POINTS is that begins and ends at rest.

    Its acceleration is continuous: with h and d the time and the slope before a point, and H and
    D after it, H u[i-1] + 2 (h + H) u[i] + h u[i+1] = 3 (H d + h D) for the velocities u there.
    """
    h, last = np.diff(TIMES), len(TIMES) - 1
    slope = np.diff(column) / h
    system, right = np.eye(last + 1), np.zeros(last + 1)
    for i in range(1, last):
        system[i, i - 1 : i + 2] = h[i], 2 * (h[i - 1] + h[i]), h[i - 1]
        right[i] = 3 * (h[i] * slope[i - 1] + h[i - 1] * slope[i])
    velocity = np.linalg.solve(system, right)
    i = min(int(np.searchsorted(TIMES, time, side="right")) - 1, last - 1)
    s = min((time - TIMES[i]) / h[i], 1.0)
    return float(
        column[i] * (1 + 2 * s) * (1 - s) ** 2
        + column[i + 1] * s**2 * (3 - 2 * s)
        + h[i] * s * (1 - s) * (velocity[i] * (1 - s) - velocity[i + 1] * s)
    )


def test_it_is_the_smoothest_cubic_through_its_points(harmless_powered: Backend) -> None:
    backend = harmless_powered
    order = backend.order(lambda: backend.motion.move_spline(spline(backend)))
    seen = backend.seen(order, [0.05, 0.1, 0.3, 0.4, 0.55, 0.7, 0.9, 0.97])
    deviations = [
        max(
            abs(status.pos_cmd[axis] - clamped(column, (status.cycle - start) * backend.cycle_time))
            for status in seen
            for axis, column in zip(backend.axes, POINTS.T, strict=True)
        )
        for start in order.starts
    ]
    assert min(deviations) <= backend.tolerance


@pytest.mark.long
def test_its_velocity_has_no_jumps(powered: Backend) -> None:
    before = powered.order(lambda: powered.motion.move_spline(spline(powered))).before
    seen = [before]
    while seen[-1].op_state[powered.x] != IDLE or seen[-1] is before:
        seen.append(powered.wait_for_cycle(seen[-1].cycle + 1))
    assert len(seen) > 100
    for one, next_one in pairwise(seen):
        seconds = (next_one.cycle - one.cycle) * powered.cycle_time
        for axis in powered.axes[:2]:
            change = abs(next_one.velocity_cmd[axis] - one.velocity_cmd[axis])
            assert change <= ACCELERATION * seconds + powered.tolerance
            way = next_one.pos_cmd[axis] - one.pos_cmd[axis]
            mean = (next_one.velocity_cmd[axis] + one.velocity_cmd[axis]) / 2
            assert way == pytest.approx(mean * seconds, abs=ACCELERATION * seconds**2 + 1e-9)


def test_one_axis_may_hold_still_while_another_moves(powered: Backend) -> None:
    way = POINTS.copy()
    way[:, 1] = 0.0
    order = powered.order(
        lambda: powered.motion.move_spline(replace(spline(powered), positions=way))
    )
    for status in powered.seen(order, [0.1, 0.3, 0.55, 0.9, 1.1]):
        assert status.pos_cmd[powered.y] == pytest.approx(0.0, abs=powered.tolerance)
    assert status.pos_cmd[powered.x] == pytest.approx(0.3, abs=powered.tolerance)


@pytest.mark.parametrize("end", ["stop", "quick_stop"])
def test_a_stop_of_one_axis_stops_all(powered: Backend, end: str) -> None:
    powered.motion.move_spline(spline(powered))
    powered.advance(0.3)
    getattr(powered.motion, end)([powered.y])
    status = powered.at_rest()
    assert status.pos_cmd[powered.x] < 0.59
    assert (status.op_state[list(powered.axes)] == IDLE).all()


def test_servo_off_of_one_axis_stops_all(powered: Backend) -> None:
    powered.motion.move_spline(spline(powered))
    powered.advance(0.3)
    powered.motion.set_servo(powered.y, on=False)
    status = powered.at_rest()
    assert status.pos_cmd[powered.x] < 0.59
    assert status.servo_on[powered.x]


def test_one_that_takes_over_from_another_goes_on_at_its_velocity(powered: Backend) -> None:
    """The axes may have gone on since the first point was looked up."""
    powered.motion.move_spline(spline(powered))
    seen = [powered.advance(0.35)]
    axes = powered.axes[:2]
    here = seen[0].pos_cmd[list(axes)]
    assert abs(seen[0].velocity_cmd[list(axes)]).max() > 1.0
    points = np.vstack([here, here + 0.3, here + 0.4])
    powered.motion.move_spline(
        SplineMove(axes=tuple(axes), times=np.array([0.0, 0.3, 0.6]), positions=points)
    )
    for _ in range(5):
        seen.append(powered.wait_for_cycle(seen[-1].cycle + 1))
    for one, next_one in pairwise(seen):
        seconds = (next_one.cycle - one.cycle) * powered.cycle_time
        for axis in axes:
            change = abs(next_one.velocity_cmd[axis] - one.velocity_cmd[axis])
            assert change <= ACCELERATION * seconds + powered.tolerance
    at_rest = powered.at_rest().pos_cmd[list(axes)].tolist()
    assert at_rest == pytest.approx(points[-1].tolist(), abs=powered.tolerance)


# Refusals


def bad_times(*times: float) -> Callable[[SplineMove], SplineMove]:
    return lambda move: replace(move, times=np.array(times))


def bad_point(row: int, position: float) -> Callable[[SplineMove], SplineMove]:
    def change(move: SplineMove) -> SplineMove:
        positions = move.positions.copy()
        positions[row, 1] = position
        return replace(move, positions=positions)

    return change


def same_point(row: int, beside: float = 0.0) -> Callable[[SplineMove], SplineMove]:
    """The axes are at point `row` where they were at the one before, or `beside` it (u)."""

    def change(move: SplineMove) -> SplineMove:
        positions = move.positions.copy()
        positions[row] = positions[row - 1] + [0.0, beside]
        return replace(move, positions=positions)

    return change


TIME, POSITION = ErrorCode.TimeArgumentOutOfRange, ErrorCode.PositionArgumentOutOfRange
POINT_COUNT, AXIS_COUNT = ErrorCode.PointCountOutOfRange, ErrorCode.AxisCountOutOfRange
NINE_AXES = SplineMove(axes=tuple(range(9)), times=TIMES, positions=np.outer(TIMES, np.ones(9)))
REFUSALS: dict[str, tuple[ErrorCode | str, Callable[[SplineMove], SplineMove]]] = {
    "a time twice": (TIME, bad_times(0.0, 0.2, 0.2, 0.6, 1.0)),
    "back in time": (TIME, bad_times(0.0, 0.5, 0.2, 0.6, 1.0)),
    "no time at all": (TIME, bad_times(0.0, nan, 0.5, 0.6, 1.0)),
    "an endless time": (TIME, bad_times(0.0, 0.2, 0.5, 0.6, inf)),
    "a beginning before now": (TIME, bad_times(-0.1, 0.2, 0.5, 0.6, 1.0)),
    "a beginning later": (TIME, bad_times(0.1, 0.2, 0.5, 0.6, 1.0)),
    "no position": (POSITION, bad_point(2, nan)),
    "an endless position": (POSITION, bad_point(2, inf)),
    "a beginning elsewhere": (POSITION, bad_point(0, 0.1)),
    "one point": (
        POINT_COUNT,
        lambda move: replace(move, times=TIMES[:1], positions=POINTS[:1]),
    ),
    "no points": (POINT_COUNT, lambda move: replace(move, times=TIMES[:0], positions=POINTS[:0])),
    "times that are no row": (
        POINT_COUNT,
        lambda move: replace(move, times=move.times[:, np.newaxis]),
    ),
    "positions that are no table": (
        POINT_COUNT,
        lambda move: replace(move, positions=move.positions[:, 0]),
    ),
    "a time too few": (POINT_COUNT, lambda move: replace(move, times=TIMES[:-1])),
    "an axis too few": (AXIS_COUNT, lambda move: replace(move, axes=move.axes[:1])),
    "no axis": (AXIS_COUNT, lambda move: replace(move, axes=())),
    "an axis twice": (ErrorCode.DuplicateAxis, lambda move: replace(move, axes=move.axes[:1] * 2)),
    "nine axes": ("DimensionOutOfRange", lambda move: NINE_AXES),
    "axes that hold still": ("DistanceBetweenPointsTooClose", same_point(2)),
    "axes that hold still at the end": ("DistanceBetweenPointsTooClose", same_point(4)),
    "a step too short": ("DistanceBetweenPointsTooClose", same_point(3, beside=9e-7)),
    "an axis that is not there": (
        ErrorCode.AxisOutOfRange,
        lambda move: replace(move, axes=(move.axes[0], 128)),
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_spline_is_refused_for(harmless_powered: Backend, name: str) -> None:
    code, change = REFUSALS[name]
    with harmless_powered.refuses(code):
        harmless_powered.motion.move_spline(change(spline(harmless_powered)))
