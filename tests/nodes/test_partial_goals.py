"""Goals for some of the joints, and goals that begin at once: side by side, or one takes over."""

from collections.abc import Iterator, Sequence

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import NAMES, SUCCEEDED, Arm, Result, Sent, pause_until_rest, robot_arm, trajectory

pytestmark = pytest.mark.long

FIRST, SECOND = NAMES[:3], NAMES[3:]


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm("allow_partial_joints_goal:=true") as arm:
        yield arm


@pytest.fixture(autouse=True)
def at_zero(arm: Arm) -> None:
    arm.home()


def go(arm: Arm, names: Sequence[str], to: float, seconds: float) -> Sent:
    """Send some joints to a position, from wherever they are."""
    return arm.send(trajectory((seconds,), ([to] * len(names),), names=names))


def moves(arm: Arm, *axes: int) -> None:
    arm.state(lambda s: all(abs(s.velocity_cmd[axis]) > 0.2 for axis in axes))


def test_goals_without_a_common_joint_run_side_by_side_and_each_is_watched(arm: Arm) -> None:
    first = go(arm, FIRST, 1.0, 4.0)
    moves(arm, 0, 1, 2)
    second = go(arm, SECOND, -1.0, 4.0)
    moves(arm, 0, 3)
    arm.stop_axes([1])
    first.aborted(Result.PATH_TOLERANCE_VIOLATED, "was stopped")
    assert arm.active.latest(lambda m: m.data), "the second one still runs"
    second.succeeded()
    assert arm.position()[3:] == pytest.approx([-1.0] * 3)


def test_a_goal_for_all_joints_takes_over_from_both(arm: Arm) -> None:
    first = go(arm, FIRST, 1.0, 4.0)
    second = go(arm, SECOND, -1.0, 4.0)
    moves(arm, 0, 5)
    both = go(arm, NAMES, 0.0, 1.5)
    for sent in first, second:
        sent.aborted(Result.INVALID_GOAL, "another trajectory has taken over")
    both.succeeded()
    assert arm.position() == pytest.approx([0.0] * 6, abs=1e-9)


def test_of_two_goals_that_begin_at_once_the_later_one_wins(arm: Arm) -> None:
    for target in 0.3, -0.3, 0.3:
        soon = arm.client.clock.time_ns() + 500_000_000
        goals = []
        for to in 2.0 * target, target:
            message = trajectory((0.8,), ([to] * 6,))
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(soon, 10**9)
            goals.append(arm.send(message))
        earlier, later = goals
        later.succeeded()
        earlier.aborted(Result.INVALID_GOAL, "another trajectory has taken over")
        assert arm.position() == pytest.approx([target] * 6, abs=1e-9)


def test_a_goal_that_begins_leaves_a_later_one_waiting(arm: Arm) -> None:
    messages = [trajectory((0.4,), ([to] * 6,)) for to in (0.2, 0.4)]
    for message, delay in zip(messages, (0.3, 3.0), strict=True):
        at = arm.client.clock.time_ns() + round(delay * 1e9)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(at, 10**9)
    earlier, later = map(arm.send, messages)
    earlier.succeeded()
    later.succeeded()
    assert arm.position() == pytest.approx([0.4] * 6)


def test_goals_are_taken_in_the_order_in_which_they_came(arm: Arm) -> None:
    """Planning the first one takes far longer."""
    steps = range(1, 1000)
    many = trajectory(
        [0.002 * i for i in steps],
        [[1e-3 * i] * 6 for i in steps],
        [[0.5 if i < 999 else 0.0] * 6 for i in steps],
    )
    for _ in range(3):
        first, second = arm.send(many), go(arm, NAMES, 0.1, 0.5)
        second.succeeded()
        assert first.ended()[0] != SUCCEEDED
        pause_until_rest(arm)
        assert arm.position() == pytest.approx([0.1] * 6)
        arm.home()
