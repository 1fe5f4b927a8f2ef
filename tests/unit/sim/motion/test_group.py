"""Axes on a common path, and what stops them."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, hypot

import numpy as np
import pytest
from held_engine import HeldEngine
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused
from wmx_core.values import LinearMove, OperationState, SplineMove
from wmx_sim.engine.clock import CYCLE
from wmx_sim.engine.motion.group import top_acceleration
from wmx_sim.engine.motion.path_stop import to_rest_along
from wmx_sim.engine.motion.profile import Profile, Segment, at, duration, hold
from wmx_sim.engine.motion.spline_move import spline
from wmx_sim.engine.motion.straight_line import line
from wmx_sim.engine.proxies import LocalMotion

IDLE, INTPL, STOP = OperationState.IDLE, OperationState.INTPL, OperationState.STOP
LINE = LinearMove(axes=(0, 2), targets=(3.0, -4.0), velocity=2.0, acc=10.0, dec=5.0)


@pytest.fixture
def held() -> HeldEngine:
    """Three axes of which 0 and 2 are on a line along (0.6, -0.8) at 2 u/s."""
    held = HeldEngine(3).servo_on()
    held.motion.move_linear(LINE)
    held.after(1.0)
    return held


def test_a_servo_that_goes_off_stops_the_others_with_the_deceleration_of_the_path(
    held: HeldEngine,
) -> None:
    """The motor without a servo brakes with its own quick stop deceleration."""
    held.motion.set_servo(0, on=False)
    status = held.after(0.01)
    assert status.op_state.tolist() == [STOP, IDLE, STOP]
    assert status.velocity_cmd[0] == pytest.approx(1.2 - 20.0 * 0.01)
    assert status.velocity_cmd[2] == pytest.approx(-1.6 + 5.0 * 0.01)


@pytest.mark.parametrize("end", ["set_servo", "stop", "quick_stop", "stop_communication", "alarm"])
def test_an_axis_may_be_alone_on_its_path(end: str) -> None:
    held = HeldEngine().servo_on()
    held.motion.move_linear(LinearMove(axes=(0,), targets=(3.0,), velocity=2.0, acc=10.0, dec=5.0))
    held.after(0.5)
    {
        "set_servo": lambda: held.motion.set_servo(0, on=False),
        "stop": lambda: held.motion.stop([0]),
        "quick_stop": lambda: held.motion.quick_stop([0]),
        "stop_communication": lambda: held.engine.stop_communication(),
        "alarm": lambda: held.raise_alarm(0),
    }[end]()
    assert held.status().op_state[0] == STOP
    assert held.after(1.0).op_state[0] == IDLE


def test_when_all_servos_go_off_each_motor_brakes_by_itself(held: HeldEngine) -> None:
    held.engine.stop_communication()
    status = held.after(0.01)
    assert status.velocity_cmd == pytest.approx([1.2 - 0.2, 0.0, -1.6 + 0.2])
    assert (held.after(1.0).op_state == IDLE).all()


def test_an_axis_that_was_stopped_is_free_of_the_others(held: HeldEngine) -> None:
    held.motion.stop([0])
    held.after(1.0)
    held.motion.move_linear(LinearMove(axes=(0, 1), targets=(0.0, 1.0), velocity=1.0, acc=5, dec=5))
    held.after(0.1)
    held.motion.set_servo(2, on=False)
    assert held.after(0.1).op_state.tolist() == [INTPL, INTPL, IDLE]


def test_a_path_that_loses_an_axis_to_another_ends_for_the_rest(held: HeldEngine) -> None:
    """Axis 2, alone on what is left, slows down with the 5 u/s^2 of the path."""
    held.motion.move_linear(LinearMove(axes=(0, 1), targets=(9.0, 3.0), velocity=1.0, acc=5, dec=5))
    status = held.after(0.1)
    assert status.op_state.tolist() == [INTPL, INTPL, STOP]
    assert status.velocity_cmd[2] == pytest.approx(-1.6 + 5.0 * 0.1)
    held.motion.stop([2])
    assert held.after(0.3).op_state.tolist() == [INTPL, INTPL, IDLE]
    assert held.after(20.0).pos_cmd[:2] == pytest.approx([9.0, 3.0])


def test_a_path_that_takes_over_all_axes_of_another_stops_none(held: HeldEngine) -> None:
    held.motion.move_linear(
        LinearMove(axes=(2, 1, 0), targets=(1.0,) * 3, velocity=1.0, acc=5, dec=5)
    )
    assert (held.status().op_state == INTPL).all()
    assert held.after(20.0).pos_cmd == pytest.approx([1.0, 1.0, 1.0])


def test_a_path_that_is_refused_leaves_the_other_alone(held: HeldEngine) -> None:
    with pytest.raises(CommandRefused):
        held.motion.move_linear(
            LinearMove(axes=(0, 7), targets=(9.0, 3.0), velocity=1.0, acc=5, dec=5)
        )
    assert held.status().op_state.tolist() == [INTPL, IDLE, INTPL]


def test_a_spline_is_stopped_with_its_own_largest_acceleration() -> None:
    """1 u in 1 s from rest to rest, 6 u/s^2 at both ends: 1.5 u/s half way are gone in 0.25 s.

    The path time r then goes at 1 - t / 0.25, and the axes along the path at 6 r (1 - r) of that.
    """
    held = HeldEngine(3).servo_on()
    held.motion.move_spline(
        SplineMove(
            axes=(0, 1), times=np.array([0.0, 1.0]), positions=np.array([[0.0, 0.0], [0.6, 0.8]])
        )
    )
    assert held.after(0.5).velocity_cmd[:2] == pytest.approx([0.9, 1.2])
    held.motion.stop([1])
    r = 0.5 + 0.1 - 0.1**2 / 0.5
    speed = 6.0 * r * (1.0 - r) * (1.0 - 0.1 / 0.25)
    assert held.after(0.1).velocity_cmd[:2] == pytest.approx([0.6 * speed, 0.8 * speed])
    assert held.after(0.149).op_state[:2].tolist() == [STOP, STOP]
    assert held.after(0.002).op_state[:2].tolist() == [IDLE, IDLE]


def test_axes_that_follow_given_profiles_stop_together() -> None:
    held = HeldEngine(3).servo_on()
    profiles = line((0, 0), (0, 0), (3, -4), max_velocity=2, acc=10, dec=5)
    LocalMotion(held.fake.call).follow((0, 2), profiles, INTPL)
    assert held.after(1.0).velocity_cmd == pytest.approx([1.2, 0.0, -1.6])
    held.motion.stop([0])
    assert held.after(0.1).op_state.tolist() == [STOP, IDLE, STOP]
    x, _, y = held.after(1.0).pos_cmd
    assert y == pytest.approx(-4 / 3 * x)


def on_a_spline(*targets: float) -> HeldEngine:
    """Axes in the middle of a spline of 1 s, where the path has no acceleration of its own."""
    held = HeldEngine(3, quick_stop_dec=30.0).servo_on()
    axes = tuple(range(len(targets)))
    points = np.array([[0.0] * len(targets), targets])
    times = np.array([0.0, 1.0])
    held.motion.move_spline(SplineMove(axes=axes, times=times, positions=points))
    held.after(0.5)
    return held


def test_a_harder_stop_of_a_spline_brakes_as_hard_as_it_says() -> None:
    """Not harder by the stop before it, of which 0.15 s are left and 0.6 of the path's time."""
    held = on_a_spline(0.6, 0.8)
    held.motion.stop([0])
    speed = hypot(*held.after(0.1).velocity_cmd)
    held.motion.quick_stop([0])
    lasts = ceil(speed / 30.0 / CYCLE) * CYCLE
    r = 0.5 + 0.1 - 0.1**2 / 0.5 + 0.6 * (0.01 - 0.01**2 / (2.0 * lasts))
    slower = 6.0 * r * (1.0 - r) * 0.6 * (1.0 - 0.01 / lasts)
    assert held.after(0.01).velocity_cmd[:2] == pytest.approx([0.6 * slower, 0.8 * slower])
    assert (held.after(lasts - 0.01).velocity_cmd == 0.0).all()


def test_a_quick_stop_of_a_spline_that_is_given_again_changes_nothing() -> None:
    once, again = on_a_spline(0.6, 0.8), on_a_spline(0.6, 0.8)
    for held in once, again:
        held.motion.quick_stop([0])
    for axis in 0, 1:
        for held in once, again:
            held.after(0.01)
        again.motion.quick_stop([axis])
    assert once.after(0.01).velocity_cmd.tolist() == again.after(0.01).velocity_cmd.tolist()


def test_a_spline_that_loses_two_axes_stops_once_for_the_rest() -> None:
    """6 u/s^2 of the path stop the 1.2 u/s of the third axis in 0.2 s."""
    held = on_a_spline(0.6, 0.0, 0.8)
    held.motion.move_linear(LinearMove(axes=(0, 1), targets=(9.0, 3.0), velocity=1.0, acc=5, dec=5))
    r = 0.5 + 0.05 - 0.05**2 / 0.4
    slower = 6.0 * r * (1.0 - r) * (1.0 - 0.05 / 0.2)
    assert held.after(0.05).velocity_cmd[2] == pytest.approx(0.8 * slower)


def winding(held: HeldEngine) -> tuple[Profile, ...]:
    """Axes 0 and 1 of `held` on a path that turns all the time; the path."""
    times = np.linspace(0.0, 3.0, 31)
    points = np.stack([np.sin(3.0 * times) * times, 1.0 - np.cos(4.0 * times)], axis=1)
    held.motion.move_spline(SplineMove(axes=(0, 1), times=times, positions=points))
    return spline(times, points, np.zeros(2))


def off(path: Sequence[Profile], position: Sequence[float], r: float) -> tuple[float, float]:
    """How far `position` is from the path at most near its time `r`, and at which time."""
    span = 2e-2
    for _ in range(4):
        near = np.linspace(max(0.0, r - span), r + span, 401)
        there = np.array([[at(profile, time)[0] for profile in path] for time in near])
        away = np.abs(there - position).max(axis=1)
        r, span = float(near[away.argmin()]), span / 100.0
    return float(away.min()), r


@pytest.mark.parametrize("stop", ["stop", "quick_stop", "stop, then quick_stop"])
@pytest.mark.parametrize("since", [0.004, 0.7, 1.3, 2.9, 2.999])
def test_a_stop_keeps_to_a_winding_path(since: float, stop: str) -> None:
    held = HeldEngine(2, quick_stop_dec=30.0).servo_on()
    path = winding(held)
    jolt = 1e-3 * (2.0 * top_acceleration(path) + 1.0)
    held.after(since)
    getattr(held.motion, stop.split(",")[0])([1])
    before, r = held.status().velocity_cmd.copy(), since
    for cycle in range(1, 3000):
        status = held.after(0.001)
        away, later = off(path, status.pos_cmd.tolist(), r)
        assert away < 1e-8
        assert r - 1e-6 <= later <= r + 0.001 + 1e-6, "forwards, and never faster"
        assert hypot(*(status.velocity_cmd - before)) < jolt, "that of the path and of the stop"
        r, before = later, status.velocity_cmd.copy()
        if cycle == 20 and stop == "stop, then quick_stop":
            held.motion.quick_stop([0])
        if (status.op_state == IDLE).all():
            break
    assert not before.any()


def test_the_top_acceleration_is_at_a_break_point() -> None:
    """Jerks of 2 and -1: accelerations (0, 3) and then (4, 1)."""
    one = (Segment(2.0, 0.0, 0.0, 0.0, 2.0), *hold(0.0))
    other = (Segment(2.0, 0.0, 0.0, 3.0, -1.0), *hold(0.0))
    assert top_acceleration([one, other]) == hypot(4.0, 1.0)
    assert top_acceleration([(Segment(2.0, 0.0, 0.0, 4.0, -2.0), *hold(0.0)), other]) == 5.0
    assert top_acceleration([one[-1:], other[-1:]]) == 1.0, "no motion, no matter"


def test_the_acceleration_of_a_path_that_is_given_in_cycles_is_between_them() -> None:
    places = [10.0 * (CYCLE * cycle) ** 2 for cycle in range(50)]
    pieces = [Segment(CYCLE, one, (other - one) / CYCLE) for one, other in pairwise(places)]
    path = (*pieces, *hold(places[-1]))
    assert top_acceleration([path]) == pytest.approx(20.0)
    assert top_acceleration([path, path]) == pytest.approx(hypot(20.0, 20.0))


rates = st.floats(0.1, 10.0)
places = st.floats(-10.0, 10.0)


@given(rates, rates, rates, places, places)
def test_of_a_line_it_is_the_harder_of_acc_and_dec(
    velocity: float, acc: float, dec: float, x: float, y: float
) -> None:
    if hypot(x, y) > 1e-3:
        profiles = line((0, 0), (0, 0), (x, y), max_velocity=velocity, acc=acc, dec=dec)
        peak = max(
            hypot(*(s.velocity for s in segments)) for segments in zip(*profiles, strict=True)
        )
        speeding_up, slowing_down = profiles[0][0].duration, profiles[0][-2].duration
        top = top_acceleration(profiles)
        assert top == pytest.approx(peak / min(speeding_up, slowing_down))
        assert top <= max(acc, dec) * (1 + 1e-9)


# The stop of a path by itself


def out_and_back(farthest: float) -> Profile:
    """One second out to `farthest` (u) along a parabola, and one back."""
    return (Segment(2.0, 0.0, 2.0 * farthest, -2.0 * farthest), *hold(0.0))


@pytest.mark.parametrize(
    ("since", "lasts"), [(1.0, CYCLE), (2.0, 0.0), (2.5, 0.0)], ids=["turns", "ends", "has ended"]
)
def test_what_stands_stays_where_it_is(since: float, lasts: float) -> None:
    paths = [out_and_back(1.0), out_and_back(-0.5)]
    stops = to_rest_along(paths, since, CYCLE)
    assert [duration(stop) for stop in stops] == [lasts] * 2
    assert [at(stop, 0.0) for stop in stops] == [(at(path, since)[0], 0.0) for path in paths]


@pytest.mark.parametrize("since", [0.0, 0.25, 1.5])
def test_the_time_of_the_path_is_slowed_down_evenly(since: float) -> None:
    """r(t) = t - t^2 / 2T, T in whole cycles, until the path itself ends."""
    paths = [out_and_back(0.25), out_and_back(-0.5)]
    velocity = float(np.hypot(*(at(path, since)[1] for path in paths)))
    lasts = CYCLE * ceil(velocity / 2.0 / CYCLE - 1e-6)
    stops = to_rest_along(paths, since, lasts)
    for time in np.linspace(0.0, duration(stops[0]), 7):
        gone = min(time - time**2 / (2.0 * lasts), 2.0 - since)
        for path, stop in zip(paths, stops, strict=True):
            assert at(stop, time)[0] == pytest.approx(at(path, since + gone)[0], abs=1e-6)
    assert [at(stop, duration(stop))[1] for stop in stops] == pytest.approx([0.0, 0.0], abs=1e-12)
