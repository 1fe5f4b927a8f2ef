"""The processes of a system or of a robot, and when launch ends."""

from collections.abc import Callable, Mapping, Sequence
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
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.utilities import prefix_namespace

from ..executables import NODES
from ..robots.catalogue import CONFIG, GRIPPER, LOW_LEVEL, RECORDER, TRAJECTORIES, Robot, find_robot
from ..validation import BadRequest
from .arguments import (
    FROM_ROBOT,
    NONE,
    PACKAGE,
    Argument,
    check_arguments,
    common_arguments,
    file,
    robot_switches,
    switch,
)
from .files import ENGINE, LOADERS, check_parameters, device_path_of, path_in, sections_in

Chosen = tuple[Sequence[str], Robot | None]
"""The executables of the nodes that are started, and the robot of a folder that they are of."""
REFUSED = 1
"""The exit code of a node that refuses to start."""
SIGTERM_TIMEOUT, SIGKILL_TIMEOUT = "2", "58"
"""How long after Ctrl-C launch sends a node SIGTERM, s, and how long after that it kills it.

In a terminal launch takes SIGINT for a Ctrl-C, which the nodes have got as well. Where it was sent
to launch alone, SIGTERM is the first that they get, so it must not be late; otherwise it changes
nothing. To end takes long: axes slow down, and a real network takes seconds to stop.
"""
TEXTS_OF_ALL = "driver", "device_path", "absolute_names"
SWITCHES_OF_ALL = "use_sim_time", "autostart", "strict_parameters"
"""Arguments that are parameters of every node, but for `autostart` of the lifecycle manager; those
that are left out are as the file says."""
SERVO_STARTERS = LOADERS["wmx_param_file_path"]
"""The nodes that switch servos on."""
MANAGER = "wmx_lifecycle_manager_node"
NEWER_LOW_LEVEL = (*LOW_LEVEL, MANAGER)
NEWER_ARM = "joint_state_broadcaster", "joint_trajectory_controller", "joint_position_controller"
READ_FIRST = "-p", "use_sim_time:=false"
"""What a node gets before the file of parameters: the value of what is left out, for all nodes.

Of sections for the same nodes ROS makes one, in the place of the first, and what stands later wins.
So what a file has for all nodes is before what it has for one, and before the arguments, which are
for one, too.
"""
NEWER_DEFAULTS = {
    "joint_trajectory_controller": ("-p", "joint_trajectory_topic:=joint_trajectory"),
}
"""What nodes by their newer names take for a parameter that no file gives: there MoveIt's hybrid
planning sends its streams."""


def low_level_launch() -> LaunchDescription:
    """The nodes that every robot has."""
    default = CONFIG / "wmx_ros2.yaml"

    def chosen(given: dict[str, str]) -> Chosen:
        given["params_file"] = given["params_file"] or str(default)
        return LOW_LEVEL, None

    return _description(_with_file(str(default), common_arguments(machine="")), chosen)


def robot_launch(name: str = "") -> LaunchDescription:
    """The nodes of the robot `name`, or of the one that the argument `robot` names."""
    robot = find_robot(name) if name else None
    may_grip = robot is None or not {GRIPPER, *TRAJECTORIES}.isdisjoint(robot.nodes)
    arguments = [
        *_with_file("those of the robot", common_arguments()),
        file(
            "wmx_param_file_path",
            FROM_ROBOT,
            f"WMX parameter file that is loaded at the start; {NONE}: no file",
        ),
        switch("robot_state_publisher", "false", "true starts one with the URDF of the robot, too"),
        switch("rviz", "false", "true shows the robot in RViz, with a robot_state_publisher"),
        *robot_switches(gripper=may_grip),
    ]
    if robot is None:
        text = "name of a robot that is shipped, or path of a folder with robot.yaml"
        arguments.append(Argument("robot", None, text))

    def chosen(given: dict[str, str]) -> Chosen:
        its = robot or find_robot(given["robot"])
        return its.nodes, its

    return _description(arguments, chosen)


def newer_launch(*nodes: str, gripper: bool = False, robot: str = "") -> LaunchDescription:
    """The low-level nodes and `nodes` by their newer names, with the arguments of those packages.

    The files are those of `robot` unless others are given; without one config_file must be.
    """
    its = find_robot(robot) if robot else None
    left_out = "; left out: that of the robot" if its else ""
    arguments = [
        file(
            "config_file",
            None if nodes and its is None else "",
            f"parameters of all nodes; other arguments win over it{left_out}",
        ),
        file(
            "wmx_param_file",
            "",
            f"WMX parameter file that is loaded at the start; {NONE}: no file{left_out}",
        ),
        *common_arguments(),
        *(robot_switches(gripper=gripper) if nodes else ()),
    ]

    def chosen(given: dict[str, str]) -> Chosen:
        given["params_file"] = given["config_file"]
        if its is not None:
            given["params_file"] = given["params_file"] or str(its.parameters)
            given["wmx_param_file"] = given["wmx_param_file"] or str(its.wmx_parameters)
            if given["params_file"] == str(its.parameters) and given["driver"] == "fake":
                given["device_path"] = given["device_path"] or str(its.machine)
        return (*NEWER_LOW_LEVEL, *nodes), None

    return _description(arguments, chosen)


def _with_file(left_out: str, common: Sequence[Argument]) -> list[Argument]:
    """The `common` arguments, and that for the file of parameters.

    Its default is no path: it would stay in force for the next launch file of the same launch.
    """
    text = "parameters of all nodes; the other arguments win over it"
    return [file("params_file", "", f"{text}; {NONE}: no file; left out: {left_out}"), *common]


def _with_gripper(nodes: Sequence[str], wanted: str) -> Sequence[str]:
    if not wanted:
        return nodes
    others = [name for name in nodes if name != GRIPPER]
    return [*others, GRIPPER] if wanted == "true" else others


def _description(
    arguments: Sequence[Argument], choose: Callable[[dict[str, str]], Chosen]
) -> LaunchDescription:
    """The `arguments`, then the nodes that `choose` returns once these have values.

    Whatever may be wrong is found before `start` returns: launch starts nothing until then.
    """

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        try:
            given = check_arguments(context, arguments)
            nodes, robot = choose(given)
            nodes = _with_gripper(nodes, given.get("use_gripper", ""))
            if given["recorder"] == "true":
                nodes = (*nodes, RECORDER)
            above = context.launch_configurations.get("ros_namespace", "")  # of what includes this
            namespace = prefix_namespace(above, given["namespace"]) or ""
            return _start(given, nodes, robot, namespace)
        except BadRequest as error:
            raise RuntimeError(str(error)) from None

    return LaunchDescription(
        [
            *(each.declared() for each in arguments),
            RegisterEventHandler(OnProcessExit(on_exit=_end_if_refused)),
            OpaqueFunction(function=start),
        ]
    )


def _start(
    given: dict[str, str], nodes: Sequence[str], robot: Robot | None, namespace: str
) -> list[LaunchDescriptionEntity]:
    if robot is not None:
        given["params_file"] = given["params_file"] or str(robot.parameters)
        if given["wmx_param_file_path"] == FROM_ROBOT:
            given["wmx_param_file_path"] = str(robot.wmx_parameters or "")
    if given["params_file"] == NONE:
        given["params_file"] = ""
    if given.get("auto_servo_on") == "true" and not {*SERVO_STARTERS} & {*nodes}:
        raise BadRequest(["auto_servo_on is 'true': no node is started that switches servos on"])
    said = check_parameters(given, nodes, namespace)
    sections = sections_in(given["params_file"], namespace)
    in_file = path_in(sections, given["driver"])
    if not given["device_path"]:
        given["device_path"] = device_path_of(given, robot, sections, in_file)
    started: list[LaunchDescriptionEntity] = [LogInfo(msg=text) for text in said]
    # A launch file that includes this one starts nodes of its own: they need the same engine.
    engine = {"WMX_DRIVER": given["driver"], "WMX_DEVICE_PATH": given["device_path"] or in_file}
    started += [SetEnvironmentVariable(name, value) for name, value in engine.items() if value]
    started += [action_of(name, nodes, given) for name in nodes]
    if robot is not None and "true" in (given["robot_state_publisher"], given["rviz"]):
        started.append(_state_publisher(robot, given))
    if robot is not None and given["rviz"] == "true":
        shown = ["-d", str(robot.rviz)]
        parameters = _parameters(given, _switches(given, ["use_sim_time"]))
        started.append(_program("rviz2", given, "rviz2", arguments=shown, parameters=parameters))
    if given["panel"] == "true":
        of_robot = [] if robot is None else ["--robot", str(robot.folder)]
        started.append(_program("wmx_panel", given, arguments=["--restart", *of_robot]))
    return started


def _program(
    executable: str, given: Mapping[str, str], package: str = PACKAGE, **more: Any
) -> Node:
    """The process of a program; BadRequest where it is not installed."""
    if not is_installed(package, executable):
        raise BadRequest([f"{executable} of {package} is to be started: it is not installed"])
    return Node(
        package=package,
        executable=executable,
        namespace=given["namespace"],
        output="screen",
        **more,
    )


def is_installed(package: str, executable: str) -> bool:
    try:
        return Path(get_package_prefix(package), "lib", package, executable).exists()
    except PackageNotFoundError:
        return False


def action_of(name: str, nodes: Sequence[str], given: Mapping[str, str]) -> Node:
    """The process of a node; what is left empty leaves that of the file in force."""
    own = _switches(given, SWITCHES_OF_ALL)
    if name == MANAGER:  # for which the others wait
        own["autostart"] = True
    own |= {each: _text(given[each]) for each in TEXTS_OF_ALL if given[each]}
    for argument, can_load in LOADERS.items():
        loaders = [each for each in can_load if each in nodes] or [ENGINE]
        if given.get(argument) and name in loaders:
            own["wmx_param_file_path"] = _text(given[argument] if given[argument] != NONE else "")
    if given.get("auto_servo_on") and name in SERVO_STARTERS:
        own["auto_servo_on"] = given["auto_servo_on"] == "true"
    if name in TRAJECTORIES and GRIPPER in nodes:  # which offers the service itself
        own["wmx_gripper_topic"] = _text("")
    return _program(
        name,
        given,
        name=name,
        sigterm_timeout=SIGTERM_TIMEOUT,
        sigkill_timeout=SIGKILL_TIMEOUT,
        ros_arguments=[*READ_FIRST, *NEWER_DEFAULTS.get(name, ())],
        parameters=_parameters(given, own),
    )


def _switches(given: Mapping[str, str], names: Sequence[str]) -> dict[str, Any]:
    """The parameters of switches that were given."""
    return {name: given[name] == "true" for name in names if given[name]}


def _parameters(given: Mapping[str, str], own: Mapping[str, Any]) -> list[Any]:
    """The parameters of a program: those of the file, and its `own` ones, which win."""
    return [each for each in (given["params_file"], own) if each]


def _text(value: str) -> ParameterValue:
    """A parameter that is a text, whatever YAML would take it for."""
    return ParameterValue(value, value_type=str)


def _end_if_refused(event: ProcessExited, context: LaunchContext) -> None:
    """An error is the only way to make launch end with another code than 0.

    The nodes go on where another program of this package ends, such as the panel.
    """
    action = event.action
    is_node = (
        isinstance(action, Node)
        and action.node_package == PACKAGE
        and action.node_executable in NODES
    )
    if is_node and event.returncode == REFUSED and not context.is_shutdown:
        raise RuntimeError(f"{event.process_name} refused to start, as it says above")


def _state_publisher(robot: Robot, given: Mapping[str, str]) -> Node:
    try:
        description = robot.urdf.read_text()
        ElementTree.fromstring(description)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        raise BadRequest([f"{robot.urdf}: is no URDF: {error}"]) from None
    own = {"robot_description": _text(description), **_switches(given, ["use_sim_time"])}
    name = "robot_state_publisher"
    return _program(name, given, package=name, parameters=_parameters(given, own))
