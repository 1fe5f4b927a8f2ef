"""A six-axis arm of the CR3A kind: the low-level nodes, joint states, trajectories and streams.

ros2 launch wmx_ros2_package arm.launch.py
ros2 launch wmx_ros2_package arm.launch.py driver:=wmx3 params_file:=/path/to/my_arm.yaml
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import robot_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return robot_launch("arm")
