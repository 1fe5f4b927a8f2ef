"""How colcon installs this package; what it depends on stands in package.xml."""

import os

from setuptools import find_packages, setup

name = "wmx_ros2_package"
share = f"share/{name}"


def files_of(folder):
    """Where the files of a folder and of the folders in it are installed, and the files."""
    for path, _, files in os.walk(folder):
        if files and not path.endswith("__pycache__"):
            yield f"{share}/{path}", [f"{path}/{file}" for file in files]


setup(
    name=name,
    version="0.1.0",
    description="ROS 2 nodes of the WMX motion engine, and a simulated engine to run them on.",
    maintainer="The wmx_ros2 Python authors",
    maintainer_email="wmx_ros2@example.com",
    license="MIT",
    packages=find_packages(include=[name, f"{name}.*", "wmx3_sim"]),
    # The modules have a link to config/, for files they read without asking ROS.
    package_data={"": ["*.xml", "*.json", "config/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{name}"]),
        (share, ["package.xml"]),
        # The names at the top of the repository lead here.
        *files_of("launch"),
        *files_of("config"),
    ],
    entry_points={
        "console_scripts": [
            f"{program} = {name}.programs:{program}"
            for program in (
                "wmx_engine_node",
                "wmx_core_motion_node",
                "wmx_io_node",
                "wmx_ethercat_node",
                "wmx_lifecycle_manager_node",
                "manipulator_state",
                "follow_joint_trajectory_server",
                "joint_position_controller",
                "diff_drive_controller",
                "gripper_controller",
                "bringup",
                "wmx_demo",
                "wmx_explain",
                "wmx_first_contact",
                "wmx_actuator_node",
                "wmx_disarm",
            )
        ],
    },
    # `colcon test` runs pytest because this names it.
    extras_require={"test": ["pytest"]},
)
