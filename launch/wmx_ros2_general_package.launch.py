"""The low-level system: engine, axes, I/O and EtherCAT, each node a process of its own.

ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py
ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py driver:=wmx3 namespace:=cell1
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "wmx_ros2_package"
NODES = "wmx_engine_node", "wmx_core_motion_node", "wmx_io_node", "wmx_ethercat_node"


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the four nodes."""
    arguments = [
        DeclareLaunchArgument(
            "driver",
            default_value=EnvironmentVariable("WMX_DRIVER", default_value="fake"),
            description="fake: simulated engine, no hardware moves; wmx3: real hardware",
        ),
        DeclareLaunchArgument(
            "namespace",
            default_value="",
            description="namespace of all nodes, topics and services",
        ),
        DeclareLaunchArgument(
            "params_file",
            default_value=PathJoinSubstitution(
                [FindPackageShare(PACKAGE), "config", "wmx_ros2.yaml"]
            ),
            description="parameters of all nodes; the arguments above win over it",
        ),
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            description="stamp messages with /clock instead of system time",
        ),
    ]
    nodes = [
        Node(
            package=PACKAGE,
            executable=name,
            name=name,
            namespace=LaunchConfiguration("namespace"),
            output="screen",
            parameters=[
                LaunchConfiguration("params_file"),
                {
                    "driver": LaunchConfiguration("driver"),
                    "use_sim_time": LaunchConfiguration("use_sim_time"),
                },
            ],
        )
        for name in NODES
    ]
    return LaunchDescription([*arguments, *nodes])
