"""The files of a robot of one's own that its nodes and MoveIt read."""

from collections.abc import Sequence

from . import ros2_control
from .base import Wheels, base_section
from .drives import Drive
from .text import listed, number, numbers


def node_files(name: str, drives: Sequence[Drive], wheels: Wheels | None) -> dict[str, str]:
    """Return the files of the nodes of a robot: of a base, of an arm, or of an arm on a base."""
    arm = drives[2 if wheels else 0 :]
    nodes = [_states(arm)]
    sections = [_head(name, drives), _actuators(drives), _joint_states(drives, _states(arm))]
    if wheels:
        nodes.append("diff_drive_controller")
        sections.append(base_section(wheels))
    if arm:
        nodes += ["follow_joint_trajectory_server", "joint_position_controller"]
        sections += _trajectories(name, arm, len(drives) - len(arm))
    files = {"robot.yaml": _robot_yaml(nodes), "parameters.yaml": "\n".join(sections)}
    if arm:
        files["moveit_controllers.yaml"] = _moveit_controllers_yaml(name, arm)
    return files


def hardware_files(name: str, drives: Sequence[Drive]) -> dict[str, str]:
    """Return the files of an arm that is the hardware of ros2_control, and its controllers'."""
    nodes = ["manipulator_state", "joint_position_controller"]
    sections = [
        _head(name, drives),
        _actuators(drives),
        _joint_states(drives, nodes[0], ros2_control.STATES),
        ros2_control.stream_section(drives),
    ]
    return {
        "robot.yaml": _robot_yaml(nodes),
        "parameters.yaml": "\n".join(sections),
        "ros2_controllers.yaml": ros2_control.controllers_yaml(drives),
    }


def _robot_yaml(nodes: Sequence[str]) -> str:
    return f"""\
# The nodes of this robot, besides those of the engine: docs/robots.md has the rest of this folder.
nodes: {listed(nodes)}
"""


def _states(arm: Sequence[Drive]) -> str:
    """The name of the node that publishes the joint states: one node has both."""
    return "manipulator_state" if arm else "joint_state_broadcaster"


def _head(name: str, drives: Sequence[Drive]) -> str:
    """The begin of parameters.yaml."""
    return f"""\
# Parameters of the nodes of {name}; rad or m, and seconds. docs/robots.md explains all of them, and
# values not given here are the defaults. Limits are those of robot.urdf.

/**/wmx_core_motion_node:
  ros__parameters:
    axis_count: {len(drives)}
"""


def _actuators(drives: Sequence[Drive]) -> str:
    joints = [drive.joint for drive in drives]
    kinds = listed("prismatic" if j.kind == "prismatic" else "revolute" for j in joints)
    effort = ""
    if all(j.effort > 0.0 for j in joints):
        effort = f"""\
    effort_max: {numbers(j.effort for j in joints)}
    # As if the URDF's efforts were the rated torques: take those of your motors and gears.
    effort_per_percent: {numbers(j.effort / 100.0 for j in joints)}
"""
    return f"""\
/**/wmx_actuator_node:
  ros__parameters:
    names: {listed(j.name for j in joints)}
    kinds: {kinds}
    position_min: {numbers(drive.ends[0] for drive in drives)}
    position_max: {numbers(drive.ends[1] for drive in drives)}
    velocity_max: {numbers(j.velocity for j in joints)}
{effort}\
    velocity: {numbers(0.1 * j.velocity for j in joints)}    # of a command that has none
    acceleration: {numbers(j.velocity for j in joints)}
"""


def _joint_states(drives: Sequence[Drive], node: str, topic: str = "/joint_states") -> str:
    return f"""\
/**/{node}:
  ros__parameters:
    joint_axes: {listed(range(len(drives)))}
    joint_name: {listed(drive.joint.name for drive in drives)}
    encoder_joint_topic: {topic}
    auto_servo_on: false                # true: servos come on at the start, when signs are checked
"""


def _trajectories(name: str, arm: Sequence[Drive], first: int) -> list[str]:
    joints = [drive.joint for drive in arm]
    axes, names = listed(range(first, first + len(arm))), listed(j.name for j in joints)
    velocities = numbers(j.velocity for j in joints)
    linear = [j.kind == "prismatic" for j in joints]
    metres = ""
    if any(linear):
        metres = f"""\
    start_tolerance: 0.001
    spline_tolerance: 0.00001
    goal_tolerance: {numbers(0.0005 if each else 0.005 for each in linear)}
    stopped_velocity_tolerance: {numbers(0.001 if each else 0.01 for each in linear)}
"""
    follower = f"""\
/**/follow_joint_trajectory_server:
  ros__parameters:
    joint_axes: {axes}
    joint_name: {names}
    joint_trajectory_action: /{name}_controller/follow_joint_trajectory
    position_lower: {numbers(drive.ends[0] for drive in arm)}
    position_upper: {numbers(drive.ends[1] for drive in arm)}
    velocity_limit: {velocities}
{metres}"""
    stream = f"""\
/**/joint_position_controller:
  ros__parameters:
    joint_axes: {axes}
    joint_name: {names}
    joint_trajectory_topic: /{name}_controller/joint_trajectory
    default_velocity: {number(min(0.1 * j.velocity for j in joints))}
    velocity_limit: {velocities}
"""
    return [follower, stream]


def _moveit_controllers_yaml(name: str, arm: Sequence[Drive]) -> str:
    return f"""\
# For the MoveIt 2 configuration of {name}: where trajectories go. MoveIt's joint limits must not be
# wider than those of parameters.yaml.

moveit_controller_manager: moveit_simple_controller_manager/MoveItSimpleControllerManager

moveit_simple_controller_manager:
  controller_names:
    - {name}_controller

  {name}_controller:
    type: FollowJointTrajectory
    action_ns: follow_joint_trajectory
    default: true
    joints: {listed(drive.joint.name for drive in arm)}

trajectory_execution:
  allowed_start_tolerance: 0.01         # start_tolerance of the server, or less
  execution_duration_monitoring: false  # a goal may be paused, or go at an override
  allowed_execution_duration_scaling: 1.2
  allowed_goal_duration_margin: 5.5     # s; more than goal_time_tolerance of the server
"""
