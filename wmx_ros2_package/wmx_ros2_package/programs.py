"""The package's executables, by their names.

Each handles signals before it imports what it runs, which takes a second.
"""

import sys
from importlib import import_module
from pathlib import Path

from .commands.control_messages import MISSING, is_missing
from .commands.early_signals import end_at_once


def bringup() -> int:
    """Run all nodes in one process."""
    return _main("commands.bringup")


def wmx_demo() -> int:
    """Show a system that runs."""
    return _main("commands.demo")


def wmx_explain() -> int:
    """Say why axes do not move."""
    return _main("commands.explain")


def wmx_first_contact() -> int:
    """Find out what only the vendor's SDK can answer."""
    return _main("commands.first_contact.command")


def wmx_engine_node() -> int:
    """Run the engine node."""
    return _main("nodes.engine")


def wmx_core_motion_node() -> int:
    """Run the node of the axes."""
    return _main("nodes.core_motion")


def wmx_io_node() -> int:
    """Run the node of the digital inputs and outputs."""
    return _main("nodes.io")


def wmx_ethercat_node() -> int:
    """Run the node of the EtherCAT networks."""
    return _main("nodes.ethercat")


def wmx_lifecycle_manager_node() -> int:
    """Run the node that takes other nodes through their lives."""
    return _main("nodes.lifecycle_manager")


def manipulator_state() -> int:
    """Run the node of the joints of an arm."""
    return _main("nodes.manipulator_state")


def follow_joint_trajectory_server() -> int:
    """Run the node of trajectories."""
    return _main("nodes.follow_joint_trajectory")


def joint_position_controller() -> int:
    """Run the node of streams of positions."""
    return _main("nodes.joint_position")


def diff_drive_controller() -> int:
    """Run the node of a base on two wheels."""
    return _main("nodes.diff_drive_controller")


def gripper_controller() -> int:
    """Run the node of a gripper."""
    return _main("nodes.gripper_controller")


def wmx_actuator_node() -> int:
    """Run the node of the named actuators."""
    return _main("nodes.actuators")


def wmx_disarm() -> int:
    """Make the axes of a device safe."""
    return _main("commands.disarm")


def _main(module: str) -> int:
    end_at_once()
    try:
        main = import_module(f"{__package__}.{module}").main
    except ModuleNotFoundError as error:
        if not is_missing(error):
            raise
        print(f"{Path(sys.argv[0]).name}: {MISSING}", file=sys.stderr)
        return 1
    code: int = main()
    return code
