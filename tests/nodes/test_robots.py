"""Robots that start by one name: their joints, which are actuators, and mirrors."""

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from actuator_client import Actuators
from arms import Arm, trajectory
from held_system import held_system
from motion_events import near
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from wmx_ros2_message.msg import ActuatorCommand, EndMotion


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


@pytest.mark.long
def test_a_joint_is_an_actuator_of_its_name_within_its_limits() -> None:
    joint, axis, target, limit = "joint3", 2, 0.5, 2.7
    with (
        systems.place() as place,
        held_system(place, options=("--robot", "arm")) as system,
    ):
        client = system.client
        client.states.next(lambda s: s.servo_on[axis])
        actuators = Actuators(client)
        id = actuators.accepted(joint, ActuatorCommand.POSITION, target)
        end = actuators.end_of(id)
        assert (end.reason, list(end.names), list(end.axes)) == (EndMotion.ARRIVED, [joint], [axis])
        assert client.states.next().pos_cmd[axis] == target
        refusal = actuators.refused(joint, ActuatorCommand.POSITION, limit + 0.01)
        assert f"value of {joint!r} is {limit + 0.01}: must be" in refusal
        id = actuators.accepted(joint, ActuatorCommand.VELOCITY, 3.1, acceleration=30.0)
        end = actuators.end_of(id)
        assert (end.reason, list(end.final_position)) == (EndMotion.LIMIT, [near(limit)])
