"""The files of a robot of one's own that its nodes and MoveIt read."""

from collections.abc import Sequence

from .base import Wheels, base_section
from .drives import Drive
from .text import listed, number, numbers


def node_files(name: str, drives: Sequence[Drive], wheels: Wheels | None) -> dict[str, str]:
    """Return the files of the nodes of a robot: of a base, of an arm, or of an arm on a base."""
    arm = drives[2 if wheels else 0 :]
    files = {
        "robot.yaml": _robot_yaml(arm, wheels),
        "parameters.yaml": "\n".join(_sections(name, drives, arm, wheels)),
    }
    if arm:
        files["moveit_controllers.yaml"] = _moveit_controllers_yaml(name, arm)
    return files


def _robot_yaml(arm: Sequence[Drive], wheels: Wheels | None) -> str:
    nodes = [_states(arm)]
    if wheels:
        nodes.append("diff_drive_controller")
    if arm:
        nodes += ["follow_joint_trajectory_server", "joint_position_controller"]
    return f"""\
# The nodes of this robot, besides those of the engine: docs/robots.md has the rest of this folder.
nodes: {listed(nodes)}
"""


def _states(arm: Sequence[Drive]) -> str:
    """The name of the node that publishes the joint states: one node has both."""
    return "manipulator_state" if arm else "joint_state_broadcaster"


def _sections(
    name: str, drives: Sequence[Drive], arm: Sequence[Drive], wheels: Wheels | None
) -> list[str]:
    """The sections of parameters.yaml."""
    head = f"""\
# Parameters of the nodes of {name}; rad or m, and seconds. docs/robots.md explains all of them, and
# values not given here are the defaults. Limits are those of robot.urdf.

/**/wmx_core_motion_node:
  ros__parameters:
    axis_count: {len(drives)}
"""
    sections = [head, _actuators(drives), _joint_states(drives, _states(arm))]
    if wheels:
        sections.append(base_section(wheels))
    if arm:
        sections += _trajectories(name, arm, len(drives) - len(arm))
    return sections


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


def _joint_states(drives: Sequence[Drive], node: str) -> str:
    return f"""\
/**/{node}:
  ros__parameters:
    joint_axes: {listed(range(len(drives)))}
    joint_name: {listed(drive.joint.name for drive in drives)}
    encoder_joint_topic: /joint_states
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
