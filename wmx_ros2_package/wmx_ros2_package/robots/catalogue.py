"""The robots that start by one name: their nodes, and where their files stand in config/.

A robot NAME has NAME.yaml (parameters of its nodes), NAME_machine.yaml (what the simulated engine
plays), NAME_wmx_parameters.xml and NAME.urdf there. Nothing of ROS is imported here, so that
launch files can ask.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CONFIG = Path(__file__).parents[1] / "config"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A node's executable, and where its kind is: the module in `nodes`, and the name there."""

    executable: str
    module: str
    kind: str


LOW_LEVEL = (
    Program(executable="wmx_engine_node", module="engine", kind="ENGINE"),
    Program(executable="wmx_core_motion_node", module="core_motion", kind="CORE_MOTION"),
    Program(executable="wmx_io_node", module="io", kind="IO"),
    Program(executable="wmx_ethercat_node", module="ethercat", kind="ETHERCAT"),
    Program(executable="wmx_actuator_node", module="actuators", kind="ACTUATORS"),
)
MANIPULATOR = (
    Program(executable="manipulator_state", module="manipulator_state", kind="MANIPULATOR_STATE"),
    Program(
        executable="follow_joint_trajectory_server",
        module="follow_joint_trajectory",
        kind="FOLLOW_JOINT_TRAJECTORY",
    ),
    Program(executable="joint_position_controller", module="joint_position", kind="JOINT_POSITION"),
)
GRIPPER = Program(
    executable="gripper_controller", module="gripper_controller", kind="GRIPPER_CONTROLLER"
)
BASE = Program(
    executable="diff_drive_controller",
    module="diff_drive_controller",
    kind="DIFF_DRIVE_CONTROLLER",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Robot:
    """A robot by its name, and its nodes in the order in which they start."""

    name: str
    programs: tuple[Program, ...]

    @property
    def parameters(self) -> Path:
        """Those of its nodes."""
        return CONFIG / f"{self.name}.yaml"

    @property
    def machine(self) -> Path:
        """What the simulated engine plays."""
        return CONFIG / f"{self.name}_machine.yaml"

    @property
    def wmx_parameters(self) -> Path:
        """What the engine is told of its axes."""
        return CONFIG / f"{self.name}_wmx_parameters.xml"

    @property
    def urdf(self) -> Path:
        """What it looks like."""
        return CONFIG / f"{self.name}.urdf"

    def ros_arguments(self, *, simulated: bool) -> Iterator[str]:
        """What its nodes are told on the command line; what comes after it wins."""
        yield from ("--ros-args", "--params-file", str(self.parameters))
        yield from ("-p", f"wmx_param_file_path:={self.wmx_parameters}")
        if simulated:
            yield from ("-p", f"device_path:={self.machine}")
        yield "--"


ROBOTS = {
    robot.name: robot
    for robot in (
        Robot(name="arm", programs=(*LOW_LEVEL, *MANIPULATOR, GRIPPER)),
        Robot(name="gantry", programs=(*LOW_LEVEL, *MANIPULATOR)),
        Robot(name="base", programs=(*LOW_LEVEL, BASE)),
        Robot(name="mobile_manipulator", programs=(*LOW_LEVEL, BASE, *MANIPULATOR, GRIPPER)),
    )
}
