"""How colcon and pip install this package.

colcon takes what it depends on from package.xml. `pip install ./wmx_ros2_package` needs no ROS: it
brings the simulator, the vendor's module over it, and those verbs of `wmx` that need no node.
"""

import os
import runpy
import sys
import tempfile

from setuptools import find_packages, setup

name = "wmx_ros2_package"
share = f"share/{name}"
executables = runpy.run_path(f"{name}/executables.py")


def files_of(folder):
    """Where the files of a folder and of the folders in it are installed, and the files."""
    for path, _, names in os.walk(folder):
        # An earlier build may have left links to files that have gone.
        files = [file for name in names if os.path.isfile(file := f"{path}/{name}")]
        if files and not path.endswith("__pycache__"):
            yield f"{share}/{path}", files


# What pip builds on the way goes elsewhere, so that nothing is left beside the sources. colcon
# names folders of its own, or installs links (develop).
scratch = tempfile.TemporaryDirectory(prefix=name)
elsewhere = {"build": {"build_base": scratch.name}, "egg_info": {"egg_base": scratch.name}}

setup(
    name=name,
    options={} if "develop" in sys.argv else elsewhere,
    version="0.4.0",
    description="ROS 2 nodes of the WMX motion engine, and a simulated engine to run them on.",
    maintainer="The wmx_ros2 Python authors",
    maintainer_email="wmx_ros2@example.com",
    license="MIT",
    packages=find_packages(include=[name, f"{name}.*", "wmx_core*", "wmx_sim*", "wmx3*"]),
    # The modules have a link to config/, for files they read without asking ROS.
    package_data={
        "": ["*.xml", "*.json", "config/*", "config/*/*", "config/*/*/*", "static/*", "py.typed"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{name}"]),
        (share, ["package.xml"]),
        # The names at the top of the repository lead here.
        *files_of("launch"),
        *files_of("config"),
    ],
    entry_points={
        "console_scripts": [
            f"{program} = {name}.entry_points:main"
            for table in ("NODES", "COMMANDS", "ALIASES", "ELSEWHERE")
            for program in executables[table]
        ],
        # `ros2 wmx ...`, where ros2cli is installed.
        "ros2cli.command": [f"wmx = {name}.cli.ros2_command:WmxCommand"],
    },
    python_requires=">=3.10",
    install_requires=["msgpack", "numpy", "PyYAML", "rich"],
    extras_require={
        "cli": ["argcomplete"],
        "panel": ["nicegui>=3,<4"],
        "plots": ["matplotlib"],
        # `colcon test` runs pytest because this names it.
        "test": ["pytest"],
    },
)
