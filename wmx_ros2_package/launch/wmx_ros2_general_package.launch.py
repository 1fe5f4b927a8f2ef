"""The low-level system: engine, axes, I/O and EtherCAT, each node a process of its own.

ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py
ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py driver:=wmx3 namespace:=cell1

It ends, and not with 0, when a node refuses to start.
"""

from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "wmx_ros2_package"
NODES = "wmx_engine_node", "wmx_core_motion_node", "wmx_io_node", "wmx_ethercat_node"
REFUSED = 1
"""The exit code of a node that refuses to start."""


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
        DeclareLaunchArgument(
            "autostart",
            default_value="true",
            description="false leaves the nodes unconfigured, for a lifecycle manager",
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
                    "autostart": LaunchConfiguration("autostart"),
                },
            ],
        )
        for name in NODES
    ]
    return LaunchDescription(
        [
            *arguments,
            OpaqueFunction(function=_check_arguments),
            RegisterEventHandler(OnProcessExit(on_exit=_end_if_refused)),
            *nodes,
        ]
    )


def _check_arguments(context: LaunchContext) -> None:
    """Launch itself lets nodes start with their defaults when there is no such file."""
    path = LaunchConfiguration("params_file").perform(context)
    if not Path(path).is_file():
        raise RuntimeError(f"params_file is {path!r}: there is no such file")


def _end_if_refused(event: ProcessExited, context: LaunchContext) -> None:
    """An error is the only way to make launch end with another code than 0."""
    if event.returncode == REFUSED and not context.is_shutdown:
        raise RuntimeError(f"{event.process_name} refused to start, as it says above")
