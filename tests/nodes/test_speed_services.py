"""The speed of the system over DDS: override, pause and resume, of an arm and of single axes."""

from collections.abc import Iterator

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import Arm, pause_until_rest, robot_arm
from control_msgs.msg import JointTrajectoryControllerState
from recording import Recording
from ros import READY_QOS
from wmx_ros2_message.msg import SystemSpeed
from wmx_ros2_message.srv import SetSpeed

SERVICE = "wmx/engine/set_speed"
PAUSE, RESUME, OVERRIDE = SetSpeed.Request.PAUSE, SetSpeed.Request.RESUME, SetSpeed.Request.OVERRIDE


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm() as arm:
        yield arm


@pytest.fixture(scope="module")
def published(arm: Arm) -> Recording:
    return arm.client.listen("wmx/engine/speed", SystemSpeed, READY_QOS)


@pytest.fixture(autouse=True)
def at_full_speed(arm: Arm) -> None:
    arm.client.call(SERVICE, action=RESUME)
    arm.client.must(SERVICE, action=OVERRIDE, percent=100)
    arm.home()


@pytest.mark.long
def test_a_goal_is_paused_and_goes_on_to_success(arm: Arm, published: Recording) -> None:
    sent = arm.moving(3.0)
    arm.client.clock.sleep(0.7)
    answer = arm.client.must(SERVICE, action=PAUSE)
    assert "all axes rest" in answer.message
    state = arm.state()
    assert not any(state.velocity_cmd)
    published.next(lambda speed: speed.paused)
    arm.client.clock.sleep(2.0)
    rests = arm.state()
    assert rests.pos_cmd == state.pos_cmd
    arm.rejected(arm.away(0.1), "the system is paused")
    assert "PAUSED" in {
        blocker.code for blocker in arm.client.must("wmx/axis/explain", index=[0]).blockers
    }
    answer = arm.client.must(SERVICE, action=RESUME)
    assert answer.message == "Resumed: axes [0, 1, 2, 3, 4, 5] go on at 100 % of their speed"
    sent.succeeded()
    published.next(lambda speed: not speed.paused)
    assert list(arm.state().pos_cmd)[:6] == pytest.approx([2.0] * 6, abs=1e-6)


@pytest.mark.long
def test_the_controller_state_has_the_speed_that_is_in_force(arm: Arm) -> None:
    states = arm.client.listen(
        "/follow_joint_trajectory_server/controller_state", JointTrajectoryControllerState, 1
    )
    if not hasattr(JointTrajectoryControllerState(), "speed_scaling_factor"):
        pytest.skip("this release has no speed_scaling_factor")
    arm.client.must(SERVICE, action=OVERRIDE, percent=40)
    states.next(lambda state: state.speed_scaling_factor == 0.4)
    sent = arm.moving(2.0)
    arm.client.clock.sleep(0.5)
    arm.client.must(SERVICE, action=PAUSE)
    states.next(lambda state: state.speed_scaling_factor == 0.0)
    arm.client.must(SERVICE, action=RESUME)
    states.next(lambda state: state.speed_scaling_factor == 0.4)
    sent.succeeded()
    pause_until_rest(arm)


@pytest.mark.parametrize(
    ("fields", "text", "code"),
    [
        ({"action": RESUME}, "Error=65577 (AxisNotPaused): the system is not paused", 65577),
        ({"action": OVERRIDE}, "percent is 0: must be 1 to 100; what is to stand is paused", 0),
        (
            {"action": OVERRIDE, "percent": 101},
            "percent is 101: must be 1 to 100; what is to stand is paused",
            0,
        ),
        ({"action": PAUSE, "percent": 5}, "percent is 5: must be 0 but with OVERRIDE", 0),
    ],
)
def test_what_is_refused_changes_nothing(
    arm: Arm, fields: dict[str, int], text: str, code: int
) -> None:
    answer = arm.client.call(SERVICE, **fields)
    assert (answer.success, answer.message, answer.code) == (False, text, code)
    assert not arm.client.call(SERVICE, action=RESUME).success, "it is not paused"
