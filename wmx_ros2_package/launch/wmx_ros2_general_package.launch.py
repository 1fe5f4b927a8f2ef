"""The low-level system: engine, axes, I/O, EtherCAT and actuators, each node a process of its own.

ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py
ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py driver:=wmx3 namespace:=cell1

It ends, and not with 0, when a node refuses to start.
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import low_level_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes."""
    return low_level_launch()
