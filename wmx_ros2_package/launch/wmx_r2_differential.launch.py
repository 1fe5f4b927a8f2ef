"""A base on two wheels under the name that movensys/wmx-r2 gives this launch file.

ros2 launch wmx_ros2_package wmx_r2_differential.launch.py \
  config_file:=/path/to/config.yaml wmx_param_file:=/path/to/parameters.xml
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import newer_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return newer_launch("joint_state_broadcaster", "differential_drive_controller")
