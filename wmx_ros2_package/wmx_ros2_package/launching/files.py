"""The files of parameters of a launch: what is wrong with them, and which engine they mean."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wmx_core.opening import default_device_path
from wmx_core.options import MACHINE_FILES

from ..executables import CONTROL_MSGS_MISSING, lacks_control_msgs
from ..node_base.kind import AnyKind, Kinds
from ..node_base.parameter_overrides import check_overrides
from ..robots.catalogue import Robot
from ..robots.needed_machine import needed_machine
from ..robots.parameter_files import Section, configures, sections_of
from ..validation import BadRequest
from .arguments import NONE

ENGINE = "wmx_engine_node"
LOADERS = {
    "wmx_param_file_path": (
        "manipulator_state",
        "joint_state_broadcaster",
        "diff_drive_controller",
        "differential_drive_controller",
    ),
    "wmx_param_file": (ENGINE,),
}
"""Which nodes load the WMX parameter file of an argument; where none of them is started, that of
the engine does."""


def check_parameters(given: Mapping[str, str], nodes: Sequence[str], namespace: str) -> list[str]:
    """Check the parameters of all nodes before one is started; what is to be logged of them."""
    arguments = ["-r", f"__ns:={namespace}"]
    for name in "strict_parameters", "absolute_names":
        if given[name]:
            arguments += ["-p", f"{name}:={given[name]}"]
    if given["params_file"]:
        arguments = ["--params-file", given["params_file"], *arguments]
    found = check_overrides(arguments, {name: _kind(name) for name in nodes}, Kinds())
    found.remove_files()
    found.require_right()
    return [*found.problems, *found.notes]


def _kind(name: str) -> AnyKind:
    """The kind of a node; BadRequest where this machine lacks its messages."""
    try:
        return Kinds()[name]
    except ModuleNotFoundError as error:
        if not lacks_control_msgs(error):
            raise
        raise BadRequest([f"{name}: {CONTROL_MSGS_MISSING}"]) from None


def sections_in(file: str, namespace: str) -> list[Section]:
    """The sections of a file of parameters for nodes in `namespace`, also of those not started."""
    found = sections_of(Path(file)) if file else {}
    above = f"/{inner}" if (inner := namespace.strip("/")) else ""
    return [
        section
        for pattern, section in found.items()
        if configures(pattern, f"{above}/{pattern.rpartition('/')[2]}")
    ]


def path_in(sections: Sequence[Section], driver: str) -> str:
    """The device path of a file of parameters that is in force, if `driver` can have it."""
    paths = [str(section["device_path"]) for section in sections if section.get("device_path")]
    unfit = () if driver == "fake" else MACHINE_FILES
    return "" if not paths or paths[-1].lower().endswith(unfit) else paths[-1]


def device_path_of(
    given: Mapping[str, str], robot: Robot | None, sections: Sequence[Section], in_file: str
) -> str:
    """That of the robot, or a machine with all that the parameters name; else that of the file.

    Only the simulated engine plays machines.
    """
    of_robot = robot is not None or "config_file" in given
    if given["driver"] != "fake":
        return default_device_path() if of_robot and not in_file else ""
    if robot is not None and robot.machine is not None:
        return str(robot.machine)
    files = [given.get(name, "") for name in LOADERS]
    loaded = next((Path(file) for file in files if file not in ("", NONE)), None)
    if not of_robot or not (sections or loaded):
        return ""
    return str(needed_machine(sections, loaded))
