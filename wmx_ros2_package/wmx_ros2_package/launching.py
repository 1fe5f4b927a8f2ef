"""What the launch files have in common: arguments, a process for each node, when to end."""

from collections.abc import Sequence
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, SomeSubstitutionsType
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import EnvironmentVariable, LaunchConfiguration
from launch_ros.actions import Node

from .drivers.values import DEFAULT_DEVICE_PATH
from .robots.catalogue import CONFIG, LOW_LEVEL, ROBOTS, Program, Robot

PACKAGE = "wmx_ros2_package"
REFUSED = 1
"""The exit code of a node that refuses to start."""
MACHINE_FILES = ".yaml", ".yml"
"""How a `device_path` ends that is no folder of the SDK but a machine file."""
NO_PARAMETERS = "namespace", "params_file"
"""Arguments that are no parameters of nodes."""


def low_level_launch() -> LaunchDescription:
    """The nodes that every robot has."""
    device_path = _device_path("as in params_file")
    return _launch(LOW_LEVEL, [*_arguments(CONFIG / "wmx_ros2.yaml"), device_path])


def robot_launch(name: str) -> LaunchDescription:
    """The nodes of the robot `name`.

    robot_state_publisher shows it as well where that is installed.
    """
    robot = ROBOTS[name]
    arguments = [*_arguments(robot.parameters), *_robot_arguments(robot)]
    return _launch(robot.programs, arguments, robot.machine, _state_publisher(robot))


def _arguments(parameters: Path) -> list[DeclareLaunchArgument]:
    return [
        _argument(
            "driver",
            EnvironmentVariable("WMX_DRIVER", default_value="fake"),
            "fake: simulated engine, no hardware moves; wmx3: real hardware",
        ),
        _argument("namespace", "", "namespace of all nodes, topics and services"),
        _argument(
            "params_file",
            str(parameters),
            "parameters of all nodes; the other arguments win over it",
        ),
        _argument("use_sim_time", "false", "stamp messages with /clock instead of system time"),
        _argument(
            "autostart", "true", "false leaves the nodes unconfigured, for a lifecycle manager"
        ),
    ]


def _robot_arguments(robot: Robot) -> list[DeclareLaunchArgument]:
    return [
        _device_path(f"that of the robot with driver fake, {DEFAULT_DEVICE_PATH} with wmx3"),
        _argument(
            "wmx_param_file_path",
            str(robot.wmx_parameters),
            "WMX parameter file that is loaded at the start; empty: none",
        ),
    ]


def _device_path(if_empty: str) -> DeclareLaunchArgument:
    description = "where the SDK stands, or the machine file of the simulated engine"
    return _argument("device_path", "", f"{description}; empty: {if_empty}")


def _argument(name: str, default: SomeSubstitutionsType, description: str) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(name, default_value=default, description=description)


def _launch(
    programs: Sequence[Program],
    arguments: Sequence[DeclareLaunchArgument],
    machine: Path | None = None,
    others: Sequence[Node] = (),
) -> LaunchDescription:
    names = [argument.name for argument in arguments if argument.name not in NO_PARAMETERS]
    return LaunchDescription(
        [
            *arguments,
            OpaqueFunction(function=_choose_device_path, args=[machine]),
            OpaqueFunction(function=_check_files),
            RegisterEventHandler(OnProcessExit(on_exit=_end_if_refused)),
            OpaqueFunction(function=_nodes, args=[programs, names]),
            *others,
        ]
    )


def _nodes(
    context: LaunchContext, programs: Sequence[Program], parameters: Sequence[str]
) -> list[Node]:
    """A process of each program; an empty `device_path` leaves that of `params_file` in force."""
    given = context.launch_configurations
    counting = [name for name in parameters if name != "device_path" or given[name]]
    return [
        Node(
            package=PACKAGE,
            executable=program.executable,
            name=program.executable,
            namespace=LaunchConfiguration("namespace"),
            output="screen",
            parameters=[
                LaunchConfiguration("params_file"),
                {name: LaunchConfiguration(name) for name in counting},
            ],
        )
        for program in programs
    ]


def _choose_device_path(context: LaunchContext, machine: Path | None) -> None:
    """That of a robot that has a `machine` of its own, where none is given."""
    given = context.launch_configurations
    if machine is not None and not given["device_path"]:
        real = given["driver"] == "wmx3"
        given["device_path"] = DEFAULT_DEVICE_PATH if real else str(machine)


def _check_files(context: LaunchContext) -> None:
    """Launch itself lets nodes start with their defaults when a file is not there."""
    given = context.launch_configurations
    needed = {"params_file": given["params_file"]}
    if path := given.get("wmx_param_file_path"):
        needed["wmx_param_file_path"] = path
    if (path := given.get("device_path", "")).lower().endswith(MACHINE_FILES):
        needed["device_path"] = path
    for name, path in needed.items():
        if not Path(path).is_file():
            raise RuntimeError(f"{name} is {path!r}: must be the path of a file")


def _end_if_refused(event: ProcessExited, context: LaunchContext) -> None:
    """An error is the only way to make launch end with another code than 0."""
    ours = isinstance(event.action, Node) and event.action.node_package == PACKAGE
    if ours and event.returncode == REFUSED and not context.is_shutdown:
        raise RuntimeError(f"{event.process_name} refused to start, as it says above")


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
