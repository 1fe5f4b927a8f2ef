"""Robots are folders: those of config/robots start by their names, others by their paths.

A folder has robot.yaml (its nodes), parameters.yaml (of its nodes), wmx_parameters.xml (the
engine's parameters of its axes), robot.urdf (its shape) and machine.yaml (what the
simulated engine plays). Without a machine the simulated engine gets one with the axes and the bytes
of I/O that the parameters name. Nothing of ROS is imported here, so that launch files can ask.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import yaml

from ..executables import NODES, names_of
from ..validation import BadRequest

CONFIG = Path(__file__).parents[1] / "config"
ROBOT_FOLDERS = CONFIG / "robots"
LOW_LEVEL = (
    "wmx_engine_node",
    "wmx_core_motion_node",
    "wmx_io_node",
    "wmx_ethercat_node",
    "wmx_actuator_node",
)
GRIPPER = "gripper_controller"
RECORDER = "wmx_recorder_node"
TRAJECTORIES = names_of("follow_joint_trajectory_server")
USUAL_ACTION = "movensys_manipulator_arm_controller/follow_joint_trajectory"
"""The action of a server of trajectories where `joint_trajectory_action` is not given."""


@dataclass(frozen=True, slots=True)
class Robot:
    """The robot in a folder, and its nodes in the order in which they start."""

    folder: Path
    nodes: tuple[str, ...]

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.folder.name

    @property
    def parameters(self) -> Path:
        """The parameters of its nodes."""
        return self.folder / "parameters.yaml"

    @property
    def machine(self) -> Path | None:
        """What the simulated engine plays; None if that follows from the parameters."""
        path = self.folder / "machine.yaml"
        return path if path.exists() else None

    @property
    def wmx_parameters(self) -> Path | None:
        """The engine's parameters of its axes, if there are any."""
        path = self.folder / "wmx_parameters.xml"
        return path if path.exists() else None

    @property
    def urdf(self) -> Path:
        """Its shape."""
        return self.folder / "robot.urdf"

    @property
    def rviz(self) -> Path:
        """What RViz shows of it."""
        return self.folder / "robot.rviz"

    @property
    def controllers(self) -> Path | None:
        """MoveIt's controllers, if it has joints that MoveIt plans for."""
        path = self.folder / "moveit_controllers.yaml"
        return path if path.exists() else None

    def ros_arguments(self, machine: Path | None) -> Iterator[str]:
        """The arguments of its nodes on the command line; what comes after them wins.

        `machine` is what the simulated engine plays.
        """
        yield from ("--ros-args", "--params-file", str(self.parameters))
        if self.wmx_parameters is not None:
            yield from ("-p", f"wmx_param_file_path:={self.wmx_parameters}")
        if machine is not None:
            yield from ("-p", f"device_path:={machine}")
        yield "--"


def robot_names() -> list[str]:
    """The robots that start by their names."""
    return sorted(file.parent.name for file in ROBOT_FOLDERS.glob("*/robot.yaml"))


def find_robot(given: str) -> Robot:
    """The robot of a name, or of the path of a folder; BadRequest with what is wrong with it."""
    folder = Path(given) if "/" in given else ROBOT_FOLDERS / given
    file = folder / "robot.yaml"
    if not file.is_file():
        known = ", ".join(robot_names())
        meant = f"./{given}" if Path(given, "robot.yaml").is_file() else "./my_robot"
        rule = f"must be one of {known}, or the path of a folder with robot.yaml, such as {meant}"
        raise BadRequest([f"robot is {given!r}: {rule}"])
    return Robot(folder.resolve(), (*LOW_LEVEL, *_nodes(file)))


def _nodes(file: Path) -> tuple[str, ...]:
    try:
        content = yaml.safe_load(file.read_text())
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise BadRequest([f"{file}: {' '.join(str(error).split())}"]) from None
    if not isinstance(content, dict) or content.keys() != {"nodes"}:
        raise BadRequest([f"{file}: must have the key nodes and no other"])
    nodes = content["nodes"]
    if not isinstance(nodes, list) or not all(isinstance(node, str) for node in nodes):
        raise BadRequest([f"{file}: nodes is {nodes!r}: must be a list of executables"])
    known = [node for node in NODES if node not in LOW_LEVEL]
    for i, node in enumerate(nodes):
        if rule := _misnamed(node, known) or (node in nodes[:i] and "must name each once"):
            raise BadRequest([f"{file}: nodes[{i}] is {node!r}: {rule}"])
    return tuple(nodes)


def _misnamed(node: str, known: Sequence[str]) -> str:
    if node in known:
        return ""
    if node in LOW_LEVEL:
        return "every robot has it: leave it out"
    alike = get_close_matches(node, known, 1)
    return f"is {alike[0]!r} meant?" if alike else f"must be one of {', '.join(known)}"


ROBOTS = {name: find_robot(name) for name in robot_names()}
