"""Joint states over DDS: what they say, how often, and that servos are on."""

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import NAMES, Arm, robot_arm
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

GRIPPER = ["picker_1_joint", "picker_2_joint"]


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm(joint_feedback_rate=500) as arm:
        arm.joints.next()
        yield arm


def stamp(message: JointState) -> float:
    return message.header.stamp.sec + message.header.stamp.nanosec * 1e-9


def test_servos_are_on_at_the_start(arm: Arm) -> None:
    assert all(arm.state().servo_on)
    arm.system.says("wmx_parameters.xml are in force")
    arm.system.says("Servos of axes [0, 1, 2, 3, 4, 5] are on")


@pytest.mark.long
def test_names_and_numbers(arm: Arm) -> None:
    sent = arm.send(arm.away(0.5, 1.0))
    state = arm.joints.next(lambda s: s.velocity[0] > 0.3)
    assert list(state.name) == [*NAMES, *GRIPPER]
    assert len(state.position) == len(state.velocity) == len(state.effort) == 8
    assert 0.0 < state.position[0] < 0.5
    assert state.effort[0] != 0.0
    assert list(state.position[6:]) == [0.0, 0.0]
    sent.succeeded()
    nearest = min(arm.client.states.since(0.0), key=lambda s: abs(stamp(s) - stamp(state)))
    assert np.abs(np.subtract(state.position[:6], nearest.actual_pos)).max() <= 0.02
    arm.home()


@pytest.mark.long
def test_states_are_500_a_second_and_stamped_with_the_sample(arm: Arm) -> None:
    begin = arm.client.clock.now()
    arm.client.clock.sleep(2.0)
    stamps = np.array([stamp(s) for s in arm.joints.since(begin)])
    gaps = np.diff(stamps) * 1e3
    assert gaps == pytest.approx(2.0, abs=0.05)
    assert len(stamps) >= 999


def test_the_gripper_follows_its_output(arm: Arm) -> None:
    arm.client.must("wmx/io/set_output_bit", byte=0, bit=0, value=1)
    arm.joints.next(lambda s: list(s.position[6:]) == [0.045, 0.045])
    arm.client.must("wmx/io/set_output_bit", byte=0, bit=0, value=0)
    arm.joints.next(lambda s: list(s.position[6:]) == [0.0, 0.0])


def test_mirrors(arm: Arm) -> None:
    one = QoSProfile(depth=1)
    isaac = arm.client.listen("/isaacsim/joint_command", JointState, one).next()
    assert list(isaac.name) == [*NAMES, *GRIPPER]
    assert (isaac.header.stamp.sec, isaac.header.stamp.nanosec) == (0, 0)
    gazebo = arm.client.listen("/gazebo_position_controller/commands", Float64MultiArray, one)
    assert len(gazebo.next().data) == 8


def test_silent_while_the_engine_does_not_communicate(arm: Arm) -> None:
    arm.client.must("wmx/engine/set_comm", data=False)
    arm.client.clock.sleep(0.3)
    assert arm.joints.silent_for(0.5)
    arm.client.must("wmx/engine/set_comm", data=True)
    arm.joints.next()
    arm.system.says("servos of axes [0, 1, 2, 3, 4, 5] are left as they are")
    assert not any(arm.state().servo_on), "nobody has asked for it since they went off"
    arm.client.must("wmx/axis/set_on", index=list(range(6)), data=[1] * 6)
