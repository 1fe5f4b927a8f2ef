"""Parameter files of the C++ packages work unchanged: their names, wildcards and topics."""

from collections.abc import Iterator

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from arms import NAMES, Arm
from held_system import held_system
from ros import WAIT_TIMEOUT
from std_srvs.srv import SetBool
from system import CONFIG

EXISTING = """
manipulator_state:
  ros__parameters:
    joint_number: 6
    joint_feedback_rate: 500
    gripper_open_value: 0.00
    gripper_close_value: 0.045
    joint_name: ["joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "picker_1_joint",
                 "picker_2_joint"]
    encoder_joint_topic: /joint_states
    isaacsim_joint_topic: /isaacsim/joint_command
    gazebo_joint_topic: /gazebo_position_controller/commands
    wmx_param_file_path: {parameters}

follow_joint_trajectory_server:
  ros__parameters:
    joint_number: 6
    wmx_gripper_topic: /wmx/set_gripper
    joint_trajectory_action: /movensys_manipulator_arm_controller/follow_joint_trajectory

joint_position_controller:
  ros__parameters:
    joint_axes: [0, 1, 2, 3, 4, 5]
    joint_trajectory_topic: /movensys_manipulator_arm_controller/joint_trajectory
    accel_ratio: 0.3
    default_velocity: 0.5
    min_step: 0.001
"""
PROGRAMS = (
    "bringup",
    "manipulator_state",
    "follow_joint_trajectory_server",
    "joint_position_controller",
)


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with systems.place() as place:
        file = place.folder / "existing.yaml"
        file.write_text(EXISTING.format(parameters=CONFIG / "robots/arm/wmx_parameters.xml"))
        # Topics that trajectories end on are relative unless a file says otherwise.
        ros = "--params-file", str(file)
        with held_system(place, executables=PROGRAMS, ros=ros) as system:
            yield Arm(system)


def test_the_arm_moves(arm: Arm) -> None:
    state = arm.joints.next()
    assert list(state.name) == [*NAMES, "picker_1_joint", "picker_2_joint"]
    arm.system.says("Servos of axes [0, 1, 2, 3, 4, 5] are on")
    arm.accepts()
    arm.send(arm.away(0.2, 0.5)).succeeded()
    assert arm.position() == pytest.approx([0.2] * 6)


def test_the_server_of_trajectories_has_the_gripper(arm: Arm) -> None:
    """As it had before the gripper got a node of its own, which an older launch file starts not."""
    client = arm.system.client
    service = client.node.create_client(SetBool, "/wmx/set_gripper")
    assert service.wait_for_service(WAIT_TIMEOUT)

    def is_set(closed: bool) -> bool:
        return bool(
            client.answer(service.call_async(SetBool.Request(data=closed))).result().success
        )

    for closed in True, False:
        # Until the server has attached, the answer is that the engine is not ready.
        client.eventually(lambda closed=closed: is_set(closed), "the gripper is set")
        assert client.must("wmx/io/get_output_bit", byte=0, bit=0).value == closed
