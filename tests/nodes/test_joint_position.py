"""Streams of positions over DDS, as MoveIt Servo sends them."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from arms import NAMES, Arm, pause_until_rest, robot_arm, trajectory
from recording import stamp_of
from wmx_ros2_message.msg import AxisState

from wmx_ros2_package.control.leases import SUSPENSION as LATE

PERIOD = 0.02
"""Between two messages, s: 50 Hz."""
MOST_LATE = 0.004
"""A stream whose messages leave later than this, s, is no test of the node."""
QUICK = 0.1
"""A move that is over before the node takes one message for a stream that has stopped, s."""
STALL = 0.1
"""A machine that keeps a stream or the node waiting so long makes pauses of its own, s."""


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm("rate:=500") as arm:
        systems.pause(LATE)  # streams that were there before the node has attached have to pause
        yield arm


@pytest.fixture(autouse=True)
def at_zero(arm: Arm) -> None:
    arm.home()


def point(positions: list[float], seconds: float = PERIOD, names: list[str] = NAMES) -> object:
    return trajectory((seconds,), (positions,), names=names)


def stream(arm: Arm, velocities: list[float], seconds: float, held: float = 0.0) -> float:
    """Send positions that move at these velocities, and the last one for `held` seconds.

    Answers how late a message was at most, s.
    """
    begin = time.monotonic()
    late = 0.0
    last = round(seconds / PERIOD)
    for i in range(last + round(held / PERIOD)):
        due = begin + i * PERIOD
        time.sleep(max(0.0, due - time.monotonic()))
        late = max(late, time.monotonic() - due)
        arm.stream.publish(point([v * min(i + 1, last) * PERIOD for v in velocities]))
    return late


def arrives(arm: Arm, positions: list[float], names: list[str] = NAMES) -> None:
    """One message leads there; again if the machine held the node up until its stream was over."""
    target = [positions[names.index(name)] for name in NAMES]
    for _ in range(5):
        arm.stream.publish(point(positions, QUICK, names))
        with suppress(AssertionError):
            arm.at_rest_at(target, timeout=2.0)
            return
    raise AssertionError(f"it stays at {arm.position()} instead of {target}")


def commanded_velocities(arm: Arm, velocities: list[float]) -> tuple[np.ndarray, float]:
    """Those in the middle of a stream (samples, joints), and how uneven the stream was (s)."""
    begin = arm.client.node.get_clock().now().nanoseconds
    since = time.monotonic()
    late = stream(arm, velocities, 3.0)
    arm.at_rest()

    def at(state: AxisState) -> float:
        return (state.header.stamp.sec * 10**9 + state.header.stamp.nanosec - begin) * 1e-9

    seen = [list(s.velocity_cmd)[:6] for s in arm.client.states.since(since) if 1.0 < at(s) < 2.9]
    return np.array(seen), late


def test_a_steady_stream_moves_the_axes_at_one_velocity(arm: Arm) -> None:
    velocities = [0.5, -0.4, 0.3, -0.2, 0.1, 0.6]
    # A busy machine delays messages by more than the node can make up for; what it makes of
    # delays is tested cycle by cycle in tests/unit. So the best of a few even streams counts.
    seen = {}
    for _ in range(6):
        steady, late = commanded_velocities(arm, velocities)
        assert len(steady) > 100
        spread = ((steady.max(axis=0) - steady.min(axis=0)) / np.abs(velocities)).max()
        off = np.abs(steady.mean(axis=0) / velocities - 1.0).max()
        seen[late] = float(spread), float(off)
        if spread < 0.05 and off < 0.01:
            return
        arm.home()
    if min(seen) > MOST_LATE:
        pytest.skip("this machine is too busy to send 50 messages a second evenly")
    raise AssertionError(f"by lateness of the stream (s), spread and error of the velocity: {seen}")


def test_the_arm_ends_where_the_stream_holds_still(arm: Arm) -> None:
    stream(arm, [0.5, 0.0, 0.0, 0.0, 0.0, -0.5], 0.5, held=0.5)
    arm.at_rest()
    assert arm.position() == pytest.approx([0.25, 0.0, 0.0, 0.0, 0.0, -0.25], abs=1e-9)


def test_a_stream_that_breaks_off_stops_the_arm_along_its_path(arm: Arm) -> None:
    """By what it does in the time that bridges a late message, and in half of that to stop."""
    for _ in range(5):
        late = stream(arm, [0.5, 0.0, 0.0, 0.0, 0.0, -0.5], 0.5)
        arm.at_rest()
        place = arm.position()
        if late < MOST_LATE:
            break
        arm.home()
    else:
        pytest.skip("this machine is too busy to send 50 messages a second evenly")
    assert 0.25 < place[0] < 0.25 + 0.5 * (0.03 + 0.1 / 2.0) + 0.02
    assert place[1:5] == pytest.approx([0.0] * 4, abs=1e-9)
    assert place[5] == pytest.approx(-place[0], abs=1e-3)


def test_names_decide(arm: Arm) -> None:
    arrives(arm, [0.06, 0.05, 0.04, 0.03, 0.02, 0.01], NAMES[::-1])
    assert arm.position() == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])


def test_the_arm_stops_when_the_stream_stops(arm: Arm) -> None:
    arm.stream.publish(point([2.0] * 6, 4.0))
    moving = arm.state(lambda s: s.velocity_cmd[0] > 0.03)
    rest = arm.state(lambda s: s.velocity_cmd[0] == 0.0)
    assert stamp_of(rest) - stamp_of(moving) < 2.5e9  # 4 s are not over; slowing down takes a while
    arm.at_rest()
    assert 0.01 < arm.position()[0] < 1.0
    arm.system.says("The stream has stopped")


def test_small_steps_are_left_alone(arm: Arm) -> None:
    """Of one stream: where a busy machine lets it end before the step, that begins another."""
    for _ in range(5):
        ends = arm.system.output.count("The stream has stopped")
        arrives(arm, [0.1] * 6)
        arm.stream.publish(point([0.1009] * 6, QUICK))
        systems.pause(0.15)
        position = arm.position()
        if arm.system.output.count("The stream has stopped") == ends:
            assert position == pytest.approx([0.1] * 6, abs=1e-9)
            return
    raise AssertionError("the stream ends before the step every time")


def test_a_planned_trajectory_is_left_alone(arm: Arm) -> None:
    sent = arm.send(arm.away(1.0, 3.0))
    assert sent.accepted()
    arm.state(lambda s: s.velocity_cmd[0] > 0.3)
    stream(arm, [-1.0] * 6, 0.5)
    sent.succeeded()
    assert arm.position() == pytest.approx([1.0] * 6)
    pause_until_rest(arm)


@pytest.mark.parametrize("verb", ["stop", "emergency stop"])
def test_what_was_stopped_stays_stopped_while_the_stream_goes_on(arm: Arm, verb: str) -> None:
    for _ in range(5):
        with ThreadPoolExecutor() as other:
            streaming = other.submit(stream, arm, [0.5] * 6, 2.5)
            arm.state(lambda s: s.velocity_cmd[0] > 0.4)
            if verb == "stop":
                assert arm.stop_axes([2]).success
            else:
                arm.emergency_stop(True)
                arm.emergency_stop(False)
            arm.at_rest()
            since = time.monotonic()
            late = streaming.result()
            arm.state()
        stood = [not any(s.velocity_cmd) for s in arm.client.states.since(since)]
        stall = max(late, arm.client.states.longest_gap(since))
        systems.pause(0.3)
        if stall < STALL:  # else the node took it for a pause
            break
        arm.home()
    else:
        pytest.skip("this machine is too busy to keep a stream up")
    assert len(stood) > 100
    assert all(stood)
    arrives(arm, [p + 0.05 for p in arm.position()])


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (trajectory((), ()), "points is empty"),
        (point([0.0] * 5, names=NAMES[:5]), "must name each of joint1"),
        (point([0.0] * 5), "positions of the last point has 5 elements: must have 6"),
        (point([float("nan")] * 6), "position of joint1 is nan: must be finite"),
    ],
)
def test_what_is_wrong_is_said_and_moves_nothing(arm: Arm, message: object, text: str) -> None:
    systems.pause(1.1)  # the log says one error a second
    arm.stream.publish(message)
    arm.system.says(text)
    assert arm.position() == pytest.approx([0.0] * 6)
