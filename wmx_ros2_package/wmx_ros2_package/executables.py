"""The one table of executables: their names, and the modules that they run.

A node's module has what the node is as KIND, a command's has `main`. setup.py reads this file by
itself, so it imports nothing.
"""

NODES = {
    "wmx_engine_node": "nodes.engine",
    "wmx_core_motion_node": "nodes.core_motion",
    "wmx_io_node": "nodes.io",
    "wmx_ethercat_node": "nodes.ethercat",
    "wmx_actuator_node": "nodes.actuators",
    "wmx_lifecycle_manager_node": "nodes.lifecycle_manager",
    "wmx_recorder_node": "nodes.recorder",
    "manipulator_state": "nodes.manipulator_state",
    "follow_joint_trajectory_server": "nodes.follow_joint_trajectory",
    "joint_position_controller": "nodes.joint_position",
    "diff_drive_controller": "nodes.diff_drive",
    "gripper_controller": "nodes.gripper",
    # What the newer C++ packages call three of these.
    "joint_state_broadcaster": "nodes.manipulator_state",
    "joint_trajectory_controller": "nodes.follow_joint_trajectory",
    "differential_drive_controller": "nodes.diff_drive",
}


def names_of(node: str) -> tuple[str, ...]:
    """All names of a node: its own one, then what the newer C++ packages call it."""
    return tuple(name for name, module in NODES.items() if module == NODES[node])


COMMANDS = {
    "bringup": "cli.bringup",
    "wmx": "cli.wmx",
    "wmx_panel": "panel.command",
}
SERVING = "bringup", "wmx_panel"
"""Commands that others rely on while they run, as on nodes."""
ALIASES = {
    "wmx_demo": "demo",
    "wmx_explain": "explain",
    "wmx_disarm": "disarm",
    "wmx_first_contact": "first-contact",
}
"""Older names of programs, and the verb of `wmx` that each of them runs."""
ELSEWHERE = {
    "axis_reference_node": (0, "wmx_core_motion_node offers wmx/axis/reference: leave this out"),
    "jog_keyboard_node": (2, "type `wmx jog AXIS --velocity V` instead, and hold -> or <-"),
    "wmx_robot_option_node": (2, "it is not here: the robot option needs a licence of the engine"),
    "robot_option_node": (2, "it is not here: the robot option needs a licence of the engine"),
    "servo_stream_controller": (
        2,
        "start joint_position_controller: it follows Servo, too",
    ),
    "servo_stream_test_source": (2, "it tests servo_stream_controller, which is not here"),
    "api_buffer_probe": (2, "it measures the engine's API buffer, which nothing here uses"),
}
"""Programs of the newer C++ packages that are none here: their exit codes, and what they print.

A section of parameters for one of them is refused with the same words.

None of the codes is 1, with which a node that refuses to start ends a launch.
"""
IN_USER_UNITS = "wmx_core_motion_node", "wmx_actuator_node"
"""Nodes whose motions are in the user units of the axes; those of joints are never in degrees."""
ON_REQUEST = "wmx_lifecycle_manager_node", "wmx_recorder_node"
"""Nodes that start where they are asked for: files configure them all the same."""
CONTROL_MSGS_MISSING = (
    "control_msgs is missing, whose messages it speaks: install ros-$ROS_DISTRO-control-msgs, or "
    "run `make build` on plain Python"
)
"""No Python registry has them, every ROS release does."""


def lacks_control_msgs(error: ModuleNotFoundError) -> bool:
    """Whether it is control_msgs that is not there."""
    return (error.name or "").partition(".")[0] == "control_msgs"
