"""Splines: those that can be reckoned by hand, what holds for all, and what is refused."""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import inf, nan
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused
from wmx_core.path_rules import SHORTEST_STEP
from wmx_core.values import SplineMove
from wmx_sim.engine.motion.profile import Segment, duration, hold
from wmx_sim.engine.motion.spline_move import (
    MAX_POINTS,
    MAX_TIME,
    plan_spline,
    spline,
)


def of_one_axis(
    times: Sequence[float], positions: Sequence[float], velocity: float
) -> tuple[Segment, ...]:
    points = np.array(positions)[:, np.newaxis]
    (profile,) = spline(np.array(times), points, np.array([velocity]))
    return profile


def test_two_points_from_rest() -> None:
    expected = (Segment(2.0, 1.0, 0.0, 6.0, -6.0), *hold(5.0))
    assert of_one_axis([0.0, 2.0], [1.0, 5.0], 0.0) == expected


def test_two_points_from_motion() -> None:
    expected = (Segment(2.0, 1.0, 2.0, 2.0, -3.0), *hold(5.0))
    assert of_one_axis([0.0, 2.0], [1.0, 5.0], 2.0) == expected


@pytest.mark.parametrize(("velocity", "at_the_point"), [(0.0, 2.0), (3.0, 1.0), (-6.0, 4.0)])
def test_three_uneven_points(velocity: float, at_the_point: float) -> None:
    """2 v + 6 u = 3 (2 * 1 + 1 * 2) for u at the middle point, one second after the start."""
    first, second, last = of_one_axis([0.0, 1.0, 3.0], [0.0, 1.0, 5.0], velocity)
    u = at_the_point
    assert first == pytest.approx(
        (1.0, 0.0, velocity, 6 - 4 * velocity - 2 * u, 6 * (velocity + u - 2))
    )
    assert second == pytest.approx((2.0, 1.0, u, 6.0 - 2 * u, 1.5 * (u - 4)))
    assert last == Segment(inf, 5.0, 0.0)


def test_axes_do_not_mix() -> None:
    times = np.array([0.0, 0.5, 2.0, 2.2])
    one, other = [0.0, 3.0, -1.0, 2.0], [7.0, 7.0, 9.0, 8.0]
    both = spline(times, np.array([one, other]).T, np.array([1.0, -2.0]))
    assert both == (of_one_axis(times, one, 1.0), of_one_axis(times, other, -2.0))


def test_a_spline_through_one_position_is_rest() -> None:
    for profile in spline(np.arange(5.0), np.full((5, 2), 3.0), np.zeros(2)):
        assert {segment[1:] for segment in profile} == {(3.0, 0.0, 0.0, 0.0)}


spacings = st.lists(st.floats(0.001, 1e3), min_size=1, max_size=30)


@given(spacings, st.randoms(use_true_random=False), st.floats(-10.0, 10.0))
def test_every_spline(spacing: list[float], random: Random, velocity: float) -> None:
    """Passes its points on time, begins with the velocity, ends at rest, twice differentiable."""
    times = np.concatenate([[0.0], np.cumsum(spacing)])
    positions = [random.uniform(-5.0, 5.0) for _ in times]
    profile = of_one_axis(times, positions, velocity)
    last = profile[-1]
    assert len(profile) == len(times)
    assert duration(profile) == pytest.approx(times[-1], rel=1e-14)
    assert [segment.position for segment in profile] == positions
    assert profile[0].velocity == velocity
    assert last == Segment(inf, positions[-1], 0.0)
    fastest = max(abs(segment.velocity) for segment in profile) + 10.0 / min(spacing)
    for segment, following in pairwise(profile):
        end = segment.after(segment.duration)
        shortest = min(segment.duration, following.duration)
        jumps = [
            (end.position - following.position) / segment.duration,
            end.velocity - following.velocity,
            (end.acceleration - following.acceleration) * shortest if following != last else 0.0,
        ]
        assert jumps == pytest.approx([0.0, 0.0, 0.0], abs=1e-13 * fastest)


def move(
    times: object = (0.0, 1.0, 2.0),
    positions: object = ((1.0, 2.0), (2.0, 4.0), (3.0, 6.0)),
    axes: tuple[int, ...] = (4, 7),
) -> SplineMove:
    """A spline of axes 4 and 7 from 1 and 2 u."""
    return SplineMove(axes=axes, times=np.array(times), positions=np.array(positions))


def refusal(order: SplineMove) -> str:
    with pytest.raises(CommandRefused) as refused:
        plan_spline(order, [1.0, 2.0], [0.0, 0.0])
    return str(refused.value)


def test_a_plan_is_the_spline_through_the_points() -> None:
    order = move()
    expected = spline(order.times, order.positions, np.array([0.5, -1.0]))
    assert plan_spline(order, [1.0, 2.0], [0.5, -1.0]) == expected


def test_whole_numbers_are_numbers() -> None:
    order = move(times=(0, 1, 2), positions=((1, 2), (2, 4), (3, 6)))
    assert plan_spline(order, [1.0, 2.0], [0.0, 0.0]) == plan_spline(move(), [1.0, 2.0], [0.0, 0.0])


def test_a_plan_begins_exactly_where_the_axes_are_and_leaves_the_order_alone() -> None:
    order = move()
    one, other = plan_spline(order, [1.0 + 0.9 * SHORTEST_STEP, 2.0], [0.0, 0.0])
    assert one[0].position == 1.0 + 0.9 * SHORTEST_STEP
    assert other[0].position == 2.0
    assert order.positions[0, 0] == 1.0


def test_one_axis_may_hold_still_while_another_moves() -> None:
    way = ((1.0, 2.0), (1.0, 4.0), (1.0, 6.0))
    assert len(plan_spline(move(positions=way), [1.0, 2.0], [0.0, 0.0])) == 2


def test_points_a_cycle_apart_are_taken() -> None:
    times = [n * 0.001 for n in range(MAX_POINTS)]
    positions = [1.0, 2.0] + np.linspace(0.0, 1.0, MAX_POINTS)[:, np.newaxis]
    one, _ = plan_spline(move(times, positions), [1.0, 2.0], [0.0, 0.0])
    assert len(one) == MAX_POINTS


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_start_elsewhere_is_refused(sign: float) -> None:
    start = 2.0 + sign * 1.1 * SHORTEST_STEP
    text = refusal(move(positions=((1.0, start), (2.0, 4.0), (3.0, 6.0))))
    assert text == (
        f"Error=65580 (PositionArgumentOutOfRange): first point {start} of axis 7 is "
        f"{sign * 1.1e-6:g} u from where the axis is, must be within 1e-06"
    )


SHAPES = "must have shapes (points,) and (points, axes)"


@pytest.mark.parametrize(
    ("order", "text"),
    [
        (move(axes=()), "Error=1548 (AxisCountOutOfRange): 0 axes, must be at least 1"),
        (move(axes=(4, 4)), "Error=1549 (DuplicateAxis): axis 4 must be named once"),
        (
            move(axes=(4, 7, 8)),
            "Error=1548 (AxisCountOutOfRange): points of 2 positions for 3 axes, must be one each",
        ),
        (
            move(times=(0.0, 1.0)),
            "Error=65615 (PointCountOutOfRange): times of shape (2,) and positions of shape "
            f"(3, 2) {SHAPES}",
        ),
        (
            move(times=((0.0,), (1.0,), (2.0,))),
            "Error=65615 (PointCountOutOfRange): times of shape (3, 1) and positions of shape "
            f"(3, 2) {SHAPES}",
        ),
        (
            move(positions=(1.0, 2.0, 3.0)),
            "Error=65615 (PointCountOutOfRange): times of shape (3,) and positions of shape (3,) "
            f"{SHAPES}",
        ),
        (
            move(times=(), positions=np.zeros((0, 2))),
            "Error=65615 (PointCountOutOfRange): 0 points, must be at least 2",
        ),
        (
            move(times=(0.0,), positions=((1.0, 2.0),)),
            "Error=65615 (PointCountOutOfRange): 1 points, must be at least 2",
        ),
        (
            move(np.arange(MAX_POINTS + 1.0), np.ones((MAX_POINTS + 1, 2))),
            "Error=65615 (PointCountOutOfRange): 1001 points, must be 2 to 1000",
        ),
        (
            move(positions=np.ones((3, 9)), axes=tuple(range(9))),
            "Error=-1 (DimensionOutOfRange): a spline of 9 axes, must be at most 8",
        ),
        (
            move(positions=((1.0, 2.0), (2.0, 4.0), (2.0, 4.0 + 9e-7))),
            "Error=-1 (DistanceBetweenPointsTooClose): point 2 is 9e-07 u from the one before, "
            "must be 1e-06 or more: end the spline where the axes hold still",
        ),
        (
            move(times=(0.5, 1.0, 2.0)),
            "Error=65592 (TimeArgumentOutOfRange): time 0.5 of point 0 must be 0",
        ),
        (
            move(times=(0.0, 1.0, 1.0)),
            "Error=65592 (TimeArgumentOutOfRange): time 1.0 of point 2 must be "
            "0.001 s or more after 1.0",
        ),
        (
            move(times=(0.0, 2.0, 1.0)),
            "Error=65592 (TimeArgumentOutOfRange): time 1.0 of point 2 must be "
            "0.001 s or more after 2.0",
        ),
        (
            move(times=(0.0, 0.00099, 1.0)),
            "Error=65592 (TimeArgumentOutOfRange): time 0.00099 of point 1 must be "
            "0.001 s or more after 0.0",
        ),
        (
            move(times=("now", "soon", "late")),
            "Error=65592 (TimeArgumentOutOfRange): times must be an array of numbers",
        ),
        (
            move(positions=np.array([[1.0, 2.0], [None, 4.0], [object(), 6.0]], dtype=object)),
            "Error=65580 (PositionArgumentOutOfRange): positions must be an array of numbers",
        ),
    ],
)
def test_refusals(order: SplineMove, text: str) -> None:
    assert refusal(order) == text


@pytest.mark.parametrize("time", [nan, inf, -inf, -1.0, 1.1e6])
def test_a_time_out_of_range_is_refused(time: float) -> None:
    assert refusal(move(times=(0.0, 1.0, time))) == (
        f"Error=65592 (TimeArgumentOutOfRange): time {time} of point 2 must be within 0 to 1e+06 s"
    )


@pytest.mark.parametrize("position", [nan, inf, -inf, 1.1e15, -1.1e15])
@pytest.mark.parametrize("point", [0, 2])
def test_a_position_out_of_range_is_refused(position: float, point: int) -> None:
    positions = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    positions[point, 1] = position
    assert refusal(move(positions=positions)) == (
        f"Error=65580 (PositionArgumentOutOfRange): position of axis 7 at point {point}: "
        f"{position} must be within -1e+15 to 1e+15"
    )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_way_that_swings_out_of_range_between_its_points_is_refused(sign: float) -> None:
    """Two far points a cycle apart make for a speed that carries far beyond the next ones."""
    times = 0.0, 1.0, 1.001, 2.0
    positions = np.array([[1.0, 2.0], [1.1, 2.0], [1.2, sign * 1e14], [1.3, 2.0]])
    text = refusal(move(times, positions))
    assert re.fullmatch(
        r"Error=65580 \(PositionArgumentOutOfRange\): after point [12] axis 7 swings out to "
        r"-?\d\.\d+e\+1[67], must stay within -1e\+15 to 1e\+15",
        text,
    ), text


def test_a_way_to_the_ends_of_the_range_is_taken() -> None:
    positions = np.array([[1.0, 2.0], [1e15, -1e15]])
    one, other = plan_spline(move((0.0, 1.0), positions), [1.0, 2.0], [0.0, 0.0])
    assert (one[-1].position, other[-1].position) == (1e15, -1e15)


def test_the_latest_time_and_the_furthest_start_are_taken() -> None:
    one, _ = plan_spline(move((0.0, 1.0, MAX_TIME)), [1.0, 2.0], [0.0, 0.0])
    assert duration(one) == MAX_TIME
    positions = ((SHORTEST_STEP, 2.0), (2.0, 4.0), (3.0, 6.0))
    one, _ = plan_spline(move(positions=positions), [0.0, 2.0], [0.0, 0.0])
    assert one[0].position == 0.0
