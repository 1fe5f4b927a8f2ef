"""What ends a trajectory on its way: it is aborted within 100 ms, and says why."""

import re
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import ABORTED, Arm, Result, robot_arm, trajectory
from motion_events import EVENTS_QOS
from wmx_ros2_message.msg import EndMotion


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm() as arm:
        yield arm


@pytest.fixture(autouse=True)
def at_zero(arm: Arm) -> None:
    """Every test begins with the arm at zero."""
    arm.client.play("free_switch: {axis: 1, switch: positive}")
    arm.client.play("free_encoder: {axis: 1}")
    arm.emergency_stop(False)
    arm.home()


ENDS: dict[str, tuple[Callable[[Arm], object], str]] = {
    "limit switch": (
        lambda arm: arm.client.play("stick_switch: {axis: 1, switch: positive, state: true}"),
        "joint2 (axis 1) is at its positive limit",
    ),
    "emergency stop": (lambda arm: arm.emergency_stop(True), "emergency stop"),
}


@pytest.mark.parametrize("what", ENDS)
def test_what_ends_it_is_said_at_once(arm: Arm, what: str) -> None:
    act, words = ENDS[what]
    sent = arm.moving()
    began = arm.client.clock.now()
    act(arm)
    sent.aborted(Result.PATH_TOLERANCE_VIOLATED, words)
    assert sent.ended_at - began <= 0.1
    arm.system.says(f"Trajectory aborted: {sent.ended()[1].error_string}")
    if what == "emergency stop":
        arm.rejected(arm.away(), "emergency stop (level1) is in force")


@pytest.mark.long
def test_a_motor_that_stands_has_not_arrived(arm: Arm) -> None:
    """The action and the end of its motion say so, though the goal has no tolerances of its own."""
    ends = arm.client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)
    began = arm.client.clock.now()
    arm.client.play("freeze_encoder: {axis: 1}")
    sent = arm.send(trajectory((0.0, 1.0), ([0.0] * 6, [0.0, 0.1, 0.0, 0.0, 0.0, 0.0])))
    sent.aborted(Result.GOAL_TOLERANCE_VIOLATED, "position of joint2 is ")
    off = re.search(r"is (\S+) off its goal", sent.ended()[1].error_string)
    assert off
    assert float(off[1]) == pytest.approx(0.1, abs=1e-3)
    # Ends of the tests before come late, too: DDS keeps them.
    end = ends.first(began, lambda e: e.message == sent.ended()[1].error_string)
    assert end.reason == EndMotion.NOT_ARRIVED
    assert list(end.axes) == [0, 1, 2, 3, 4, 5]


@pytest.mark.long
def test_communication_ends(arm: Arm) -> None:
    sent = arm.moving()
    arm.client.must("wmx/engine/set_comm", data=False)
    status, result = sent.ended()
    assert status == ABORTED
    assert result.error_string
    arm.client.must("wmx/engine/set_comm", data=True)
    arm.system.ready()
    arm.client.must("wmx/axis/set_on", index=list(range(6)), data=[1] * 6)
    arm.accepts()
