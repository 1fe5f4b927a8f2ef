"""Streams of positions over DDS, as MoveIt Servo sends them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import NAMES, Arm, pause_until_rest, robot_arm, trajectory
from recording import stamp_of

from wmx_ros2_package.control.leases import SUSPENSION as LATE

PERIOD = 0.02
"""Between two messages, s: 50 Hz."""
QUICK = 0.1
"""A move that is over before the node takes one message for a stream that has stopped, s."""


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm("rate:=100") as arm:
        arm.client.clock.sleep(
            LATE
        )  # streams that were there before the node has attached have to pause
        yield arm


@pytest.fixture(autouse=True)
def at_zero(arm: Arm) -> None:
    arm.home()


def point(positions: list[float], seconds: float = PERIOD, names: list[str] = NAMES) -> object:
    return trajectory((seconds,), (positions,), names=names)


def stream(arm: Arm, velocities: list[float], seconds: float) -> None:
    """Send positions that move at these velocities."""
    begin = arm.client.clock.now()
    for i in range(round(seconds / PERIOD)):
        arm.client.clock.sleep(max(0.0, begin + i * PERIOD - arm.client.clock.now()))
        arm.stream.publish(point([v * (i + 1) * PERIOD for v in velocities]))


def arrives(arm: Arm, positions: list[float], names: list[str] = NAMES) -> None:
    """One message leads there."""
    arm.stream.publish(point(positions, QUICK, names))
    arm.at_rest_at([positions[names.index(name)] for name in NAMES], timeout=2.0)


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


@pytest.mark.long
def test_a_planned_trajectory_is_left_alone(arm: Arm) -> None:
    sent = arm.send(arm.away(1.0, 3.0))
    assert sent.accepted()
    arm.state(lambda s: s.velocity_cmd[0] > 0.3)
    stream(arm, [-1.0] * 6, 0.5)
    sent.succeeded()
    assert arm.position() == pytest.approx([1.0] * 6)
    pause_until_rest(arm)


@pytest.mark.long
@pytest.mark.parametrize("verb", ["stop", "emergency stop"])
def test_what_was_stopped_stays_stopped_while_the_stream_goes_on(arm: Arm, verb: str) -> None:
    with ThreadPoolExecutor() as other:
        streaming = other.submit(stream, arm, [0.5] * 6, 2.5)
        arm.state(lambda s: s.velocity_cmd[0] > 0.4)
        if verb == "stop":
            assert arm.stop_axes([2]).success
        else:
            arm.emergency_stop(True)
            arm.emergency_stop(False)
        arm.at_rest()
        since = arm.client.clock.now()
        arm.client.clock.result(streaming, None)
        arm.state()
    stood = [not any(s.velocity_cmd) for s in arm.client.states.since(since)]
    arm.client.clock.sleep(0.3)
    assert len(stood) > 100
    assert all(stood)
    arrives(arm, [p + 0.05 for p in arm.position()])


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (trajectory((), ()), "points is empty"),
        (point([0.0] * 5, names=NAMES[:5]), "must name each of joint1"),
        (point([0.0] * 5), "positions of the last point has 5 elements: must have 6"),
        (point([float("nan")] * 6), f"position of {', '.join(NAMES)} is nan: must be finite"),
    ],
)
def test_what_is_wrong_is_said_and_moves_nothing(arm: Arm, message: object, text: str) -> None:
    arm.client.clock.sleep(1.1)  # the log says one error a second
    arm.stream.publish(message)
    arm.system.says(text)
    assert arm.position() == pytest.approx([0.0] * 6)
