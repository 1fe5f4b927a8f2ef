"""Launch files by the vendor's names, with configurations of the newest packages' form."""

import re
from pathlib import Path

import pytest
import system as systems
from builtin_interfaces.msg import Duration
from launches import interrupt, launched, needs_launch
from ros import Client, eventually
from system import CONFIG, Place
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = needs_launch

ARM = """
joint_state_broadcaster:
  ros__parameters:
    joint_feedback_rate: 100
    joint_axes: [1, 2, 3, 4, 5, 6]
    joint_name: [joint1, joint2, joint3, joint4, joint5, joint6]
    gripper_joint_name: [picker_1_joint, picker_2_joint]
    gripper_address: [0, 0]
    encoder_joint_topic: /joint_states
    gazebo_position_joint_topic: /gazebo_position_controller/commands
    gazebo_position_joint_axes: [1, 2, 3, 4, 5, 6]
joint_trajectory_controller:
  ros__parameters:
    joint_axes: [1, 2, 3, 4, 5, 6]
    joint_trajectory_action: /movensys_manipulator_arm_controller/follow_joint_trajectory
joint_position_controller:
  ros__parameters:
    joint_axes: [1, 2, 3, 4, 5, 6]
    joint_name: [joint1, joint2, joint3, joint4, joint5, joint6]
    joint_trajectory_topic: /movensys_manipulator_arm_controller/joint_trajectory
gripper_controller:
  ros__parameters:
    wmx_gripper_topic: /wmx/set_gripper
    gripper_address: [0, 0]
    pre_setup_io: true
wmx_engine_node:
  ros__parameters:
    core: -1
    affinity_mask: 0
wmx_core_motion_node:
  ros__parameters:
    axes_status_rate: 100
    jog_timeout_ms: 200.0
    motion_controllers: [joint_trajectory_controller]
wmx_lifecycle_manager_node:
  ros__parameters:
    managed_nodes: [wmx_core_motion_node, joint_trajectory_controller]
    discovery_period: 1.0
"""


def written(place: Place, text: str = ARM) -> str:
    path = Path(place.folder / "config.yaml")
    path.write_text(text)
    return f"config_file:={path}"


def parameters(place: Place) -> Path:
    """WMX parameters of the axes that ARM has: 1 to 6."""
    six = (CONFIG / "wmx_parameters_6_axes.xml").read_text()
    path = place.folder / "wmx_parameters.xml"
    path.write_text(re.sub(r'Axis="(\d)"', lambda axis: f'Axis="{int(axis[1]) + 1}"', six))
    return path


def hybrid_planning_moves_it(place: Place) -> None:
    """It sends windows of its path to this topic, which no file of its names."""
    client = Client(place.domain)
    topic = client.node.create_publisher(JointTrajectory, "/joint_trajectory", 10)
    window = JointTrajectory()
    window.joint_names = [f"joint{i}" for i in range(1, 7)]
    window.points = [
        JointTrajectoryPoint(positions=[0.1] * 6, time_from_start=Duration(sec=1)),
    ]

    def moves() -> bool:
        topic.publish(window)
        return bool(client.state().velocity_cmd[1] > 0.0)

    eventually(moves, "the arm moves")
    client.close()


def test_an_arm_of_the_newest_form_comes_up_with_the_machine_that_it_names() -> None:
    with systems.place() as place:
        file = parameters(place)
        arguments = written(place), f"wmx_param_file:={file}", "use_gripper:=true"
        with launched(place, "wmx_r2_manipulator", *arguments) as launch:
            launch.says(f"In force before: WMX parameters of {file}")  # by the machine file
            launch.says("joint6: axis 6, in rad")
            launch.says("pre_setup_io: the gripper has power, input 0.1 is on")
            launch.says("Servos of axes [1, 2, 3, 4, 5, 6] are on")
            launch.says("motion_controllers has no effect")
            launch.says("joint_name is ['joint1', 'joint2', 'joint3'")
            hybrid_planning_moves_it(place)
            interrupt(launch, 20.0)


def test_sections_by_plain_names_are_none_of_nodes_in_a_namespace() -> None:
    with systems.place() as place:
        text = "wmx_io_node: {ros__parameters: {autostart: true}}"
        own = Path(place.folder / "own.launch.py")
        own.write_text(PUSHED.format(file=systems.CONFIG.parent / "launch" / "arm.launch.py"))
        path = written(place, text).partition(":=")[2]
        for name in ("arm", str(own).removesuffix(".launch.py")):
            arguments = "namespace:=cell1", f"params_file:={path}"
            with launched(place, name, *arguments) as launch:
                assert launch.wait(30.0) == 1, launch.output
                above = "/cell1" if name == "arm" else "/hall/cell1"
                assert f"write {above}/wmx_io_node or /**/wmx_io_node" in launch.output
                assert "process started" not in launch.output


PUSHED = """
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch_ros.actions import PushRosNamespace

def generate_launch_description():
    return LaunchDescription([PushRosNamespace("hall"), IncludeLaunchDescription("{file}")])
"""
OWN = """
from pathlib import Path
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch_ros.actions import LifecycleNode, Node

NODES = "joint_state_broadcaster", "joint_trajectory_controller", "gripper_controller"

def generate_launch_description():
    given = {{"config_file": "{config}", "wmx_param_file": "{xml}"}}
    return LaunchDescription([
        IncludeLaunchDescription("{general}", launch_arguments=given.items()),
        *(LifecycleNode(package="wmx_ros2_package", executable=name, name=name, namespace="",
                        parameters=["{config}"], output="screen") for name in NODES),
        Node(package="wmx_ros2_package", executable="axis_reference_node", output="screen"),
    ])
"""


def test_nodes_of_a_clients_own_launch_file_are_on_the_engine_of_ours() -> None:
    with systems.place() as place:
        config = written(place).partition(":=")[2]
        general = systems.CONFIG.parent / "launch" / "wmx_r2_general_nodes.launch.py"
        own = Path(place.folder / "own.launch.py")
        own.write_text(OWN.format(config=config, xml=parameters(place), general=general))
        with launched(place, str(own).removesuffix(".launch.py")) as launch:
            launch.says("axis_reference_node: wmx_core_motion_node offers wmx/axis/reference")
            launch.says("joint6: axis 6, in rad")
            launch.says("pre_setup_io: the gripper has power, input 0.1 is on")
            launch.says("Servos of axes [1, 2, 3, 4, 5, 6] are on")
            interrupt(launch, 20.0)


def test_every_launch_file_of_a_robot_has_the_switches_of_the_newest() -> None:
    arguments = "auto_servo_on:=false", "use_gripper:=false"
    with (
        systems.place() as place,
        launched(place, "wmx_ros2_cr3a_manipulator", *arguments) as launch,
    ):
        launch.says("section /**/gripper_controller: configures no node that is started here")
        launch.says("manipulator_state is ready")
        client = Client(place.domain)
        assert not any(client.state().servo_on)
        client.close()
        assert "[gripper_controller]" not in launch.output
        interrupt(launch, 20.0)


def test_a_configuration_says_whether_servos_go_on() -> None:
    text = ARM.replace(
        "    joint_feedback_rate", "    auto_servo_on: false\n    joint_feedback_rate"
    )
    with systems.place() as place:
        arguments = written(place, text), f"wmx_param_file:={parameters(place)}"
        with launched(place, "wmx_r2_manipulator", *arguments) as launch:
            launch.says("joint_state_broadcaster is ready")
            client = Client(place.domain)
            assert not any(client.state().servo_on)
            client.close()
            interrupt(launch, 20.0)


@pytest.mark.parametrize(
    ("file", "arguments", "text"),
    [
        ("arm", ["parms_file:=x"], "arm.launch.py has no argument parms_file: is params_file"),
        ("robot", ["robot:=nonsense"], "robot is 'nonsense': must be one of arm, base"),
        ("wmx_r2_cartesian", ["auto_home:=true"], "auto_home is 'true': homing would"),
        ("wmx_r2_general_nodes", ["robot_param_file:=r.xml"], "the robot option of the engine"),
        ("wmx_ros2_cr3a_manipulator", ["use_api_buffer:=true"], "no API buffer is used here"),
        ("wmx_ros2_cr3a_manipulator", ["robot_state_publisher:=true"], "it is not installed"),
    ],
)
def test_a_wrong_argument_starts_nothing(file: str, arguments: list[str], text: str) -> None:
    refused(file, arguments, text)


def test_a_wrong_configuration_starts_nothing() -> None:
    with systems.place() as place:
        configuration = written(place, ARM.replace("joint_axes", "joint_axis", 1))
        text = "section /joint_state_broadcaster: there is no parameter"
        refused("wmx_r2_manipulator", [configuration], text)


def refused(file: str, arguments: list[str], text: str) -> None:
    with systems.place() as place, launched(place, file, *arguments) as launch:
        assert launch.wait(30.0) == 1, launch.output
        assert text in launch.output
        assert "process started" not in launch.output


def test_a_launch_file_of_the_vendors_name_comes_up() -> None:
    file = "wmx_r2_cartesian"
    with systems.place() as place, launched(place, file, "use_sim_time:=false") as launch:
        launch.says("[joint_trajectory_controller]: joint_trajectory_controller is ready")
        interrupt(launch, 20.0)
        assert "Traceback" not in launch.output, launch.output
