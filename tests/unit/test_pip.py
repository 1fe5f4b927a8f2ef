"""`pip install ./wmx_ros2_package`, without ROS: what it names, brings, and leaves."""

import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "wmx_ros2_package"
MODULES = "wmx_ros2_package", "wmx_core", "wmx_sim", "wmx3", "wmx3_sim"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    """What pip makes of the folder, with the tools that are here and no registry."""
    if find_spec("pip") is None or not (find_spec("wheel") or _builds_wheels()):
        pytest.skip("pip or wheel is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    words = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q", "-w", str(folder)]
    before = {*PACKAGE.iterdir()}
    subprocess.run([sys.executable, "-m", "pip", *words, str(PACKAGE)], check=True)
    assert {*PACKAGE.iterdir()} == before, "nothing is left beside the sources"
    [path] = folder.glob("*.whl")
    return ZipFile(path)


def _builds_wheels() -> bool:
    """setuptools does so by itself from 70.1 on."""
    return tuple(map(int, metadata.version("setuptools").split(".")[:2])) >= (70, 1)


def test_every_pip_builds_a_wheel() -> None:
    """An old one runs setup.py where no pyproject.toml is, and `wmx` is not on the PATH then."""
    assert "setuptools.build_meta" in (PACKAGE / "pyproject.toml").read_text()


def read(wheel: ZipFile, end: str) -> str:
    [name] = [name for name in wheel.namelist() if name.endswith(end)]
    return wheel.read(name).decode()


def test_requirements_are_named(wheel: ZipFile) -> None:
    lines = read(wheel, "dist-info/METADATA").splitlines()
    required = {line.split(": ")[1] for line in lines if line.startswith("Requires-Dist")}
    always = {each for each in required if "extra ==" not in each}
    assert always == {"msgpack", "numpy", "PyYAML", "rich"}
    assert "Provides-Extra: cli" in lines
    assert "Requires-Python: >=3.10" in lines


def test_the_licence_is_inside(wheel: ZipFile) -> None:
    assert read(wheel, "LICENSE").startswith("MIT License")


def test_all_that_runs_without_ros_is_inside(wheel: ZipFile) -> None:
    names = wheel.namelist()
    for path in (
        *(f"{module}/py.typed" for module in MODULES),
        "wmx_sim/sdk/module.py",
        "wmx_ros2_package/cli/doctor/command.py",
        "wmx_core/python_api.json",
        "wmx_core/parameters/parameter_defaults.xml",
        "wmx_ros2_package/config/fake_network.yaml",
    ):
        assert path in names


def test_the_command_is_one_of_the_shell_and_of_ros2(wheel: ZipFile) -> None:
    text = read(wheel, "entry_points.txt")
    assert "wmx = wmx_ros2_package.entry_points:main" in text
    assert "wmx_demo = wmx_ros2_package.entry_points:main" in text
    assert "[ros2cli.command]\nwmx = wmx_ros2_package.cli.ros2_command:WmxCommand" in text


WITHOUT_ROS = """
import sys
for name in ("rclpy", "rcl_interfaces", "wmx_ros2_message", "std_msgs", "ament_index_python"):
    sys.modules[name] = None
sys.argv = sys.argv[1:]
from wmx_ros2_package import entry_points
entry_points.main()
"""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["wmx", "--help"], 0, "usage: wmx"),
        (["wmx", "faults", "list"], 0, "drop_slave"),
        (["wmx", "params", "diff", "{file}", "{file}"], 0, "equal"),
        (["wmx", "status"], 2, "needs ROS 2"),
        (["wmx", "record"], 2, "needs ROS 2"),
        (["wmx", "recording", "x.mcap"], 2, "messages of the recordings are not installed"),
        (["wmx", "replay", "x.mcap"], 2, "messages of the recordings are not installed"),
        (["wmx_engine_node"], 1, "it needs ROS 2"),
        (["bringup"], 1, "it needs ROS 2"),
    ],
    ids=str,
)
def test_without_ros_each_program_works_or_says_so(words: list[str], code: int, said: str) -> None:
    file = PACKAGE / "config/wmx_parameters_6_axes.xml"
    command = [sys.executable, "-c", WITHOUT_ROS, *(word.format(file=file) for word in words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_without_ros_a_program_learns_what_is_missing() -> None:
    program = WITHOUT_ROS.partition("from ")[0] + "import wmx_ros2_package.client"
    done = subprocess.run([sys.executable, "-c", program, "-"], capture_output=True, text=True)
    assert "wmx_ros2_message.msg is missing: the client library needs ROS 2" in done.stderr
