"""A base on two wheels: the low-level nodes, and one that drives and tells odometry.

ros2 launch wmx_ros2_package base.launch.py
ros2 launch wmx_ros2_package base.launch.py driver:=wmx3 params_file:=/path/to/my.yaml
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import robot_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return robot_launch("base")
