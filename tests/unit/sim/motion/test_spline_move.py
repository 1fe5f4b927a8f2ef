"""Splines: those that can be reckoned by hand, what holds for all, and what is refused."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, ulp
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused
from wmx_core.path_rules import SHORTEST_STEP
from wmx_core.values import SplineMove
from wmx_sim.engine.motion.profile import Segment, duration
from wmx_sim.engine.motion.spline_move import MAX_POINTS, MAX_TIME, plan_spline, spline


def of_one_axis(
    times: Sequence[float], positions: Sequence[float], velocity: float
) -> tuple[Segment, ...]:
    points = np.array(positions)[:, np.newaxis]
    (profile,) = spline(np.array(times), points, np.array([velocity]))
    return profile


def test_axes_do_not_mix() -> None:
    times = np.array([0.0, 0.5, 2.0, 2.2])
    one, other = [0.0, 3.0, -1.0, 2.0], [7.0, 7.0, 9.0, 8.0]
    both = spline(times, np.array([one, other]).T, np.array([1.0, -2.0]))
    assert both == (of_one_axis(times, one, 1.0), of_one_axis(times, other, -2.0))


def test_a_spline_through_one_position_is_rest() -> None:
    for profile in spline(np.arange(5.0), np.full((5, 2), 3.0), np.zeros(2)):
        assert {segment[1:] for segment in profile} == {(3.0, 0.0, 0.0, 0.0)}


def require_clamped(times: Sequence[float], positions: Sequence[float], velocity: float) -> None:
    """Fail unless the spline passes its points on time, smoothly, and begins and ends as it has to.

    There is one cubic that begins with `velocity`, ends at rest and is twice differentiable.
    """
    profile = of_one_axis(times, positions, velocity)
    last = profile[-1]
    assert len(profile) == len(times)
    assert duration(profile) == pytest.approx(times[-1], rel=1e-14)
    assert [segment.position for segment in profile] == list(positions)
    assert profile[0].velocity == velocity
    assert last == Segment(inf, positions[-1], 0.0)
    shortest = min(after - before for before, after in pairwise(times))
    way = max(positions) - min(positions)
    fastest = max(abs(segment.velocity) for segment in profile) + way / shortest
    rounding = 1e-13 * fastest + 2.0 * ulp(max(map(abs, positions))) / shortest
    for segment, following in pairwise(profile):
        end = segment.after(segment.duration)
        shorter = min(segment.duration, following.duration)
        jumps = [
            (end.position - following.position) / segment.duration,
            end.velocity - following.velocity,
            (end.acceleration - following.acceleration) * shorter if following != last else 0.0,
        ]
        assert jumps == pytest.approx([0.0, 0.0, 0.0], abs=rounding)


spacings = st.lists(st.floats(0.001, 1e3), min_size=1, max_size=30)


@given(spacings, st.randoms(use_true_random=False), st.floats(-10.0, 10.0))
def test_every_spline(spacing: list[float], random: Random, velocity: float) -> None:
    times = np.concatenate([[0.0], np.cumsum(spacing)]).tolist()
    require_clamped(times, [random.uniform(-5.0, 5.0) for _ in times], velocity)


@pytest.mark.parametrize("velocity", [0.0, 1.0, -1e3])
def test_a_long_uneven_spline_far_off(velocity: float) -> None:
    random = Random(2)
    spacing = [1e-3 if i % 2 else 1e3 for i in range(MAX_POINTS - 1)]
    times = np.concatenate([[0.0], np.cumsum(spacing)]).tolist()
    require_clamped(times, [1e6 + random.uniform(0.0, 1.0) for _ in times], velocity)


def move(
    times: object = (0.0, 1.0, 2.0),
    positions: object = ((1.0, 2.0), (2.0, 4.0), (3.0, 6.0)),
    axes: tuple[int, ...] = (4, 7),
) -> SplineMove:
    """A spline of axes 4 and 7 from 1 and 2 u."""
    return SplineMove(axes=axes, times=np.array(times), positions=np.array(positions))


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


def test_points_a_cycle_apart_are_taken() -> None:
    times = [n * 0.001 for n in range(MAX_POINTS)]
    positions = [1.0, 2.0] + np.linspace(0.0, 1.0, MAX_POINTS)[:, np.newaxis]
    one, _ = plan_spline(move(times, positions), [1.0, 2.0], [0.0, 0.0])
    assert len(one) == MAX_POINTS


# What is refused, beyond what every driver refuses (see tests/contract)

POINT_COUNT, TIME = "PointCountOutOfRange", "TimeArgumentOutOfRange"
POSITION = "PositionArgumentOutOfRange"


def starting(start: float) -> SplineMove:
    """The spline of `move` whose first point is elsewhere for axis 7, which is at 2 u."""
    return move(positions=((1.0, start), (2.0, 4.0), (3.0, 6.0)))


def ending(end: float) -> SplineMove:
    """The spline of `move` that ends elsewhere."""
    return move(positions=((1.0, 2.0), (2.0, 4.0), (3.0, end)))


@pytest.mark.parametrize(
    ("order", "name"),
    [
        (move(np.arange(MAX_POINTS + 1.0), np.ones((MAX_POINTS + 1, 2))), POINT_COUNT),
        (move(times=(0.0, 0.00099, 1.0)), TIME),
        (move(times=(0.0, 1.0, 1.1 * MAX_TIME)), TIME),
        (move(times=("now", "soon", "late")), TIME),
        (move(positions=np.array([[1.0, 2.0], [None, 4.0], [object(), 6.0]])), POSITION),
        (starting(2.0 + 1.1 * SHORTEST_STEP), POSITION),
        (starting(2.0 - 1.1 * SHORTEST_STEP), POSITION),
        (ending(1.1e15), POSITION),
        (ending(-1.1e15), POSITION),
    ],
)
def test_refusals(order: SplineMove, name: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        plan_spline(order, [1.0, 2.0], [0.0, 0.0])
    assert refused.value.name == name


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_way_that_swings_out_of_range_between_its_points_is_refused(sign: float) -> None:
    """Two far points a cycle apart make for a speed that carries far beyond the next ones."""
    times = 0.0, 1.0, 1.001, 2.0
    positions = np.array([[1.0, 2.0], [1.1, 2.0], [1.2, sign * 1e14], [1.3, 2.0]])
    rule = r"after point [12] axis 7 swings out to -?\d\.\d+e\+1[67], must stay within"
    with pytest.raises(CommandRefused, match=rule) as refused:
        plan_spline(move(times, positions), [1.0, 2.0], [0.0, 0.0])
    assert refused.value.name == POSITION


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
