"""An arm under the name that movensys/wmx-r2 gives this launch file.

ros2 launch wmx_ros2_package wmx_r2_manipulator.launch.py use_gripper:=true \
  config_file:=/path/to/config.yaml wmx_param_file:=/path/to/parameters.xml
"""

from launch import LaunchDescription

from wmx_ros2_package.launching import NEWER_ARM, newer_launch


def generate_launch_description() -> LaunchDescription:
    """Arguments, then the nodes, each a process of its own."""
    return newer_launch(*NEWER_ARM, gripper=True)
