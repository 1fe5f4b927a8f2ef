"""A base on two wheels with a six-axis arm on it, both on one engine.

ros2 launch wmx_ros2_package mobile_manipulator.launch.py
ros2 launch wmx_ros2_package mobile_manipulator.launch.py driver:=wmx3 params_file:=/path/to/my.yaml
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import robot_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return robot_launch("mobile_manipulator")
