"""The base diffbot under the name that movensys/wmx-ros2 gives this launch file.

ros2 launch wmx_ros2_package wmx_ros2_diff_drive_controller.launch.py use_sim_time:=false
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import robot_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return robot_launch("diffbot")
