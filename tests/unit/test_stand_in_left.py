"""A build on a ROS distribution removes the stand-in of control_msgs that an earlier one left."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
STAND_IN = "<description>A stand-in for control_msgs</description>"
REAL = "<description>Package containing messages of controllers</description>"
PLAIN: dict[str, str] = {}
SOURCED = {"ROS_VERSION": "2", "ROS_DISTRO": "jazzy"}


@pytest.mark.parametrize(
    ("underlay", "description", "stays"),
    [(SOURCED, STAND_IN, False), (SOURCED, REAL, True), (PLAIN, STAND_IN, True)],
)
def test_it_goes_where_there_is_a_real_one(
    tmp_path: Path, underlay: dict[str, str], description: str, stays: bool
) -> None:
    shutil.copy(TOP / "Makefile", tmp_path)
    shutil.copytree(TOP / "wheels", tmp_path / "wheels")
    share = tmp_path / "install/control_msgs/share/control_msgs"
    share.mkdir(parents=True)
    (share / "package.xml").write_text(description)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ROS")} | underlay
    made = subprocess.run(
        ["make", "--silent", "real_control_msgs"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "install/control_msgs").exists() is stays
