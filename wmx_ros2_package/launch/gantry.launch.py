"""A Cartesian gantry: the low-level nodes, joint states, trajectories and streams.

ros2 launch wmx_ros2_package gantry.launch.py
ros2 launch wmx_ros2_package gantry.launch.py driver:=wmx3 params_file:=/path/to/my_gantry.yaml
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import robot_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return robot_launch("gantry")
