"""What the launch files have in common: arguments, a process for each node, when to end."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import (
    LaunchContext,
    LaunchDescription,
    LaunchDescriptionEntity,
)
from launch.actions import (
    DeclareLaunchArgument,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.utilities import prefix_namespace

from .drivers import default_device_path, default_driver
from .drivers.options import MACHINE_FILES
from .drivers.values import DEFAULT_DEVICE_PATH
from .node_base.kind import Kinds
from .node_base.parameter_overrides import check_overrides
from .robots.catalogue import CONFIG, GRIPPER, LOW_LEVEL, RECORDER, TRAJECTORIES, Robot, find_robot
from .robots.needed_machine import needed_machine
from .robots.parameter_files import sections_of
from .validation import BadRequest

PACKAGE = "wmx_ros2_package"
Chosen = tuple[Sequence[str], Robot | None]
"""The executables of the nodes that are started, and the robot of a folder that they are of."""
FROM_ROBOT = "that of the robot"
TRUE, FALSE = ("true", "1"), ("false", "0")
NOT_HERE = {
    "robot_param_file": "the robot option of the engine needs a licence, and is not here",
    "use_api_buffer": "no API buffer is used here: joint_position_controller follows Servo's topic",
    "auto_home": "homing would overwrite what absolute encoders know: call wmx/axis/homing",
}
"""Arguments of the C++ packages' launch files that cannot be followed here, and why not."""
REFUSED = 1
"""The exit code of a node that refuses to start."""
STOP_TIMEOUT = "30"
"""How long a node may take to end after Ctrl-C, s, before launch asks harder, and then kills it:
axes slow down, and a real network takes seconds to stop."""
OF_ALL = "driver", "device_path", "use_sim_time", "autostart", "strict_parameters"
"""Arguments that are parameters of every node."""
LOADERS = {
    "wmx_param_file_path": (
        "manipulator_state",
        "joint_state_broadcaster",
        "diff_drive_controller",
        "differential_drive_controller",
    ),
    "wmx_param_file": ("wmx_engine_node",),
}
"""Which nodes load the WMX parameter file of an argument."""
SERVO_STARTERS = LOADERS["wmx_param_file_path"]
"""The nodes that switch servos on."""
NEWER_LOW_LEVEL = (*LOW_LEVEL, "wmx_lifecycle_manager_node")
NEWER_ARM = "joint_state_broadcaster", "joint_trajectory_controller", "joint_position_controller"
NEWER_DEFAULTS = {
    "joint_trajectory_controller": [{"joint_trajectory_topic": "joint_trajectory"}],
}
"""What nodes by their newer names take for a parameter that no file gives: there MoveIt's hybrid
planning sends its streams."""


def low_level_launch() -> LaunchDescription:
    """The nodes that every robot has."""
    return _description(_common(CONFIG / "wmx_ros2.yaml"), lambda _: (LOW_LEVEL, None))


def robot_launch(name: str = "") -> LaunchDescription:
    """The nodes of the robot `name`, or of the one that the argument `robot` names."""
    robot = find_robot(name) if name else None
    arguments = [
        *_common(robot.parameters if robot else ""),
        _argument(
            "wmx_param_file_path",
            FROM_ROBOT,
            "WMX parameter file that is loaded at the start; empty: none",
        ),
        _argument(
            "robot_state_publisher", "false", "true starts one with the URDF of the robot, too"
        ),
        *_switches(gripper=robot is None or GRIPPER in robot.nodes),
    ]
    if robot is None:
        text = "name of a robot that is shipped, or path of a folder with robot.yaml"
        arguments.append(DeclareLaunchArgument("robot", description=text))

    def chosen(context: LaunchContext) -> Chosen:
        its = robot or find_robot(context.launch_configurations["robot"])
        return its.nodes, its

    return _description(arguments, chosen)


def newer_launch(*nodes: str, gripper: bool = False, robot: str = "") -> LaunchDescription:
    """The low-level nodes and `nodes` by their newer names, with the arguments of those packages.

    The files are those of `robot` unless others are given; without one config_file must be.
    """
    its = find_robot(robot) if robot else None
    text = "parameters of all nodes; other arguments win over it"
    arguments = [
        _argument("config_file", str(its.parameters) if its else "", text)
        if its or not nodes
        else DeclareLaunchArgument("config_file", description=text),
        _argument(
            "wmx_param_file",
            str(its.wmx_parameters) if its else "",
            "WMX parameter file that is loaded at the start; empty: none",
        ),
        *[each for each in _common("") if each.name != "params_file"],
        *(_switches(gripper=gripper) if nodes else ()),
    ]

    def chosen(context: LaunchContext) -> Chosen:
        given = context.launch_configurations
        given["params_file"] = given["config_file"]
        as_shipped = its is not None and given["config_file"] == str(its.parameters)
        if its and as_shipped and given["driver"] != "wmx3":
            given["device_path"] = given["device_path"] or str(its.machine)
        return (*NEWER_LOW_LEVEL, *nodes), None

    return _description(arguments, chosen)


def _common(parameters: Path | str) -> list[DeclareLaunchArgument]:
    return [
        _argument(
            "driver",
            default_driver(),
            "fake: simulated engine, no hardware moves; wmx3: real hardware; "
            "$WMX_DRIVER where that is set",
        ),
        _argument("namespace", "", "namespace of all nodes, topics and services"),
        _argument(
            "params_file",
            str(parameters),
            "parameters of all nodes; the other arguments win over it; empty: those of the robot",
        ),
        _argument(
            "device_path",
            "",
            "where the SDK stands, or the machine file of the simulated engine; empty: that of the "
            "robot with driver fake, else that of params_file, else $WMX_DEVICE_PATH, else "
            f"{DEFAULT_DEVICE_PATH}",
        ),
        _argument("use_sim_time", "false", "stamp messages with /clock instead of system time"),
        _argument(
            "autostart", "true", "false leaves the nodes unconfigured, for a lifecycle manager"
        ),
        _argument("panel", "false", "true: show the machine in the browser, http://127.0.0.1:8642"),
        _argument(
            "strict_parameters", "true", "false: what params_file has for no node is a warning"
        ),
        _argument("recorder", "false", "true starts wmx_recorder_node, too: a black box"),
    ]


def _switches(*, gripper: bool) -> Iterator[DeclareLaunchArgument]:
    """The arguments for what else is started or switched on; empty leaves it to the files."""
    if gripper:
        text = "true starts gripper_controller, false leaves it out; empty: as the robot has it"
        yield _argument("use_gripper", "", text)
    text = "whether servos are switched on at the start; empty: as params_file says, else true"
    yield _argument("auto_servo_on", "", text)


def _with_gripper(nodes: Sequence[str], wanted: str) -> Sequence[str]:
    if not wanted:
        return nodes
    others = [name for name in nodes if name != GRIPPER]
    return [*others, GRIPPER] if wanted.lower() in TRUE else others


def _argument(name: str, default: str, description: str) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(name, default_value=default, description=description)


def _description(
    arguments: Sequence[DeclareLaunchArgument], choose: Callable[[LaunchContext], Chosen]
) -> LaunchDescription:
    """The `arguments`, then the nodes that `choose` returns once these have values."""
    declared = [argument.name for argument in arguments]

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        try:
            _check_arguments(context, declared)
            _refuse_what_is_elsewhere(context.launch_configurations)
            nodes, robot = choose(context)
            if "use_gripper" in declared:
                nodes = _with_gripper(nodes, context.launch_configurations["use_gripper"])
            if context.launch_configurations["recorder"].lower() in TRUE:
                nodes = (*nodes, RECORDER)
            return _start(context.launch_configurations, nodes, robot)
        except BadRequest as error:
            raise RuntimeError(str(error)) from None

    return LaunchDescription(
        [
            *arguments,
            RegisterEventHandler(OnProcessExit(on_exit=_end_if_refused)),
            OpaqueFunction(function=start),
            _panel(),
        ]
    )


def _start(
    given: dict[str, str], nodes: Sequence[str], robot: Robot | None
) -> list[LaunchDescriptionEntity]:
    if robot is not None:
        given["params_file"] = given["params_file"] or str(robot.parameters)
        if given["wmx_param_file_path"] == FROM_ROBOT:
            given["wmx_param_file_path"] = str(robot.wmx_parameters or "")
    _check_files(given)
    said = _check_parameters(given, nodes)
    if not given["device_path"]:
        given["device_path"] = _device_path(given, robot)
    started: list[LaunchDescriptionEntity] = [LogInfo(msg=text) for text in said]
    # A launch file that includes this one starts nodes of its own: they need the same engine.
    engine = {"WMX_DRIVER": given["driver"], "WMX_DEVICE_PATH": given["device_path"]}
    started += [SetEnvironmentVariable(name, value) for name, value in engine.items() if value]
    started += [_node(name, nodes, given) for name in nodes]
    if robot is not None and given["robot_state_publisher"].lower() in TRUE:
        started.append(_state_publisher(robot))
    return started


def _node(name: str, nodes: Sequence[str], given: Mapping[str, str]) -> Node:
    """A process of a node; an empty `device_path` leaves that of the file in force."""
    own: dict[str, Any] = {
        each: LaunchConfiguration(each) for each in OF_ALL if each != "device_path" or given[each]
    }
    for argument, loaders in LOADERS.items():
        if argument in given and name in loaders:
            own["wmx_param_file_path"] = ParameterValue(given[argument], value_type=str)
    if given.get("auto_servo_on") and name in SERVO_STARTERS:
        own["auto_servo_on"] = LaunchConfiguration("auto_servo_on")
    if name in TRAJECTORIES and GRIPPER in nodes:  # which offers the service itself
        own["wmx_gripper_topic"] = ParameterValue("", value_type=str)
    return Node(
        package=PACKAGE,
        executable=name,
        name=name,
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        sigterm_timeout=STOP_TIMEOUT,
        sigkill_timeout=STOP_TIMEOUT,
        parameters=[
            *NEWER_DEFAULTS.get(name, ()),
            *([given["params_file"]] if given["params_file"] else []),
            own,
        ],
    )


def _panel() -> Node:
    """The panel in the browser, where it is asked for."""
    return Node(
        package=PACKAGE,
        executable="wmx_panel",
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        condition=IfCondition(LaunchConfiguration("panel")),
    )


def _check_arguments(context: LaunchContext, declared: Sequence[str]) -> None:
    """Refuse what the command line gives a launch file that does not declare it.

    Launch ignores it. A file that another one includes is not asked: the line is of that one.
    """
    own = Path(str(getattr(context.locals, "current_launch_file_path", "")))
    if not any(
        Path(word).resolve() == own.resolve() or (before, word) == (PACKAGE, own.name)
        for before, word in pairwise(sys.argv)
    ):
        return
    for name in (word.partition(":=")[0] for word in sys.argv if ":=" in word):
        if name not in declared and name not in NOT_HERE:
            alike = get_close_matches(name, declared, 1)
            meant = f"is {alike[0]} meant?" if alike else f"must be one of {', '.join(declared)}"
            raise BadRequest([f"{own.name} has no argument {name}: {meant}"])


def _refuse_what_is_elsewhere(given: Mapping[str, str]) -> None:
    """Refuse what another launch file gives this one, too, and what nothing here follows."""
    for name, rule in NOT_HERE.items():
        if (value := given.get(name, "")).lower() not in ("", *FALSE):
            raise BadRequest([f"{name} is {value!r}: {rule}"])


def _check_files(given: Mapping[str, str]) -> None:
    """Launch itself lets nodes start with their defaults when a file is not there."""
    needed = {name: given.get(name, "") for name in ("params_file", *LOADERS)}
    if (path := given["device_path"]).lower().endswith(MACHINE_FILES):
        needed["device_path"] = path
    for name, path in needed.items():
        if path and not Path(path).is_file():
            raise BadRequest([f"{name} is {path!r}: must be the path of a file"])


def _check_parameters(given: Mapping[str, str], nodes: Sequence[str]) -> list[str]:
    """Check the parameters of all nodes before one is started; what is to be logged of them."""
    above = given.get("ros_namespace", "")  # of a launch file that includes this one
    namespace = prefix_namespace(above, given["namespace"]) or ""
    arguments = ["--params-file", given["params_file"], "-r", f"__ns:={namespace}"]
    arguments += ["-p", f"strict_parameters:={given['strict_parameters']}"]
    kinds = Kinds()
    found = check_overrides(arguments, {name: kinds[name] for name in nodes}, kinds)
    found.remove_files()
    found.require_right()
    return [*found.problems, *found.notes]


def _device_path(given: Mapping[str, str], robot: Robot | None) -> str:
    """That of the robot, or a machine with all that the parameters name; else that of the file."""
    configured = given["params_file"] if robot or "config_file" in given else ""
    if given["driver"] == "wmx3":
        return default_device_path() if configured else ""
    if robot is not None and robot.machine is not None:
        return str(robot.machine)
    sections = sections_of(Path(configured)) if configured else {}
    loaded = next((Path(given[name]) for name in LOADERS if given.get(name)), None)
    if not sections and loaded is None:
        return ""
    return str(needed_machine(sections.values(), loaded))


def _end_if_refused(event: ProcessExited, context: LaunchContext) -> None:
    """An error is the only way to make launch end with another code than 0."""
    ours = isinstance(event.action, Node) and event.action.node_package == PACKAGE
    if ours and event.returncode == REFUSED and not context.is_shutdown:
        raise RuntimeError(f"{event.process_name} refused to start, as it says above")


def _state_publisher(robot: Robot) -> Node:
    try:
        description = robot.urdf.read_text()
        ElementTree.fromstring(description)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        raise BadRequest([f"{robot.urdf}: is no URDF: {error}"]) from None
    try:
        get_package_prefix("robot_state_publisher")
    except PackageNotFoundError:
        raise BadRequest(["robot_state_publisher is true: it is not installed"]) from None
    return Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        parameters=[
            {
                "robot_description": ParameterValue(description, value_type=str),
                "use_sim_time": LaunchConfiguration("use_sim_time"),
            }
        ],
    )
