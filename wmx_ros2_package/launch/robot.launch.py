"""Any robot: one that is shipped, by its name, or the path of a folder of your own.

ros2 launch wmx_ros2_package robot.launch.py robot:=cr3a
ros2 launch wmx_ros2_package robot.launch.py robot:=/path/to/folder driver:=wmx3
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import robot_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return robot_launch()
