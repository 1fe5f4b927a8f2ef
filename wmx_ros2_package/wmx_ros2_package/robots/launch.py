"""What the launch files of robots have in common."""

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PythonExpression
from launch_ros.actions import Node

from ..drivers.values import DEFAULT_DEVICE_PATH
from .catalogue import ROBOTS, Robot

PACKAGE = "wmx_ros2_package"


def robot_launch(name: str) -> LaunchDescription:
    """Arguments, then the nodes of the robot `name`, each a process of its own.

    robot_state_publisher shows it as well where that is installed.
    """
    robot = ROBOTS[name]
    nodes = [
        Node(
            package=PACKAGE,
            executable=program.executable,
            name=program.executable,
            namespace=LaunchConfiguration("namespace"),
            output="screen",
            parameters=[
                LaunchConfiguration("params_file"),
                {
                    "driver": LaunchConfiguration("driver"),
                    "device_path": LaunchConfiguration("device_path"),
                    "wmx_param_file_path": LaunchConfiguration("wmx_param_file_path"),
                    "use_sim_time": LaunchConfiguration("use_sim_time"),
                },
            ],
        )
        for program in robot.programs
    ]
    return LaunchDescription([*_arguments(robot), *nodes, *_state_publisher(robot)])


def _arguments(robot: Robot) -> list[DeclareLaunchArgument]:
    simulated_or_not = PythonExpression(
        [
            f"{DEFAULT_DEVICE_PATH!r} if '",
            LaunchConfiguration("driver"),
            f"' == 'wmx3' else {str(robot.machine)!r}",
        ]
    )
    return [
        DeclareLaunchArgument(
            "driver",
            default_value=EnvironmentVariable("WMX_DRIVER", default_value="fake"),
            description="fake: simulated engine, no hardware moves; wmx3: real hardware",
        ),
        DeclareLaunchArgument(
            "device_path",
            default_value=simulated_or_not,
            description="where the SDK stands, or the machine file of the simulated engine",
        ),
        DeclareLaunchArgument(
            "wmx_param_file_path",
            default_value=str(robot.wmx_parameters),
            description="WMX parameter file that is loaded at the start",
        ),
        DeclareLaunchArgument(
            "params_file",
            default_value=str(robot.parameters),
            description="parameters of all nodes; the other arguments win over it",
        ),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of all nodes"),
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            description="stamp messages with /clock instead of system time",
        ),
    ]


def _state_publisher(robot: Robot) -> list[Node]:
    try:
        get_package_prefix("robot_state_publisher")
    except PackageNotFoundError:
        return []
    return [
        Node(
            package="robot_state_publisher",
            executable="robot_state_publisher",
            namespace=LaunchConfiguration("namespace"),
            output="screen",
            parameters=[
                {
                    "robot_description": robot.urdf.read_text(),
                    "use_sim_time": LaunchConfiguration("use_sim_time"),
                }
            ],
        )
    ]
