"""Robots that start by one name: their joints, mirrors and servos."""

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from arms import Arm, trajectory
from held_system import held_system, refusal
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray


@pytest.mark.long
def test_columns_of_a_gantry_go_by_name_and_one_may_be_left_out() -> None:
    # The order that Pilz's planners emit, which is not that of the axes.
    names = ["axis_z", "axis_x", "axis_y"]
    with (
        systems.place() as place,
        held_system(place, options=("--robot", "gantry")) as system,
    ):
        gantry = Arm(system, "/movensys_cartesian_controller/follow_joint_trajectory", names)
        gantry.accepts()
        way = trajectory((0.0, 1.0), ([0.0] * 3, [0.05, 0.01, -0.02]), names=names)
        gantry.send(way).succeeded()
        assert list(gantry.state().pos_cmd) == pytest.approx([0.01, -0.02, 0.05, 0.0])


@pytest.mark.long
@pytest.mark.parametrize(
    ("robot", "names"),
    [
        ("diffbot", ["drivewheel_left_joint", "drivewheel_right_joint"]),
        ("base", ["left_wheel_joint", "right_wheel_joint"]),
    ],
)
def test_the_wheels_of_a_base_are_joints_with_mirrors(robot: str, names: list[str]) -> None:
    with (
        systems.place() as place,
        held_system(place, options=("--robot", robot)) as system,
    ):
        client = system.client
        isaac = client.listen("/isaacsim/joint_command", JointState, 10)
        gazebo = client.listen("/velocity_controller/commands", Float64MultiArray, 10)
        states = client.listen("/joint_states", JointState, 10)
        assert list(states.next().name) == names
        mirrored = isaac.next()
        assert (list(mirrored.name), mirrored.header.stamp.sec) == (names, 0)
        assert list(gazebo.next().data) == pytest.approx([0.0, 0.0], abs=1e-3)


def test_a_robot_without_its_parameter_file_does_not_start() -> None:
    with systems.place() as place:
        reason = refusal(place, "manipulator_state", "wmx_param_file_path:=/no/such.xml")
    assert reason == "Error=1562 (FileOperationFailed): '/no/such.xml': No such file or directory"
