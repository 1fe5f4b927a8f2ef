"""The arguments of the launch files, and their checks.

All of them are checked before a process starts: an error that launch meets later ends it without
the processes that run already, which then go on by themselves.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from launch import LaunchContext
from launch.actions import DeclareLaunchArgument
from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace

from wmx_core.opening import default_driver, known_drivers
from wmx_core.options import MACHINE_FILES
from wmx_core.values import DEFAULT_DEVICE_PATH

from ..node_base.absolute_names import POLICIES
from ..validation import BadRequest

PACKAGE = "wmx_ros2_package"
FROM_ROBOT = "that of the robot"
TRUE, FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
NONE = "none"
"""What is typed for no file: the command line of launch has no word for an empty text."""
NOT_HERE = {
    "robot_param_file": "the robot option of the engine needs a licence, and is not here",
    "use_api_buffer": "no API buffer is used here: joint_position_controller follows Servo's topic",
    "auto_home": "homing would overwrite what absolute encoders know: call wmx/axis/homing",
}
"""Arguments of the C++ packages' launch files that cannot be followed here, and why not."""


class Argument(NamedTuple):
    """One argument of a launch file.

    `checked` returns the value in force for the text that was given; BadRequest refuses it. Without
    a default the argument has to be given.
    """

    name: str
    default: str | None
    description: str
    checked: Callable[[str], str] = str

    def declared(self) -> DeclareLaunchArgument:
        """The argument as launch declares it."""
        return DeclareLaunchArgument(
            self.name, default_value=self.default, description=self.description
        )


def switch(name: str, default: str, description: str) -> Argument:
    """An argument that is true or false; where `default` is empty it may be left out, too."""

    def checked(text: str) -> str:
        given = text.strip().lower()
        if given in TRUE or given in FALSE:
            return "true" if given in TRUE else "false"
        if not given and not default:
            return ""
        rule = "must be true, 1, yes or on, or false, 0, no or off"
        raise BadRequest([f"{name} is {text!r}: {rule}"])

    return Argument(name, default, description, checked)


def file(name: str, default: str | None, description: str) -> Argument:
    """An argument that is the path of a file; `none` is no file."""

    def checked(text: str) -> str:
        if text not in ("", FROM_ROBOT) and text.lower() != NONE and not Path(text).is_file():
            raise BadRequest([f"{name} is {text!r}: must be the path of a file, or {NONE}"])
        return NONE if text.lower() == NONE else text

    return Argument(name, default, description, checked)


def common_arguments(machine: str = "that of the robot with driver fake, else ") -> list[Argument]:
    """The arguments that every launch file has, besides its file of parameters.

    `machine` is what comes before the files of parameters where no device path is given.
    """
    return [
        Argument(
            "driver",
            default_driver(),
            "fake: simulated engine, no hardware moves; wmx3: real hardware; "
            "$WMX_DRIVER where that is set",
            _driver,
        ),
        Argument(
            "namespace",
            "",
            "namespace of all nodes, topics and services, but for names with a leading slash",
            _namespace,
        ),
        Argument(
            "device_path",
            "",
            "where the SDK stands, or the machine file of the simulated engine; left out: "
            f"{machine}that of params_file, else $WMX_DEVICE_PATH, else {DEFAULT_DEVICE_PATH}",
            _device_path,
        ),
        Argument(
            "absolute_names",
            "",
            "with a namespace, names of parameters that begin with a slash: refuse them, move "
            "them into it, or keep them; left out: as params_file says, else refuse",
            _absolute_names,
        ),
        switch(
            "use_sim_time",
            "",
            "stamp messages with /clock instead of system time; left out: as params_file says, "
            "else false",
        ),
        switch(
            "autostart",
            "",
            "false leaves the nodes unconfigured, for a lifecycle manager; left out: as "
            "params_file says, else true",
        ),
        switch("panel", "false", "true: show the machine in the browser, http://127.0.0.1:8642"),
        switch(
            "strict_parameters",
            "",
            "false: what params_file has for no node is a warning; left out: as params_file says, "
            "else true",
        ),
        switch("recorder", "false", "true starts wmx_recorder_node, too: a black box"),
    ]


def robot_switches(*, gripper: bool) -> Iterator[Argument]:
    """The arguments for what else is started or switched on; left out, the files say it."""
    if gripper:
        text = "whether gripper_controller is started; left out: as the robot has it"
        yield switch("use_gripper", "", text)
    text = "whether servos are switched on at the start; left out: as params_file says, else true"
    yield switch("auto_servo_on", "", text)


def check_arguments(context: LaunchContext, declared: Sequence[Argument]) -> dict[str, str]:
    """Check what `context` gives a launch file; the values in force of what it declares.

    They are its own: launch gives what is in `context` to the next launch file of the same launch
    as well. BadRequest names an argument that there is not, and a value that breaks a rule.
    """
    _check_names(context, [each.name for each in declared])
    given = context.launch_configurations
    _refuse_what_is_elsewhere(given)
    in_force, problems = {}, []
    for each in declared:
        try:
            in_force[each.name] = each.checked(given[each.name])
        except BadRequest as error:
            problems.append(str(error))
    if problems:
        raise BadRequest(problems)
    return in_force


def _driver(text: str) -> str:
    if text not in (names := known_drivers()):
        known = " or ".join(map(repr, names))
        raise BadRequest([f"driver is {text!r}: unknown driver, choose {known}"])
    return text


def _namespace(text: str) -> str:
    try:
        validate_namespace(f"/{text.strip('/')}")
    except InvalidNamespaceException as error:
        raise BadRequest([f"namespace is {text!r}: {str(error).splitlines()[0]}"]) from None
    return text


def _absolute_names(text: str) -> str:
    if text and text not in POLICIES:
        raise BadRequest([f"absolute_names is {text!r}: must be one of {', '.join(POLICIES)}"])
    return text


def _device_path(text: str) -> str:
    if text.lower().endswith(MACHINE_FILES) and not Path(text).is_file():
        raise BadRequest([f"device_path is {text!r}: must be the path of a file"])
    return text


def _check_names(context: LaunchContext, declared: Sequence[str]) -> None:
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
        if (value := given.get(name, "")).lower() not in ("", NONE, *FALSE):
            raise BadRequest([f"{name} is {value!r}: {rule}"])
