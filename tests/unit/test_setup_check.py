"""What make refuses at once, with its cause."""

import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
CHECK = TOP / "scripts/check.sh"


def check(folder: Path, **environment: object) -> tuple[int, str]:
    """The exit code of the check in a folder, and what it says."""
    folder.mkdir(exist_ok=True)
    words = [f"{name}={value}" for name, value in environment.items()]
    # Whatever the caller has set, and with nothing but what a shell has.
    command = ["env", "-i", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", *words, str(CHECK)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python as old as this machine might have."""
    path = tmp_path / "python3.9"
    path.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 || exit 1\n')
    path.chmod(0o755)
    return path


def test_a_plain_folder_is_fine(tmp_path: Path) -> None:
    assert check(tmp_path / "wmx_ros2-1.0", HOME=tmp_path, PYTHON=sys.executable) == (0, "")
    assert (tmp_path / ".ros/log").is_dir()


@pytest.mark.parametrize("name", ["my robot", "maschine-für-alles", "it's", "a;b", "a:b", "機械"])
def test_a_folder_that_the_build_cannot_take(tmp_path: Path, name: str) -> None:
    code, said = check(tmp_path / name, HOME=tmp_path, PYTHON=sys.executable)
    assert code == 1
    assert f"the folder {tmp_path / name} has a space, or another character" in said


def test_a_python_that_is_too_old(tmp_path: Path, python: Path) -> None:
    code, said = check(tmp_path, HOME=tmp_path, PYTHON=python)
    assert code == 1
    assert f"{python} is Python 3.9.2, and Python 3.10 is the least" in said


@pytest.mark.parametrize(
    ("variable", "value", "logs"),
    [
        ("HOME", "/proc/nobody", "/proc/nobody/.ros/log"),
        ("ROS_HOME", "/proc/nobody", "/proc/nobody/log"),
        ("ROS_LOG_DIR", "/proc/nobody", "/proc/nobody"),
    ],
)
def test_logs_that_cannot_be_written(tmp_path: Path, variable: str, value: str, logs: str) -> None:
    environment = {"HOME": tmp_path, "PYTHON": sys.executable, variable: value}
    code, said = check(tmp_path, **environment)
    assert code == 1
    assert f"{logs} cannot be written, and ROS puts its logs there" in said


NOT_REACHED = """\
WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(...)': /simple/x/
ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)
"""
NOT_THERE = """\
ERROR: Could not find a version that satisfies the requirement x==1 (from versions: 0.9)
"""


def set_up(folder: Path, pip: str, machine: str = "Linux x86_64") -> tuple[int, str]:
    """What setting up says where pip fails with these words, with stand-ins for all programs."""
    programs = {
        "uname": f"echo {machine}",
        "cmake": "",
        "c++": "",
        "python3": f"""
            case "$1 $2" in
                *sysconfig*) echo {folder} ;;
                "-m venv") mkdir -p "$4/bin" && cp {folder}/pip "$4/bin/" ;;
            esac""",
    }
    bin = folder / "bin"
    bin.mkdir()
    for name, text in programs.items():
        (bin / name).write_text(f"#!/bin/bash\n{text}\n")
        (bin / name).chmod(0o755)
    (folder / "Python.h").touch()
    (folder / "pip").write_text(f"#!/bin/bash\ncat >&2 <<'END'\n{pip}END\nexit 1\n")
    (folder / "pip").chmod(0o755)
    (folder / "wheels").symlink_to(TOP / "wheels")
    (folder / "constraints.txt").touch()
    command = ["env", "-i", f"PATH={bin}:/usr/bin:/bin", str(TOP / "scripts/venv.sh")]
    done = subprocess.run(
        [*command, ".venv", "kilted"], cwd=folder, capture_output=True, text=True, timeout=60.0
    )
    return done.returncode, done.stderr


def test_no_network_is_said_in_one_line(tmp_path: Path) -> None:
    code, said = set_up(tmp_path, NOT_REACHED)
    assert code == 1
    [line] = said.splitlines()
    assert line.startswith("venv: the index of wheels cannot be reached: is there a network")
    assert "NewConnectionError" in line


def test_another_failure_of_pip_is_shown_as_it_is(tmp_path: Path) -> None:
    assert set_up(tmp_path, NOT_THERE) == (1, NOT_THERE)


@pytest.mark.parametrize("machine", ["Linux aarch64", "Darwin arm64"])
def test_a_machine_that_there_are_no_wheels_for(tmp_path: Path, machine: str) -> None:
    code, said = set_up(tmp_path, NOT_THERE, machine)
    assert code == 1
    assert f"the wheels of ROS 2 are for Linux on x86-64, and this is {machine}" in said


def test_an_environment_behind_a_link_is_not_emptied(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "bin").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(shared)
    (tmp_path / "wheels").symlink_to(TOP / "wheels")
    for name in ("requirements.txt", "constraints.txt", "scripts/local_setup.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    venv = tmp_path / "scripts/venv.sh"
    venv.write_text("#!/bin/sh\nrm -r $1/bin\n")
    venv.chmod(0o755)
    command = ["make", "-f", str(TOP / "Makefile"), ".venv/local_setup.sh"]
    done = subprocess.run(
        ["env", "-i", "PATH=/usr/bin:/bin", *command], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert f".venv is a link to {shared}, and older than wheels/kilted.txt" in done.stderr
    assert (shared / "bin").is_dir()
