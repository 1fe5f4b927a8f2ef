"""Windows of a stream replace each other in motion, and a goal of the action ends at rest."""

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import Arm, robot_arm, trajectory
from trajectory_msgs.msg import JointTrajectory

SPEED = 0.3


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm() as arm:
        arm.client.clock.sleep(0.3)  # what streams has to pause once its node has attached
        yield arm


@pytest.fixture(autouse=True)
def at_zero(arm: Arm) -> None:
    arm.home()


def test_the_log_says_of_each_joint_where_it_is(arm: Arm) -> None:
    arm.system.says("joint1: axis 0, in rad, -6.28 to 6.28, stands at 0")
    arm.system.says("joint6: axis 5, in rad, -6.28 to 6.28, stands at 0")


def window(begin: float, span: float = 0.6) -> JointTrajectory:
    """From where joint 1 is `begin` s after it began to move, for `span` s, and on in motion."""
    at = np.linspace(begin, begin + span, 7)
    positions, velocities = np.zeros((7, 6)), np.zeros((7, 6))
    ramp = 0.5
    positions[:, 0] = SPEED * np.where(at < ramp, at**2 / (2.0 * ramp), at - ramp / 2.0)
    velocities[:, 0] = SPEED * np.minimum(at / ramp, 1.0)
    return trajectory(at - begin, positions, velocities)


def slowest_between(arm: Arm, windows: list[JointTrajectory]) -> tuple[float, float]:
    """How much slower the joint gets between windows that come every 0.1 s, and where it rests.

    The first is a share of `SPEED`, over what was seen from reaching that speed to leaving it.
    """
    began = arm.client.clock.now()
    for i, message in enumerate(windows):
        arm.topic.publish(message)
        arm.client.clock.sleep(max(0.0, began + 0.1 * (i + 1) - arm.client.clock.now()))
    arm.at_rest()
    velocities = np.array([state.velocity_cmd[0] for state in arm.client.states.since(began)])
    moving = np.flatnonzero(velocities > 0.9 * SPEED)
    between = velocities[moving[0] : moving[-1] + 1]
    return 1.0 - float(between.min()) / SPEED, arm.position()[0]


@pytest.mark.long
def test_windows_replace_each_other_and_the_last_one_rests_on_its_path(arm: Arm) -> None:
    share, rests_at = slowest_between(arm, [window(0.1 * i) for i in range(15)])
    assert rests_at == pytest.approx(window(1.4).points[-1].positions[0], abs=1e-6)
    assert share <= 0.5


@pytest.mark.long
def test_a_stream_that_was_stopped_has_to_pause(arm: Arm) -> None:
    def send(first: int, last: int) -> None:
        for i in range(first, last):
            message = window(0.1 * i, 0.1)
            del message.points[:-1]
            arm.topic.publish(message)
            arm.client.clock.sleep(0.1)

    send(0, 8)
    arm.state(lambda s: s.velocity_cmd[0] > 0.5 * SPEED)
    assert arm.stop_axes([2]).success
    since = arm.client.clock.now()
    send(8, 14)
    arm.at_rest()
    place = arm.position()
    moved = [s.velocity_cmd[0] for s in arm.client.states.since(since + 0.4)]
    assert not any(moved)
    arm.client.clock.sleep(0.3)
    arm.topic.publish(trajectory((1.0,), ([p + 0.1 for p in place],)))
    arm.at_rest_at([p + 0.1 for p in place])


def test_a_goal_of_the_action_has_to_end_at_rest(arm: Arm) -> None:
    arm.rejected(window(0.0), "or set allow_nonzero_velocity_at_trajectory_end")
