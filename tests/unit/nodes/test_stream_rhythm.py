"""Streams of positions become moves of one velocity, however unevenly the stream arrives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.drivers.values import Floats
from wmx_ros2_package.nodes.joint_position.rhythm import Rhythm, StreamRules, moves, worth_moving

PERIOD = 0.02


def rules(top_speed: float = np.inf, joints: int = 2) -> StreamRules:
    return StreamRules(
        default_velocity=0.5, accel_ratio=0.3, min_step=0.001, top_speed=np.full(joints, top_speed)
    )


def follow(delays: list[float], speeds: Floats) -> Floats:
    """The velocities (messages, joints) of moves for a steady stream with these delays (s).

    Axes are taken to have the velocity of their move at once.
    """
    rhythm = Rhythm(0.2)
    position = np.zeros_like(speeds)
    velocity, before = np.zeros_like(speeds), 0.0
    velocities = []
    for i, delay in enumerate(delays):
        now = i * PERIOD + delay
        position = position + velocity * (now - before)
        before = now
        target = speeds * (i + 1) * PERIOD
        came = rhythm.arrive(now)
        ordered = moves((0, 1), target, position, rhythm.arrival(came, PERIOD) - now, rules())
        velocity = np.array([move.velocity for move in ordered])
        velocities.append(velocity)
    return np.array(velocities)


@given(st.lists(st.floats(0.0, 0.004), min_size=150, max_size=150))
def test_a_steady_motion_has_one_velocity_though_messages_come_up_to_4_ms_late(
    delays: list[float],
) -> None:
    speeds = np.array([0.5, 0.1])
    steady = follow(delays, speeds)[50:]
    assert np.abs(steady / speeds - 1.0).max() < 0.05


def test_without_jitter_the_velocity_is_that_of_the_stream() -> None:
    steady = follow([0.0] * 50, np.array([0.5, 0.1]))[25:]
    assert steady == pytest.approx(np.array([[0.5, 0.1]] * 25), rel=1e-3)


def test_axes_arrive_together() -> None:
    ordered = moves((3, 5), np.array([1.0, -0.5]), np.zeros(2), 0.5, rules())
    assert [(m.axis, m.target, m.velocity) for m in ordered] == [(3, 1.0, 2.0), (5, -0.5, 1.0)]
    assert [m.acc for m in ordered] == pytest.approx([2.0 / 0.15, 1.0 / 0.15])


def test_without_a_time_the_longest_way_has_the_default_velocity() -> None:
    ordered = moves((0, 1), np.array([1.0, 0.5]), np.zeros(2), 0.0, rules())
    assert [m.velocity for m in ordered] == [0.5, 0.25]


def test_a_joint_that_would_be_too_fast_slows_all_of_them() -> None:
    ordered = moves((0, 1), np.array([1.0, 0.5]), np.zeros(2), 0.1, rules(2.0))
    assert [m.velocity for m in ordered] == pytest.approx([2.0, 1.0])


def test_joints_that_are_there_do_not_move() -> None:
    assert [m.axis for m in moves((0, 1), np.array([0.0, 1.0]), np.zeros(2), 1.0, rules())] == [1]


def test_deadband() -> None:
    here = np.array([1.0, 2.0])
    assert worth_moving(here, None, rules())
    assert not worth_moving(here + 0.0009, here, rules())
    assert worth_moving(here + np.array([0.0, 0.0011]), here, rules())


def test_a_stream_is_over_after_its_timeout_and_begins_anew() -> None:
    rhythm = Rhythm(0.2)
    for i in range(10):
        rhythm.arrive(i * PERIOD)
    assert rhythm.period == pytest.approx(PERIOD)
    assert not rhythm.over(0.18 + 0.199)
    assert rhythm.over(0.18 + 0.201)
    assert rhythm.arrive(5.0) == 5.0
    assert rhythm.period == 0.0
