"""Trajectories over DDS: where the axes are commanded to go, and how each goal ends."""

import re
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import (
    CANCELED,
    NAMES,
    Arm,
    Result,
    duration,
    pause_until_rest,
    robot_arm,
    tolerance,
    trajectory,
)
from recording import stamp_of

interpolate = pytest.importorskip("scipy.interpolate")

POSITION_GAIN = 40.0
"""Of the simulated servo, 1/s: it follows a velocity v v / 40 behind."""


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm("rate:=250") as arm:
        yield arm


@pytest.fixture(autouse=True)
def at_zero(arm: Arm) -> None:
    """Every test begins with the arm at zero."""
    arm.home()


@pytest.mark.long
def test_positions_velocities_and_accelerations_are_followed_as_scipy_evaluates_them(
    arm: Arm,
) -> None:
    times = np.array([0.0, 0.5, 1.0, 1.5])
    rng = np.random.default_rng(2)
    columns = rng.uniform(-0.3, 0.3, (3, 4, 6))
    columns[:, 0] = 0.0
    columns[1:, -1] = 0.0
    follow = interpolate.BPoly.from_derivatives(times, columns.transpose(1, 0, 2))
    began = arm.client.clock.now()
    arm.send(trajectory(times, *columns)).succeeded()
    arm.state()
    states = arm.client.states.since(began)
    stamps = np.array([stamp_of(s) for s in states])
    at = np.round((stamps - stamps[0]) / 1e6) * 1e-3  # whole cycles, s
    seen = np.array([list(s.pos_cmd)[:6] for s in states])
    assert len(at) >= 200.0 * times[-1]
    changes = np.abs(np.diff(seen, axis=0)).max(axis=1)
    at_rest = at[np.flatnonzero(changes > 1e-9)[0]]

    def off(start: float) -> float:
        return float(np.abs(seen - follow(np.clip(at - start, 0.0, times[-1]))).max())

    assert min(off(at_rest + cycle * 1e-3) for cycle in range(-20, 21)) < 2e-6


@pytest.mark.long
def test_feedback_is_what_the_servo_model_predicts(arm: Arm) -> None:
    # 0.2 s of speeding up, a second at 0.4 rad/s, 0.2 s of slowing down.
    positions = [[0.0] * 6, [0.04] * 6, [0.44] * 6, [0.48] * 6]
    velocities = [[0.0] * 6, [0.4] * 6, [0.4] * 6, [0.0] * 6]
    sent = arm.send(trajectory((0.0, 0.2, 1.2, 1.4), positions, velocities))
    sent.succeeded()
    early = [f for f in sent.feedback if f.desired.time_from_start.sec == 0]
    steady = [f for f in early if 0.5 < f.desired.time_from_start.nanosec * 1e-9 < 0.99]
    assert abs(len(steady) - 10) <= 1, "20 Hz"
    for feedback in steady:
        assert feedback.joint_names == NAMES
        assert feedback.error.positions == pytest.approx([0.4 / POSITION_GAIN] * 6, rel=0.01)
        assert feedback.desired.velocities == pytest.approx([0.4] * 6, abs=1e-3)
        now = feedback.desired.time_from_start.nanosec * 1e-9
        assert feedback.desired.positions[0] == pytest.approx(0.04 + 0.4 * (now - 0.2), abs=4e-3)
        difference = np.array(feedback.desired.positions) - np.array(feedback.actual.positions)
        assert feedback.error.positions == pytest.approx(difference.tolist())
        assert not hasattr(feedback, "index") or feedback.index == 2


# Tolerances


def test_path_tolerance_of_velocity(arm: Arm) -> None:
    sent = arm.send(arm.away(0.5, 0.7), path_tolerance=[tolerance("joint2", velocity=0.02)])
    sent.aborted(Result.PATH_TOLERANCE_VIOLATED, "velocity of joint2 is ")
    words = sent.ended()[1].error_string
    told = re.search(r"is (\S+) off the path: must be within 0.02", words)
    assert told, words
    assert 0.02 < float(told[1]) <= 0.1
    pause_until_rest(arm)
    assert arm.position()[0] < 0.4


@pytest.mark.long
def test_goal_tolerance_and_its_time(arm: Arm) -> None:
    # 3e-10 of the way is left after 0.5 s at 40 1/s, and none after 2 s.
    tight = {"goal_tolerance": [tolerance("joint4", position=1e-12, velocity=-1.0)]}
    sent = arm.send(arm.away(0.5, 0.5), goal_time_tolerance=duration(0.2), **tight)
    sent.aborted(Result.GOAL_TOLERANCE_VIOLATED, "position of joint4 is ")
    assert "after the end" in sent.ended()[1].error_string
    arm.home()
    arm.send(arm.away(0.5, 0.5), goal_time_tolerance=duration(4.0), **tight).succeeded()


# Cancel, start later


@pytest.mark.long
def test_a_canceled_goal_is_answered_when_the_arm_stands(arm: Arm) -> None:
    sent = arm.moving()
    assert sent.cancel().return_code == 0
    status, result = sent.ended()
    assert (status, result.error_string) == (CANCELED, "canceled")
    assert not any(arm.state().velocity_cmd)


@pytest.mark.long
def test_a_stamp_in_the_future_starts_then(arm: Arm) -> None:
    message = arm.away(0.3, 0.5)
    soon = arm.client.clock.time_ns() + 600_000_000
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(soon, 10**9)
    began = arm.client.clock.now()
    sent = arm.send(message)
    first = arm.state(lambda s: s.velocity_cmd[0] > 0.0)
    assert -0.005 < (stamp_of(first) - soon) * 1e-9 <= 0.1
    sent.succeeded()
    assert sent.ended_at - began > 1.0


def test_rejections_say_why(arm: Arm) -> None:
    here = [0.0] * 6
    arm.rejected(trajectory((0.0, 1.0), ([0.5] * 6, here)), "must be within 0.01 (start_tolerance)")
    arm.rejected(trajectory((0.0, 1.0), (here, [9.0] * 6)), "must stay within -6.28 to 6.28")
    arm.rejected(trajectory((0.0, 0.1), (here, [1.0] * 6)), "must be 3.1 or slower")


# Topics


@pytest.mark.long
def test_the_topic_does_likewise_and_stops_on_no_points(arm: Arm) -> None:
    arm.topic.publish(arm.away(0.2, 0.4))
    arm.state(lambda s: abs(s.pos_cmd[0] - 0.2) < 1e-9)
    arm.topic.publish(arm.away(2.0, 6.0))
    arm.state(lambda s: s.velocity_cmd[0] > 0.3)
    arm.topic.publish(trajectory((), ()))
    arm.at_rest()
    assert arm.position()[0] < 1.5
    arm.topic.publish(trajectory((0.0,), ([0.0] * 6,)))
    arm.system.says("joint_trajectory: time_from_start of the last point is 0 s")


@pytest.mark.long
def test_controller_state(arm: Arm) -> None:
    arm.states.next()
    sent = arm.moving()
    state = arm.states.next(lambda s: s.reference.velocities[0] > 0.5)
    assert list(state.joint_names) == NAMES
    error = np.array(state.reference.positions) - np.array(state.feedback.positions)
    assert state.error.positions == pytest.approx(error.tolist())
    assert state.output.positions == state.reference.positions
    assert state.reference.time_from_start.sec + state.reference.time_from_start.nanosec > 0
    sent.cancel()


@pytest.mark.long
def test_execution_active_and_a_jog_of_zero(arm: Arm) -> None:
    began = arm.client.clock.now()
    sent = arm.send(arm.away(0.2, 0.4))
    arm.active.first(began, lambda m: m.data)
    assert sent.accepted()
    sent.succeeded()
    arm.active.latest(lambda m: not m.data)
    jog = arm.jogs.first(began, lambda _: True)
    assert list(jog.joint_names) == NAMES
    assert list(jog.velocities) == [0.0] * 6
