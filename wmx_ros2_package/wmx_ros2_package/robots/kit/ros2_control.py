"""An arm of one's own as the hardware of ros2_control: docs/ros2-control.md.

The bridge is the topic-based hardware of ros-controls (joint_state_topic_hardware_interface), which
publishes commands and subscribes to states as JointState.
"""

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from ...validation import BadRequest
from .drives import Drive
from .text import listed, number, numbers

COMMANDS, STATES = "/wmx/joint_commands", "/wmx/joint_states"
RATE = 100
"""Of the controller manager, Hz."""
PLUGIN = "joint_state_topic_hardware_interface/JointStateTopicSystem"


def stream_section(drives: Sequence[Drive]) -> str:
    """Return the parameters of the node that follows what the hardware publishes."""
    joints = [drive.joint for drive in drives]
    return f"""\
/**/joint_position_controller:
  ros__parameters:
    joint_axes: {listed(range(len(drives)))}
    joint_name: {listed(j.name for j in joints)}
    joint_commands_topic: {COMMANDS}   # instead of joint_trajectory_topic
    joint_commands_time: {number(1.0 / RATE)}                 # one period of the controller manager
    velocity_limit: {numbers(j.velocity for j in joints)}
"""


def controllers_yaml(drives: Sequence[Drive]) -> str:
    """Return the parameters of the controller manager and of its controllers."""
    return f"""\
# For ros2_control_node and its spawner: docs/ros2-control.md has the commands.

controller_manager:
  ros__parameters:
    update_rate: {RATE}                 # Hz; its period is joint_commands_time of parameters.yaml
    joint_state_broadcaster:
      type: joint_state_broadcaster/JointStateBroadcaster
    joint_trajectory_controller:
      type: joint_trajectory_controller/JointTrajectoryController

joint_trajectory_controller:
  ros__parameters:
    joints: {listed(drive.joint.name for drive in drives)}
    command_interfaces: [position]
    state_interfaces: [position, velocity]
"""


def with_hardware(urdf: Path, drives: Sequence[Drive]) -> str:
    """Return the text of a URDF with the hardware that its joints are for ros2_control.

    BadRequest where it has one already: the same joints would be commanded twice.
    """
    keeping = ElementTree.TreeBuilder(insert_comments=True)
    text = urdf.read_text(encoding="utf-8")
    robot = ElementTree.fromstring(text, ElementTree.XMLParser(target=keeping))
    if robot.find("ros2_control") is not None:
        raise BadRequest([f"{urdf} has <ros2_control> already: must be without, for it is added"])
    joints = "".join(
        f"""\
    <joint name={quoteattr(drive.joint.name)}>
      <command_interface name="position"/>
      <state_interface name="position"/>
      <state_interface name="velocity"/>
    </joint>
"""
        for drive in drives
    )
    hardware = f"""\
  <ros2_control name="wmx" type="system">
    <hardware>
      <plugin>{PLUGIN}</plugin>
      <param name="joint_commands_topic">{COMMANDS}</param>
      <param name="joint_states_topic">{STATES}</param>
    </hardware>
{joints}\
  </ros2_control>
"""
    robot.append(ElementTree.fromstring(hardware))
    robot[-1].tail = "\n"
    return f"{ElementTree.tostring(robot, encoding='unicode')}\n"
