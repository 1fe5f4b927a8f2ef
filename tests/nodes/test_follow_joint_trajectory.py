"""Trajectories over DDS: where the axes are commanded to go, and how each goal ends."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import (
    CANCELED,
    NAMES,
    Arm,
    Result,
    Sent,
    duration,
    pause_until_rest,
    robot_arm,
    tolerance,
    trajectory,
)
from recording import stamp_of
from trajectory_msgs.msg import JointTrajectory

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


def commanded(arm: Arm, since: float) -> tuple[np.ndarray, np.ndarray]:
    """Times in whole cycles (s) and commanded positions of what came since then, until now."""
    arm.state()
    states = arm.client.states.since(since)
    stamps = [stamp_of(s) for s in states]
    cycles = np.round((np.array(stamps) - stamps[0]) / 1e6)
    return cycles * 1e-3, np.array([list(s.pos_cmd)[:6] for s in states])


def off_by(
    times: np.ndarray,
    positions: np.ndarray,
    follow: Callable[[np.ndarray], np.ndarray],
    duration: float,
) -> float:
    """How far `positions` are from `follow` at most, if they began at the best of all cycles."""

    def off(start: float) -> float:
        way = follow(np.clip(times - start, 0.0, duration))
        return float(np.abs(positions - way).max())

    changes = np.abs(np.diff(positions, axis=0)).max(axis=1)
    at_rest = np.flatnonzero(changes > 1e-9)[0]
    return min(off(times[at_rest] + cycle * 1e-3) for cycle in range(-20, 21))


def assert_followed(
    arm: Arm, message: JointTrajectory, follow: Callable[[np.ndarray], np.ndarray], within: float
) -> None:
    """A trajectory goes the way of `follow`."""
    duration = end_of(message)
    began = arm.client.clock.now()
    arm.send(message).succeeded()
    at, seen = commanded(arm, began)
    assert len(at) >= 200.0 * duration
    assert off_by(at, seen, follow, duration) < within


def end_of(message: JointTrajectory) -> float:
    """When a trajectory ends, s."""
    last = message.points[-1].time_from_start
    return float(last.sec + 1e-9 * last.nanosec)


def off_path(follow: Callable[[np.ndarray], np.ndarray], position: np.ndarray) -> float:
    """How far `position` is from where `follow` leads in 3 s, at the nearest of all times."""
    time, span = 1.5, 1.5
    for _ in range(4):
        near = np.clip(np.linspace(time - span, time + span, 3001), 0.0, 3.0)
        away = np.abs(follow(near) - position).max(axis=1)
        time, span = float(near[away.argmin()]), span / 100.0
    return float(away.min())


@pytest.mark.long
def test_200_points_are_followed_as_scipy_evaluates_them(arm: Arm) -> None:
    times = np.linspace(0.0, 4.0, 200)
    phases = np.arange(6)
    shape = np.sin(np.pi * times / 4.0)[:, np.newaxis] ** 2
    positions = shape * np.sin(2.0 * times[:, np.newaxis] + phases) * 0.5
    follow = interpolate.CubicSpline(times, positions, bc_type="clamped")

    assert_followed(arm, trajectory(times, positions), follow, within=1e-6)


@pytest.mark.long
def test_velocities_are_used(arm: Arm) -> None:
    times = np.array([0.0, 0.5, 1.0, 1.5])
    rng = np.random.default_rng(1)
    positions, velocities = rng.uniform(-0.3, 0.3, (2, 4, 6))
    positions[0] = velocities[0] = velocities[-1] = 0.0
    follow = interpolate.CubicHermiteSpline(times, positions, velocities)
    assert_followed(arm, trajectory(times, positions, velocities), follow, within=5e-6)


@pytest.mark.long
def test_accelerations_are_used(arm: Arm) -> None:
    times = np.array([0.0, 0.5, 1.0, 1.5])
    rng = np.random.default_rng(2)
    columns = rng.uniform(-0.3, 0.3, (3, 4, 6))
    columns[:, 0] = 0.0
    columns[1:, -1] = 0.0
    follow = interpolate.BPoly.from_derivatives(times, columns.transpose(1, 0, 2))
    assert_followed(arm, trajectory(times, *columns), follow, within=2e-6)


@pytest.mark.long
def test_columns_go_by_name(arm: Arm) -> None:
    order = [3, 0, 5, 1, 4, 2]
    target = [0.1 * (i + 1) for i in range(6)]
    arm.send(
        trajectory(
            (0.0, 0.5),
            ([0.0] * 6, [target[i] for i in order]),
            names=[NAMES[i] for i in order],
        )
    ).succeeded()
    assert arm.position() == pytest.approx(target)


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


@pytest.mark.long
def test_a_dwell_is_kept(arm: Arm) -> None:
    still = [0.2] * 6
    began = arm.client.clock.now()
    arm.send(trajectory((0.0, 0.5, 1.0, 1.5), ([0.0] * 6, still, still, [0.0] * 6))).succeeded()
    at, seen = commanded(arm, began)
    stands = at[np.abs(seen - 0.2).max(axis=1) < 1e-9]
    assert seen.max() < 0.2 + 1e-6
    assert abs(stands[-1] - stands[0] - 0.5) <= 0.03


@pytest.mark.long
def test_done_is_the_end_of_the_profile_and_at_rest(arm: Arm) -> None:
    sent = arm.send(arm.away(seconds=0.5))
    sent.succeeded()
    state = arm.state()
    assert max(map(abs, state.actual_velocity)) < 0.012
    assert arm.position() == pytest.approx([0.5] * 6)


# Tolerances


def off_the_path(sent: Sent, what: str, most: float) -> float:
    """How far `what` was off the path when that was noticed, of the words of the abort."""
    sent.aborted(Result.PATH_TOLERANCE_VIOLATED, what)
    words = sent.ended()[1].error_string
    told = re.search(rf"{what} is (\S+) off the path: must be within {most}", words)
    assert told, words
    assert float(told[1]) > most
    return float(told[1])


@pytest.mark.long
def test_path_tolerance(arm: Arm) -> None:
    sent = arm.send(arm.away(0.5, 1.0), path_tolerance=[tolerance("joint3", position=0.01)])
    assert off_the_path(sent, "position of joint3", 0.01) <= 0.02
    pause_until_rest(arm)
    assert arm.position()[0] < 0.4


def test_path_tolerance_of_velocity(arm: Arm) -> None:
    sent = arm.send(arm.away(0.5, 0.7), path_tolerance=[tolerance("joint2", velocity=0.02)])
    assert off_the_path(sent, "velocity of joint2", 0.02) <= 0.1


@pytest.mark.long
def test_goal_tolerance_and_its_time(arm: Arm) -> None:
    # 3e-10 of the way is left after 0.5 s at 40 1/s, and none after 2 s.
    tight = {"goal_tolerance": [tolerance("joint4", position=1e-12, velocity=-1.0)]}
    sent = arm.send(arm.away(0.5, 0.5), goal_time_tolerance=duration(0.2), **tight)
    sent.aborted(Result.GOAL_TOLERANCE_VIOLATED, "position of joint4 is ")
    assert "after the end" in sent.ended()[1].error_string
    arm.home()
    arm.send(arm.away(0.5, 0.5), goal_time_tolerance=duration(4.0), **tight).succeeded()


@pytest.mark.long
def test_goal_tolerance_of_velocity(arm: Arm) -> None:
    sent = arm.send(
        arm.away(0.5, 0.4),
        goal_tolerance=[tolerance(name, position=-1.0, velocity=1e-9) for name in NAMES],
        goal_time_tolerance=duration(0.05),
    )
    sent.aborted(Result.GOAL_TOLERANCE_VIOLATED, "velocity of joint1 is ")


# Cancel, preempt, start later


@pytest.mark.long
def test_cancel_slows_down_on_the_path_and_stands_when_it_says_so(arm: Arm) -> None:
    times = np.linspace(0.0, 3.0, 31)
    positions = np.array([[np.sin(2.0 * t + i) - np.sin(i) for i in range(6)] for t in times]) * 0.5
    velocities = np.array([[np.cos(2.0 * t + i) for i in range(6)] for t in times])
    ramp = np.minimum(1.0, times / 0.1)[:, np.newaxis]
    velocities[[0, -1]] = 0.0
    began = arm.client.clock.now()
    sent = arm.send(trajectory(times, positions, velocities * ramp))
    assert sent.accepted()
    arm.state(lambda s: max(map(abs, s.velocity_cmd)) > 0.5)
    arm.client.clock.sleep(0.4)
    assert sent.cancel().return_code == 0
    status, result = sent.ended()
    assert status == CANCELED
    assert result.error_string == "canceled"
    state = arm.state()
    assert not any(state.velocity_cmd)
    _, seen = commanded(arm, began)
    follow = interpolate.CubicHermiteSpline(times, positions, velocities * ramp)
    assert max(off_path(follow, here) for here in seen[-100::2]) < 1e-6


@pytest.mark.long
def test_a_second_goal_preempts_smoothly(arm: Arm) -> None:
    first = arm.moving()
    began = arm.client.clock.now()
    here = arm.position()
    second = arm.send(trajectory((1.0, 2.0), ([p + 0.3 for p in here], [0.0] * 6)))
    first.aborted(Result.INVALID_GOAL, "another trajectory has taken over")
    second.succeeded()
    assert arm.position() == pytest.approx([0.0] * 6, abs=1e-9)
    states = arm.client.states.since(began)
    velocities = np.array([list(s.velocity_cmd)[:6] for s in states])
    stamps = np.array([stamp_of(s) for s in states]) * 1e-9
    accelerations = np.diff(velocities, axis=0) / np.diff(stamps)[:, np.newaxis]
    assert np.abs(accelerations).max() <= 25.0


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


def test_a_goal_that_waits_can_be_canceled(arm: Arm) -> None:
    message = arm.away(0.3, 0.5)
    later = arm.client.clock.time_ns() + 30 * 10**9
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(later, 10**9)
    sent = arm.send(message)
    assert sent.accepted()
    sent.cancel()
    assert sent.ended(15.0)[0] == CANCELED  # which is before it would have begun


def test_rejections_say_why(arm: Arm) -> None:
    here = [0.0] * 6
    arm.rejected(trajectory((), ()), "0 points: must be 1 to 1000")
    arm.rejected(trajectory((0.0, 1.0), ([0.5] * 6, here)), "must be within 0.01 (start_tolerance)")
    arm.rejected(trajectory((0.0, 1.0), (here, [9.0] * 6)), "must stay within -6.28 to 6.28")
    arm.rejected(trajectory((0.0, 0.1), (here, [1.0] * 6)), "must be 3.1 or slower")
    arm.rejected(trajectory((0.0, 1.0), (here, here), names=NAMES[:5]), "lacks joint6")
    old = arm.away()
    old.header.stamp.sec = 1
    arm.rejected(old, "s in the past: must be 1 s or less")


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
