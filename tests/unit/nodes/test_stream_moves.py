"""Where a stream of positions goes, and the moves that follow it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.move_rules import RATE_RANGE
from wmx_core.values import Floats
from wmx_ros2_package.nodes.joint_position.stream_moves import (
    CYCLE,
    Now,
    StreamHistory,
    StreamRules,
    moves,
    too_fast,
    worth_moving,
)

TIMEOUT = 0.2
PERIOD = 0.02
MOST = 1.7
"""How many times too quick a stream may seem while it makes up for a stall."""


def rules(top_speed: float = np.inf, **other: float) -> StreamRules:
    return StreamRules(
        default_velocity=0.5,
        accel_ratio=0.3,
        min_step=0.001,
        top_speed=np.full(2, top_speed),
        **other,
    )


def history(*positions: object, period: float = PERIOD) -> StreamHistory:
    """Of messages that were sent evenly, the last one at time 0."""
    made = StreamHistory(TIMEOUT)
    for i, place in enumerate(positions):
        made = made.extended((i + 1 - len(positions)) * period, np.atleast_1d(place))
    return made


def resting(*position: float) -> Now:
    return Now(0.0, np.array(position), np.zeros(len(position)))


# The velocity of a stream


@given(st.integers(3, 200), st.floats(0.001, 0.05), st.floats(0.001, 5.0))
def test_an_even_stream_has_its_velocity_and_period(
    count: int, period: float, speed: float
) -> None:
    seen = history(*(speed * period * np.arange(count)), period=period)
    assert seen.period == pytest.approx(period)
    assert seen.velocity() == pytest.approx(np.array([speed]), rel=1e-6)


@pytest.mark.parametrize(
    "positions",
    [(1.0,), (0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 1.0, 1.0), (0.0, 1.0, 0.5), (1.0, 1.0, 1.0)],
    ids=["one", "two", "step", "held", "turned round", "still"],
)
def test_what_two_intervals_do_not_show_is_no_velocity(positions: tuple[float, ...]) -> None:
    assert history(*positions).velocity() == pytest.approx(np.array([0.0]))


def test_a_stream_that_slows_down_or_speeds_up_has_its_lesser_velocity() -> None:
    assert history(0.0, 0.3, 0.5).velocity() == pytest.approx(np.array([0.2 / PERIOD]))
    assert history(0.0, -0.2, -0.5).velocity() == pytest.approx(np.array([-0.2 / PERIOD]))


def test_after_its_timeout_it_is_another_stream() -> None:
    seen = history(0.0, 0.1, 0.2)
    assert len(seen.extended(TIMEOUT - 0.001, np.array([0.3])).messages) == 3
    assert len(seen.extended(TIMEOUT + 0.001, np.array([0.3])).messages) == 1


def test_a_message_that_was_sent_no_later_takes_the_place_of_the_last_one() -> None:
    seen = history(0.0, 0.1, 0.2).extended(0.0, np.array([0.3]))
    assert [float(place[0]) for _, place in seen.messages] == [0.0, 0.1, 0.3]


def test_messages_that_are_lost_leave_the_rhythm_as_it_is() -> None:
    seen = history(*np.arange(20.0))
    for i in (2, 3, 6):
        seen = seen.extended(i * PERIOD, np.array([19.0 + i]))
    assert seen.period == pytest.approx(PERIOD)
    assert seen.messages[-1][0] == pytest.approx(6 * PERIOD)
    assert seen.velocity() == pytest.approx(np.array([1.0 / PERIOD]))


@pytest.mark.parametrize("period", [0.5 * PERIOD, 0.7 * PERIOD, 1.6 * PERIOD, 2.0 * PERIOD])
def test_another_rhythm_is_found(period: float) -> None:
    seen = history(*np.zeros(50))
    for i in range(1, 60):
        seen = seen.extended(i * period, np.array([0.0]))
    assert seen.messages[-1][0] == pytest.approx(59 * period, abs=0.1 * period)


@given(st.floats(40.0, 1000.0), st.integers(2, 50), st.floats(0.01, 0.2), st.floats(-6.0, -2.4))
def test_what_comes_in_a_burst_after_a_stall_seems_hardly_quicker(
    rate: float, before: int, stall: float, gap: float
) -> None:
    """A stream at 1 u/s whose messages wait during a stall, then come 10**gap s apart."""
    seen, sent, begin = StreamHistory(TIMEOUT), -np.inf, (before + 0.5) / rate
    for meant in np.arange(before + int(3.0 * stall * rate) + 20) / rate:
        served = begin + stall if begin <= meant < begin + stall else meant
        sent = max(served, sent + min(10.0**gap, 0.9 / rate))
        seen = seen.extended(sent, np.array([meant]))
        assert (np.diff([time for time, _ in seen.messages]) > 0.0).all()
        assert seen.velocity() <= MOST


@pytest.mark.parametrize("rate", [40.0, 100.0, 500.0])
def test_a_stream_has_its_velocity_again_when_a_stall_is_made_up_for(rate: float) -> None:
    seen = StreamHistory(TIMEOUT)
    for i in range(int(rate)):
        meant = i / rate
        late = 0.5 <= meant < 0.56
        seen = seen.extended(0.56 + (meant - 0.5) * 0.1 if late else meant, np.array([meant]))
    assert seen.velocity() == pytest.approx(np.array([1.0]), rel=0.02)
    assert seen.period == pytest.approx(1.0 / rate, rel=0.1)


# Moves


def follow(delays: list[float], speeds: Floats, *, of_source: bool = False) -> Floats:
    """The velocities (messages, joints) of moves for a steady stream with these delays (s).

    They are those of the way that messages take, or of what sends them. Joints are taken to have
    the velocity of their move at once.
    """
    seen = StreamHistory(TIMEOUT)
    position, velocity, before = np.zeros_like(speeds), np.zeros_like(speeds), 0.0
    velocities = []
    for i, delay in enumerate(delays):
        now = i * PERIOD + delay
        position = position + velocity * (now - before)
        before = now
        sent = now if of_source else i * PERIOD
        seen = seen.extended(sent, speeds * (i + 1) * PERIOD)
        ordered = moves((0, 1), seen, PERIOD, Now(now, position, velocity), rules())
        velocity = np.array([move.velocity for move in ordered])
        velocities.append(velocity)
    return np.array(velocities)


@given(st.lists(st.floats(0.0, 0.019), min_size=60, max_size=60))
def test_a_steady_motion_has_one_velocity_however_late_messages_come(delays: list[float]) -> None:
    speeds = np.array([0.5, 0.1])
    steady = follow(delays, speeds)[40:]
    assert np.abs(steady / speeds - 1.0).max() < 0.01


@pytest.mark.long
@given(st.lists(st.floats(0.0, 0.004), min_size=150, max_size=150))
def test_a_steady_motion_has_one_velocity_though_messages_are_sent_up_to_4_ms_late(
    delays: list[float],
) -> None:
    speeds = np.array([0.5, 0.1])
    steady = follow(delays, speeds, of_source=True)[50:]
    assert np.abs(steady / speeds - 1.0).max() < 0.05


def test_axes_arrive_together() -> None:
    ordered = moves((3, 5), history([1.0, -0.5]), 0.5 + CYCLE, resting(0.0, 0.0), rules())
    assert [(m.axis, m.target) for m in ordered] == [(3, 1.0), (5, -0.5)]
    assert [m.velocity for m in ordered] == pytest.approx([2.0, 1.0])
    assert [m.acc for m in ordered] == pytest.approx([2.0 / 0.15, 1.0 / 0.15])
    assert [m.dec for m in ordered] == [m.acc for m in ordered]


def test_without_a_time_the_longest_way_has_the_default_velocity() -> None:
    ordered = moves((0, 1), history([1.0, 0.5]), 0.0, resting(0.0, 0.0), rules())
    assert [m.velocity for m in ordered] == pytest.approx([0.5, 0.25])
    assert [m.target for m in ordered] == [1.0, 0.5]


def test_a_joint_that_would_be_too_fast_slows_all_of_them() -> None:
    ordered = moves((0, 1), history([1.0, 0.5]), 0.1, resting(0.0, 0.0), rules(2.0))
    assert [m.velocity for m in ordered] == pytest.approx([2.0, 1.0])


def test_what_is_too_fast_for_a_joint_without_a_top_speed_is_named() -> None:
    limits = rules(unlimited_speed=5.0)
    ordered = moves((3, 5), history([1.0, 0.1]), 0.1, resting(0.0, 0.0), limits)
    reasons = too_fast(("shoulder", "elbow"), ordered, (3, 5), limits)
    assert len(reasons) == 1
    assert reasons[0].startswith("shoulder would go at 10.101 u/s: must be 5 or slower")


def test_joints_that_are_there_do_not_move() -> None:
    ordered = moves((0, 1), history([0.0, 1.0]), 1.0, resting(0.0, 0.0), rules())
    assert [move.axis for move in ordered] == [1]


def test_no_rate_is_less_than_an_engine_takes() -> None:
    """For a joint that is next to its place, and for one that moves by what rounding leaves."""
    near = moves((0, 1), history([2.5, 2e-9]), 0.0, resting(0.0, 0.0), rules())[1]
    seen = history(*([0.01 * i, x] for i, x in enumerate((0.3, 0.1 + 0.2, 0.3000000000000001))))
    held = moves((0, 1), seen, 0.02, resting(0.02, 0.3), rules(stop_time=0.2))[1]
    assert min(near.acc, near.dec, held.acc, held.dec) >= RATE_RANGE[0]


def test_joints_at_rest_are_left_alone_near_their_target_and_joints_in_motion_are_not() -> None:
    here = resting(1.0, 2.0)
    assert not worth_moving(np.array([1.0009, 2.0]), here, rules())
    assert worth_moving(np.array([1.0, 2.0011]), here, rules())
    moving = Now(0.0, here.position, np.array([0.1, 0.0]))
    assert worth_moving(here.position, moving, rules())
