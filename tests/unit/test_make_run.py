"""`make run PANEL=1` ends the system and its panel, however it is ended itself."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from waits import eventually

from wmx_ros2_package.robots.catalogue import ROBOTS

TOP = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "ROS_VERSION": "2", "ROS_DISTRO": "jazzy"}
"""That of a shell which has sourced a distribution."""
PROGRAM = """#!/bin/sh
echo $$ > {folder}/{name}.new
mv {folder}/{name}.new {folder}/{name}.pid
{ends}
"""
"""It has no file of its id that is empty still."""


def gone(file: Path) -> bool:
    """Whether the process has ended whose id is in the file."""
    try:
        return (Path("/proc") / file.read_text().strip() / "stat").read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def would_do(*words: str) -> str:
    """What make prints that it would do, were all built."""
    command = ["make", "-n", "-o", "build", "-o", "editions", *words]
    return subprocess.check_output(command, cwd=TOP, env=ENVIRONMENT, text=True)


def test_zero_is_no() -> None:
    for word in ("wmx_panel", "--recorder"):
        assert word in would_do("run", "PANEL=1", "RECORDER=1")
        assert word not in would_do("run", "PANEL=0", "RECORDER=0")
    assert "not long" in would_do("test", "LONG=0")
    assert "not long" not in would_do("test", "LONG=1")


def test_a_file_that_comes_or_goes_in_the_folder_of_a_robot_is_built() -> None:
    rules = would_do("-p", "run").splitlines()
    folders = [f"config/robots/{name}/" for name in ROBOTS]
    assert [line for line in rules if all(each in line for each in folders)]


def test_archives_are_made_once_the_tag_was_looked_at() -> None:
    made = would_do("dist")
    assert 0 <= made.find("scripts/tag.sh") < made.index("rm -rf dist")


def test_clean_removes_what_was_built_and_the_archives() -> None:
    assert {".venv", "build", "install", "log", "dist"} <= {*would_do("clean").split()}


@pytest.mark.process
@pytest.mark.parametrize("killed", [False, True])
def test_both_end_when_make_is_ended_or_the_system_is_killed(tmp_path: Path, killed: bool) -> None:
    shutil.copy(TOP / "Makefile", tmp_path)
    (tmp_path / "env.sh").write_text('PATH="$PWD:$PATH"')
    for name in ("bringup", "wmx_panel"):
        ends = '[ "$1" = --check ] || exec sleep 60'
        (tmp_path / name).write_text(PROGRAM.format(folder=tmp_path, name=name, ends=ends))
        (tmp_path / name).chmod(0o755)
    system, panel = tmp_path / "bringup.pid", tmp_path / "wmx_panel.pid"
    words = ["make", "--silent", "-o", "build", "run", "PANEL=1"]
    with subprocess.Popen(words, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as make:
        eventually(lambda: not gone(system) and not gone(panel), "both run")
        if killed:
            os.kill(int(system.read_text()), signal.SIGKILL)
        else:
            make.terminate()
    eventually(lambda: gone(system) and gone(panel), "both have ended")
